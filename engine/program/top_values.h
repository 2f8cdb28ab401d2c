// Finds the most frequent values in bounded memory. Summaries of parts merge into a summary of the
// whole (Agarwal et al.: Mergeable Summaries, PODS 2012). Counts are exact while there are at most
// twice `capacity` distinct values. With more, a count may be too low, by at most the number of all
// values divided by `capacity`. The same values in the same order give the same answer. Not
// thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/program/aggregate.h"

namespace sippar::engine {

class TopValues {
 public:
  struct Entry {
    Value value;
    uint64_t count = 0;   // occurrences since the value got its entry
    uint64_t missed = 0;  // most occurrences that the value may have had before it got its entry
  };

  // `memory` counts the values that this object holds, and outlives it.
  TopValues(size_t capacity, GroupMemory* memory) : capacity_(capacity), memory_(memory) {}
  [[nodiscard]] Status Add(const Value& value);
  // The state for Merge: STRUCT(version, floor, ARRAY of value, count, missed, value …).
  Value Encode() const;
  // Sets *known to false if `encoded` is not such a state.
  [[nodiscard]] Status Merge(const Value& encoded, bool* known);
  // The `n` values with the greatest counts, the most frequent first; ties are in order of value.
  std::vector<Entry> Top(size_t n) const;

 private:
  [[nodiscard]] StatusOr<Entry*> Find(const Value& value, bool* is_new);
  void Purge();

  const size_t capacity_;
  GroupMemory* memory_;
  std::unordered_map<std::string, Entry> entries_;  // key: the equality key of the value
  // The most times that a value without an entry may have occurred.
  uint64_t floor_ = 0;
  std::string key_;
};

}  // namespace sippar::engine
