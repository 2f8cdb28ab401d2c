// SPDX-License-Identifier: Apache-2.0
#include "engine/program/quantile_sketch.h"

#include <algorithm>
#include <cmath>

namespace sippar::engine {
namespace {

constexpr int64_t kVersion = 1;
constexpr size_t kLevelsMax = 50;        // enough for 2^50 values, more than a table has
constexpr double kShrink = 2.0 / 3.0;    // capacity of a level divided by that of the next level
constexpr size_t kSmallestCapacity = 8;  // least capacity of a level

bool Less(const Value& a, const Value& b) { return CompareValues(a, b) < 0; }

}  // namespace

// The highest level has the largest capacity, because each of its values stands for the most
// values, so dropping one of them causes the largest error.
size_t QuantileSketch::CapacityOf(size_t level) const {
  const auto below_top = static_cast<double>(levels_.size() - 1 - level);
  const auto share = static_cast<double>(kExactMax) * std::pow(kShrink, below_top);
  return std::max(kSmallestCapacity, static_cast<size_t>(share));
}

size_t QuantileSketch::Capacity() const {
  size_t capacity = 0;
  for (size_t level = 0; level < levels_.size(); ++level) capacity += CapacityOf(level);
  return capacity;
}

// Moves every second value of the level to the next level, where it stands for twice as many
// values, and drops the others. If the number of values is odd, one stays in the level, so that the
// weights always add up to the number of values.
void QuantileSketch::Compact(size_t level) {
  if (level + 1 == levels_.size()) levels_.emplace_back();
  std::vector<Value>& from = levels_[level];
  std::vector<Value>& to = levels_[level + 1];
  Value odd;
  const bool has_odd = from.size() % 2 == 1;
  if (has_odd) {
    odd = std::move(from.back());
    from.pop_back();
  }
  std::sort(from.begin(), from.end(), Less);
  // Knuth's MMIX generator; its high bits are the most random ones.
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  const size_t kept = random_ >> 63;
  for (size_t i = 0; i < from.size(); ++i) {
    if (i % 2 == kept) {
      to.push_back(std::move(from[i]));
    } else {
      memory_->RemoveValue(from[i]);
    }
  }
  held_ -= from.size() / 2;
  from.clear();
  if (has_odd) from.push_back(std::move(odd));
}

void QuantileSketch::Compress() {
  while (held_ > Capacity()) {
    size_t level = 0;
    while (levels_[level].size() <= CapacityOf(level)) ++level;
    Compact(level);
  }
}

Status QuantileSketch::Extend(const Value& value) {
  for (bool greatest : {false, true}) {
    Value& extreme = greatest ? greatest_ : smallest_;
    const int order = empty() ? 0 : CompareValues(value, extreme);
    if (!empty() && (greatest ? order <= 0 : order >= 0)) continue;
    memory_->RemoveValue(extreme);
    extreme = value;
    RETURN_IF_ERROR(memory_->AddValue(extreme));
  }
  if (empty()) levels_.emplace_back();
  return OkStatus();
}

Status QuantileSketch::Add(const Value& value) {
  RETURN_IF_ERROR(Extend(value));
  levels_[0].push_back(value);
  ++held_;
  RETURN_IF_ERROR(memory_->AddValue(value));
  if (levels_[0].size() > CapacityOf(0)) Compress();
  return OkStatus();
}

Value QuantileSketch::Encode() const {
  Value::Items levels;
  for (const std::vector<Value>& level : levels_) levels.push_back(Value::Array(level));
  return Value::Struct(
      {Value::Int64(kVersion), smallest_, greatest_, Value::Array(std::move(levels))});
}

Status QuantileSketch::Merge(const Value& encoded, bool* known) {
  const Value::Items& parts = encoded.items();
  *known = encoded.type() == ValueType::kStruct && parts.size() == 4 &&
           parts[0] == Value::Int64(kVersion) && parts[3].type() == ValueType::kArray &&
           parts[3].items().size() <= kLevelsMax;
  if (!*known || parts[3].items().empty()) return OkStatus();
  RETURN_IF_ERROR(Extend(parts[1]));
  RETURN_IF_ERROR(Extend(parts[2]));
  for (size_t level = 0; level < parts[3].items().size(); ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    for (const Value& value : parts[3].items()[level].items()) {
      levels_[level].push_back(value);
      ++held_;
      RETURN_IF_ERROR(memory_->AddValue(value));
    }
  }
  Compress();
  return OkStatus();
}

Value::Items QuantileSketch::Quantiles(uint64_t parts) const {
  struct Weighted {
    const Value* value;
    uint64_t weight;
  };
  std::vector<Weighted> all;
  uint64_t total = 0;
  for (size_t level = 0; level < levels_.size(); ++level) {
    for (const Value& value : levels_[level]) {
      all.push_back({&value, uint64_t{1} << level});
      total += all.back().weight;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Weighted& a, const Weighted& b) {
    return CompareValues(*a.value, *b.value) < 0;
  });
  Value::Items bounds = {smallest_};
  size_t at = 0;
  uint64_t passed = 0;
  for (uint64_t i = 1; i < parts; ++i) {
    // `wanted` is i / parts of the number of values, rounded up. The bound is the smallest value
    // that at least `wanted` values do not exceed. i * total fits into 64 bits: there are at most
    // 2^50 values and a thousand parts.
    const uint64_t wanted = (i * total + parts - 1) / parts;
    while (passed + all[at].weight < wanted) passed += all[at++].weight;
    bounds.push_back(*all[at].value);
  }
  bounds.push_back(greatest_);
  return bounds;
}

}  // namespace sippar::engine
