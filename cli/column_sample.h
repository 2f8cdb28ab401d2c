// Looks at some cells of a table to learn which columns it has: families are declared, qualifiers
// are not. Used by \d and by completion. SPDX-License-Identifier: Apache-2.0
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
  std::string kind;     // what its values look like, such as "text" or "JSON"
};

struct ColumnSample {
  uint64_t rows = 0;
  bool is_whole = false;               // the sample is all of the table
  std::vector<SampledColumn> columns;  // by family, the most frequent first
};

// Reads at most about `cells_max` newest cells, some from each of several tablets. `pattern`: a
// column pattern that limits them, such as "anchor:*"; "" for all columns.
[[nodiscard]] StatusOr<ColumnSample> SampleColumns(query::Session* session,
                                                   const std::string& table,
                                                   const std::string& pattern, uint64_t cells_max);

// What the values of a column look like, by the beginnings of some: the kind that all have, "text"
// or "bytes" if they differ.
std::string GuessKind(const std::vector<std::string>& values);

}  // namespace sippar::cli
