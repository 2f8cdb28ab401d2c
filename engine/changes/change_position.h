// How far the changes of a key range have been read. After a split or merge, the new tablets
// continue the sequence numbers of the old ones, so for each row the pair (sequence number, tablet)
// rises with every change. A position holds such a pair for each part of the range, because parts
// that were read separately may be read together after a merge. Pure values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/row_set.h"

namespace sippar::engine {

// Identifies a change by the sequence number of its last entry and its tablet.
struct ChangePoint {
  uint64_t sequence = 0;
  uint64_t tablet_id = 0;
  auto operator<=>(const ChangePoint&) const = default;
};

struct ChangePosition {
  struct Part {
    RowRange rows;
    int64_t start_us = 0;  // changes before this time are not wanted
    ChangePoint after;     // changes up to this point are not wanted either
  };

  uint64_t table_id = 0;
  int64_t time_us = 0;      // approximate time of the last change read
  int64_t low_us = 0;       // low watermark: no change after this position is older
  std::vector<Part> parts;  // parts in key order, without holes

  static ChangePosition From(uint64_t table_id, const RowRange& rows, int64_t start_us);
  RowRange rows() const { return {parts.front().rows.start, parts.back().rows.limit}; }
  bool Wants(std::string_view row, int64_t commit_us, const ChangePoint& point) const;
  // Records that all changes up to `point` were read.
  void Pass(const ChangePoint& point);
  ChangePoint Least() const;
  int64_t LeastStart() const;
  ChangePosition Clip(const RowRange& rows) const;  // requires: `rows` overlaps rows()

  std::string Encode() const;  // a printable continuation token
  [[nodiscard]] static StatusOr<ChangePosition> Decode(std::string_view token);
};

// Joins positions of neighbouring ranges, given in any order. kInvalidArgument: they overlap, leave
// a hole, or are of different tables.
[[nodiscard]] StatusOr<ChangePosition> JoinPositions(std::vector<ChangePosition> positions);

}  // namespace sippar::engine
