// Approximate quantiles of values in bounded memory: a KLL sketch (Karnin, Lang, Liberty: Optimal
// Quantile Approximation in Streams, FOCS 2016). Sketches of parts merge into a sketch of the
// whole. The smallest and the greatest value are exact, and so are all quantiles of up to kExactMax
// values. With more values a quantile's rank is wrong by less than 1% of the values, with a
// probability of 99%. The same values in the same order give the same sketch. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/aggregate.h"

namespace sippar::engine {

class QuantileSketch {
 public:
  static constexpr size_t kExactMax = 1024;

  // `memory` counts the values that the sketch holds; `memory` must outlive the sketch.
  explicit QuantileSketch(GroupMemory* memory) : memory_(memory) {}
  [[nodiscard]] Status Add(const Value& value);
  // The state for Merge: STRUCT(version, smallest, greatest, ARRAY of levels, each an ARRAY).
  Value Encode() const;
  // Sets *known to false if `encoded` is not a state from Encode.
  [[nodiscard]] Status Merge(const Value& encoded, bool* known);
  bool empty() const { return levels_.empty(); }
  // The bounds of `parts` equal parts: the smallest value, parts - 1 values between, the greatest.
  // Requires: not empty.
  Value::Items Quantiles(uint64_t parts) const;

 private:
  size_t CapacityOf(size_t level) const;
  size_t Capacity() const;
  void Compact(size_t level);
  void Compress();
  [[nodiscard]] Status Extend(const Value& value);

  GroupMemory* memory_;
  // A value of level i stands for 2^i values.
  std::vector<std::vector<Value>> levels_;
  size_t held_ = 0;  // values in all levels
  Value smallest_, greatest_;
  // State of the random generator. Its start is fixed, so that a query gives the same answer each
  // time.
  uint64_t random_ = 1;
};

}  // namespace sippar::engine
