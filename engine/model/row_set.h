// Sets of row keys as sorted, disjoint, half-open ranges. Plain values. Not thread safe, since
// const members, too, may first sort the ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::engine {

// The rows of [start, limit). An empty limit means the end of the table, an empty start its
// beginning.
struct RowRange {
  std::string start;
  std::string limit;

  static RowRange All() { return {}; }
  static RowRange Single(std::string_view row);
  static RowRange Prefix(std::string_view prefix);  // the prefix "" gives All()
  bool Contains(std::string_view row) const {
    return row >= start && (limit.empty() || row < limit);
  }
  bool IsEmpty() const { return !limit.empty() && start >= limit; }
  bool IsSingle() const;  // true: exactly one key is possible
  bool operator==(const RowRange&) const = default;
};

RowRange Intersect(const RowRange& a, const RowRange& b);
// The smallest key above all keys with this prefix; "" when there is none (all bytes 0xff).
std::string PrefixLimit(std::string_view prefix);
// The key directly after `row`: row + '\0'.
std::string RowSuccessor(std::string_view row);

class RowSet {
 public:
  RowSet() = default;  // the empty set
  explicit RowSet(RowRange range) { Add(std::move(range)); }
  static RowSet All() { return RowSet(RowRange::All()); }

  void Add(RowRange range);
  RowSet Intersection(const RowSet& other) const;
  RowSet Union(const RowSet& other) const;
  RowSet Complement() const;
  bool Contains(std::string_view row) const;
  bool IsEmpty() const;
  bool IsAll() const;
  // The ranges of the set: sorted, disjoint, not adjacent, none empty.
  const std::vector<RowRange>& ranges() const;
  std::string Print() const;  // for EXPLAIN: ["a","b") ["c",)
  bool operator==(const RowSet& other) const { return ranges() == other.ranges(); }

 private:
  void Normalize() const;
  mutable std::vector<RowRange> ranges_;
  mutable bool normal_ = true;
};

}  // namespace sippar::engine
