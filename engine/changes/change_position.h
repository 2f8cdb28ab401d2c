// How far the changes of a key range were read. Numbers of a tablet's entries go on in the tablets
// that follow it (splits, merges), so for every row (number, tablet) rises with each change,
// whatever became of its tablets; a position is such a point for each piece of the range, as
// pieces that were read apart may be read together after a merge. Pure values.
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

// Of a change: the number of its last entry, and its tablet.
struct ChangePoint {
  uint64_t sequence = 0;
  uint64_t tablet_id = 0;
  auto operator<=>(const ChangePoint&) const = default;
};

struct ChangePosition {
  struct Part {
    RowRange rows;
    int64_t start_us = 0;  // older changes are not wanted
    ChangePoint after;     // nor these and those before
  };

  uint64_t table_id = 0;
  int64_t time_us = 0;      // about the time of the last change read
  int64_t low_us = 0;       // no change behind is older
  std::vector<Part> parts;  // in key order, without holes

  static ChangePosition From(uint64_t table_id, const RowRange& rows, int64_t start_us);
  RowRange rows() const { return {parts.front().rows.start, parts.back().rows.limit}; }
  bool Wants(std::string_view row, int64_t commit_us, const ChangePoint& point) const;
  // All up to `point` were read.
  void Pass(const ChangePoint& point);
  ChangePoint Least() const;
  int64_t LeastStart() const;
  ChangePosition Clip(const RowRange& rows) const;  // Requires: they overlap

  std::string Encode() const;  // printable
  [[nodiscard]] static StatusOr<ChangePosition> Decode(std::string_view token);
};

// Of neighbours, in any order. kInvalidArgument: they overlap, leave a hole, or are not of one
// table.
[[nodiscard]] StatusOr<ChangePosition> JoinPositions(std::vector<ChangePosition> positions);

}  // namespace sippar::engine
