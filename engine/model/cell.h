// A cell maps (row, family:qualifier, timestamp) to a value and has the sequence number of its
// write (paper section 2). A CellView points into memory owned by its source. Times are in
// microseconds since 1970.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace sippar::engine {

// Stands for the time of a mutation entry that the server sets from its clock. Never stored.
inline constexpr int64_t kServerTime = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kTimeMin = std::numeric_limits<int64_t>::min() + 1;
inline constexpr int64_t kTimeMax = std::numeric_limits<int64_t>::max();

// The times in [start, limit), in microseconds. A limit of kTimeMax means no limit and includes
// kTimeMax itself.
struct TimeRange {
  int64_t start_us = kTimeMin;
  int64_t limit_us = kTimeMax;
  bool Contains(int64_t time_us) const {
    return time_us >= start_us && (time_us < limit_us || limit_us == kTimeMax);
  }
  // True if the range has a time in [min_us, max_us], both included.
  bool Overlaps(int64_t min_us, int64_t max_us) const {
    return max_us >= start_us && (min_us < limit_us || limit_us == kTimeMax);
  }
  bool IsAll() const { return start_us == kTimeMin && limit_us == kTimeMax; }
  bool operator==(const TimeRange&) const = default;
};

struct CellView {
  std::string_view row;
  std::string_view family;
  std::string_view qualifier;
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  std::string_view value;
  // Bytes of the value that are not in `value`: all of them (CellLimits::value_size_max), or those
  // outside the part that was asked for (CellLimits::value_part).
  uint64_t omitted_size = 0;
};

// A cell that owns its strings.
struct Cell {
  std::string row;
  std::string family;
  std::string qualifier;
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  std::string value;

  Cell() = default;
  explicit Cell(const CellView& view)
      : row(view.row),
        family(view.family),
        qualifier(view.qualifier),
        timestamp_us(view.timestamp_us),
        sequence(view.sequence),
        value(view.value) {}
  CellView view() const { return {row, family, qualifier, timestamp_us, sequence, value}; }
  bool operator==(const Cell&) const = default;
};

}  // namespace sippar::engine
