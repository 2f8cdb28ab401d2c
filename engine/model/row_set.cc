// SPDX-License-Identifier: Apache-2.0
#include "engine/model/row_set.h"

#include <algorithm>

#include "engine/base/escape.h"

namespace sippar::engine {
namespace {

// Compares two limits. "" means no limit, so it is the largest.
bool LimitLess(const std::string& a, const std::string& b) {
  if (b.empty()) return !a.empty();
  return !a.empty() && a < b;
}

const std::string& MinLimit(const std::string& a, const std::string& b) {
  return LimitLess(a, b) ? a : b;
}

}  // namespace

RowRange RowRange::Single(std::string_view row) { return {std::string(row), RowSuccessor(row)}; }

RowRange RowRange::Prefix(std::string_view prefix) {
  return {std::string(prefix), PrefixLimit(prefix)};
}

bool RowRange::IsSingle() const {
  // The only key at or above `start` and below `start` + '\0' is `start` itself.
  return limit.size() == start.size() + 1 && limit.back() == '\0' &&
         limit.compare(0, start.size(), start) == 0;
}

RowRange Intersect(const RowRange& a, const RowRange& b) {
  return {std::max(a.start, b.start), MinLimit(a.limit, b.limit)};
}

std::string PrefixLimit(std::string_view prefix) {
  std::string limit(prefix);
  while (!limit.empty() && limit.back() == '\xff') limit.pop_back();
  if (!limit.empty()) limit.back() = static_cast<char>(limit.back() + 1);
  return limit;
}

std::string RowSuccessor(std::string_view row) {
  std::string successor(row);
  successor.push_back('\0');
  return successor;
}

void RowSet::Add(RowRange range) {
  if (range.IsEmpty()) return;
  ranges_.push_back(std::move(range));
  normal_ = false;
}

const std::vector<RowRange>& RowSet::ranges() const {
  Normalize();
  return ranges_;
}

void RowSet::Normalize() const {
  if (normal_) return;
  std::sort(ranges_.begin(), ranges_.end(),
            [](const RowRange& a, const RowRange& b) { return a.start < b.start; });
  std::vector<RowRange> merged;
  for (RowRange& range : ranges_) {
    // Adjacent ranges are merged too, so that equal sets have equal ranges.
    bool touches =
        !merged.empty() && (merged.back().limit.empty() || range.start <= merged.back().limit);
    if (!touches) {
      merged.push_back(std::move(range));
    } else if (LimitLess(merged.back().limit, range.limit)) {
      merged.back().limit = std::move(range.limit);
    }
  }
  ranges_ = std::move(merged);
  normal_ = true;
}

RowSet RowSet::Intersection(const RowSet& other) const {
  RowSet result;
  const auto& a = ranges();
  const auto& b = other.ranges();
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    result.Add(Intersect(a[i], b[j]));
    // The range that ends first cannot meet a later range of the other set.
    if (LimitLess(a[i].limit, b[j].limit)) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

RowSet RowSet::Union(const RowSet& other) const {
  RowSet result = *this;
  for (const RowRange& range : other.ranges()) result.Add(range);
  return result;
}

RowSet RowSet::Complement() const {
  RowSet result;
  std::string start;
  for (const RowRange& range : ranges()) {
    if (!range.start.empty()) result.Add({start, range.start});
    if (range.limit.empty()) return result;
    start = range.limit;
  }
  result.Add({start, ""});
  return result;
}

bool RowSet::Contains(std::string_view row) const {
  const auto& all = ranges();
  auto after =
      std::upper_bound(all.begin(), all.end(), row,
                       [](std::string_view key, const RowRange& r) { return key < r.start; });
  return after != all.begin() && std::prev(after)->Contains(row);
}

bool RowSet::IsEmpty() const { return ranges().empty(); }

bool RowSet::IsAll() const {
  return ranges().size() == 1 && ranges_[0].start.empty() && ranges_[0].limit.empty();
}

std::string RowSet::Print() const {
  if (IsAll()) return "all rows";
  if (IsEmpty()) return "no row";
  std::string text;
  for (const RowRange& range : ranges()) {
    if (!text.empty()) text += " ";
    if (range.IsSingle()) {
      text += "=" + QuotedBytes(range.start);
    } else {
      text += "[" + (range.start.empty() ? "" : QuotedBytes(range.start)) + "," +
              (range.limit.empty() ? "" : QuotedBytes(range.limit)) + ")";
    }
  }
  return text;
}

}  // namespace sippar::engine
