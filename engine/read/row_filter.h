// RowFilter: the filter tree of the Cloud Bigtable API as plain data. It decides which cells of a
// row a read returns, in what form and how often. run_filter.h runs it; filter_pushdown.h turns
// parts of it into limits of the read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell.h"

namespace sippar::engine {

// The byte strings of [start, limit); without a limit, all from `start` on.
struct BytesRange {
  std::string start;
  std::optional<std::string> limit;
  bool Contains(std::string_view text) const { return text >= start && (!limit || text < *limit); }
  bool operator==(const BytesRange&) const = default;
};

struct RowFilter {
  enum Kind : uint8_t {
    kPassAll,
    kBlockAll,
    kChain,           // `filters`, each on the cells that the previous one leaves
    kInterleave,      // each of `filters` gets all cells; merges the results, keeps duplicates
    kCondition,       // runs filters[1] if filters[0] leaves any cell of the row, else filters[2]
    kSink,            // cells go to the result of the read, past all later filters
    kRowSample,       // keeps each row with `probability`
    kRowKeyRegex,     // regex `text` for the key; regexes match the whole key, name or value
    kFamilyRegex,     // regex `text` for the family
    kQualifierRegex,  // regex `text` for the qualifier
    kValueRegex,      // regex `text` for the value
    kColumnRange,     // columns of family `text` with qualifiers in `range`
    kValueRange,      // values in `range`
    kTimeRange,       // timestamps in `time`
    kRowOffset,       // drops the first `count` cells of the row
    kRowLimit,        // keeps the first `count` cells of the row
    kColumnLimit,     // keeps the newest `count` cells of each column
    kStripValue,      // values become ""
    kLabel,           // cells get the label `text`
    kValueBitmask,    // keeps values that are as long as `text` and have all its bits
  };
  Kind kind = kPassAll;
  std::vector<RowFilter> filters;
  std::string text;
  BytesRange range;
  TimeRange time;
  double probability = 0;
  uint32_t count = 0;

  static RowFilter Of(Kind kind) { return RowFilter{kind, {}, "", {}, {}, 0, 0}; }
  static RowFilter Text(Kind kind, std::string_view text);
  static RowFilter Count(Kind kind, uint32_t count);
  static RowFilter List(Kind kind, std::vector<RowFilter> filters);

  // Checks depth, labels, sinks in conditions, probabilities, ranges and regexes. Errors name the
  // kind, limit and value.
  [[nodiscard]] Status Validate() const;
  // True if the tree contains a filter of kind `wanted`.
  bool Has(Kind wanted) const;
  bool operator==(const RowFilter&) const = default;
};

inline constexpr size_t kFilterDepthMax = 20;       // Cloud Bigtable's limit
inline constexpr size_t kFilterSizeMax = 20 << 10;  // Cloud Bigtable's limit, in bytes on the wire

}  // namespace sippar::engine
