// RowFilter: the filter tree of the Cloud Bigtable API as plain data. Which cells of a row a read
// gives, in what form and how often. run_filter.h runs it; filter_pushdown.h turns what it can into
// seeks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell.h"

namespace sippar::engine {

// [start, limit) of byte strings; no limit: to the end.
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
    kChain,           // `filters`, each on what the one before leaves
    kInterleave,      // every one of `filters` gets a copy; results in order, duplicates kept
    kCondition,       // filters[0] gives any cell of the row: filters[1], else filters[2]
    kSink,            // cells go to the result of the read, past all that follows
    kRowSample,       // `probability` of each row
    kRowKeyRegex,     // `text`; regexes match the whole of a name, key or value
    kFamilyRegex,     //
    kQualifierRegex,  //
    kValueRegex,      //
    kColumnRange,     // family `text`, qualifiers in `range`
    kValueRange,      // `range`
    kTimeRange,       // `time`
    kRowOffset,       // without the first `count` cells of the row
    kRowLimit,        // only these
    kColumnLimit,     // the newest `count` of each column
    kStripValue,      // values become ""
    kLabel,           // cells carry the label `text`
    kValueBitmask,    // values as long as `text`, with all its bits
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

  // Depth, labels, sinks in conditions, probabilities, regexes. Names the kind, limit and value.
  [[nodiscard]] Status Validate() const;
  // Is there one of `kind` in the tree?
  bool Has(Kind wanted) const;
  bool operator==(const RowFilter&) const = default;
};

inline constexpr size_t kFilterDepthMax = 20;       // Cloud Bigtable
inline constexpr size_t kFilterSizeMax = 20 << 10;  // bytes on the wire, Cloud Bigtable

}  // namespace sippar::engine
