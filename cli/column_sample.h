// Reads some cells of a table to learn which columns it has: the schema declares families, but not
// qualifiers. Used by \d and by completion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/query.h"

namespace sippar::cli {

struct SampledColumn {
  std::string family;
  std::string qualifier;
  uint64_t rows = 0;    // rows of the sample that have the column
  std::string example;  // the beginning of one value
  std::string kind;     // the type of its family, or what its values look like, such as "JSON"
};

struct ColumnSample {
  uint64_t rows = 0;
  bool is_whole = false;               // true if the sample covers the whole table
  std::vector<SampledColumn> columns;  // sorted by family, then by falling frequency
};

// Reads at most about `cells_max` cells from several tablets: of each column the newest version, or
// as many as SET versions says. Reads only the columns that match `pattern`, such as "anchor:*"; ""
// matches all columns.
[[nodiscard]] StatusOr<ColumnSample> SampleColumns(query::Session* session,
                                                   const std::string& table,
                                                   const std::string& pattern, uint64_t cells_max);

// Guesses from the beginnings of some values what a column holds: the kind that all values share,
// or "number", "text" or "bytes" if they differ. Empty values do not count; "empty": there are no
// other values.
std::string GuessKind(const std::vector<std::string>& values);

}  // namespace sippar::cli
