// SPDX-License-Identifier: Apache-2.0
#include "engine/program/aggregate.h"

#include <fmt/format.h>

#include <set>

#include "engine/model/hyper_log_log.h"
#include "engine/program/aggregate_kinds.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

using enum ValueType;

// COUNT(*) and COUNT(x). Partial state: INT64.
class Count final : public Aggregate {
 public:
  explicit Count(bool rows) : rows_(rows) {}
  Status Add(const Value& value) override {
    if (rows_ || !value.is_null()) ++count_;
    return OkStatus();
  }
  void AddRows(uint64_t count) override { count_ += static_cast<int64_t>(count); }
  Value Partial() const override { return Value::Int64(count_); }
  Status Merge(const Value& partial) override {
    if (partial.type() != kInt64) return BadPartial();
    count_ += partial.integer();
    return OkStatus();
  }
  Value Finish() const override { return Partial(); }

 private:
  bool rows_;
  int64_t count_ = 0;
};

// MIN and MAX. Partial state: the best value so far, NULL if there is none. NaN if any value is
// NaN.
class Extreme final : public Aggregate {
 public:
  Extreme(bool greatest, GroupMemory* memory) : greatest_(greatest), memory_(memory) {}
  Status Add(const Value& value) override {
    if (value.is_null()) return OkStatus();
    if (!best_.is_null()) {
      if (best_.IsNan()) return OkStatus();
      const int order = CompareValues(value, best_);
      if (!value.IsNan() && (greatest_ ? order <= 0 : order >= 0)) return OkStatus();
    }
    memory_->RemoveValue(best_);
    best_ = value;
    return memory_->AddValue(best_);
  }
  Value Partial() const override { return best_; }
  Status Merge(const Value& partial) override { return Add(partial); }
  Value Finish() const override { return best_; }

 private:
  bool greatest_;
  GroupMemory* memory_;
  Value best_;
};

// Keeps the first value. The partial states of tablets that run concurrently are merged in the
// order of the keys (query/execute/ordered_runs.h), so the number of tablets does not change the
// answer.
class AnyValue final : public Aggregate {
 public:
  explicit AnyValue(GroupMemory* memory) : memory_(memory) {}
  Status Add(const Value& value) override {
    if (!any_.is_null()) return OkStatus();
    any_ = value;
    return memory_->AddValue(any_);
  }
  Value Partial() const override { return any_; }
  Status Merge(const Value& partial) override { return Add(partial); }
  Value Finish() const override { return any_; }

 private:
  GroupMemory* memory_;
  Value any_;
};

struct ValueLess {
  bool operator()(const Value& a, const Value& b) const { return CompareValues(a, b) < 0; }
};

// Partial state: an ARRAY of the distinct values. Two counts could not be merged, since both may
// count the same value.
class CountDistinct final : public Aggregate {
 public:
  explicit CountDistinct(GroupMemory* memory) : memory_(memory) {}
  Status Add(const Value& value) override {
    if (value.is_null() || !values_.insert(value).second) return OkStatus();
    // Two limits: one for all groups together, and one for this aggregate, so that a single large
    // set fails early, with a hint of its own.
    RETURN_IF_ERROR(memory_->AddValue(value));
    bytes_ += value.MemoryBytes();
    if (bytes_ <= kDistinctBytesMax) return OkStatus();
    return ProgramError(
        "TOO_LARGE", fmt::format("COUNT(DISTINCT) needs more than {} MiB", kDistinctBytesMax >> 20),
        "APPROX_COUNT_DISTINCT needs 4 KiB", StatusCode::kResourceExhausted);
  }
  Value Partial() const override {
    return Value::Array(Value::Items(values_.begin(), values_.end()));
  }
  Status Merge(const Value& partial) override {
    if (partial.type() != kArray) return BadPartial();
    for (const Value& value : partial.items()) RETURN_IF_ERROR(Add(value));
    return OkStatus();
  }
  Value Finish() const override { return Value::Int64(static_cast<int64_t>(values_.size())); }

 private:
  GroupMemory* memory_;
  // Ordered by CompareValues, so that 1 and 1.0 count once, as in GROUP BY.
  std::set<Value, ValueLess> values_;
  size_t bytes_ = 0;
};

class ArrayAgg final : public Aggregate {
 public:
  ArrayAgg(uint64_t limit, GroupMemory* memory)
      : limit_(limit == 0 ? kArrayAggItemsMax : limit), memory_(memory) {}
  Status Add(const Value& value) override {
    // Each tablet keeps up to `limit_` items; a merge keeps the first `limit_` of all tablets.
    if (value.is_null() || items_.size() >= limit_) return OkStatus();
    items_.push_back(value);
    return memory_->AddValue(value);
  }
  Value Partial() const override { return Value::Array(items_); }
  Status Merge(const Value& partial) override {
    if (partial.type() != kArray) return BadPartial();
    for (const Value& value : partial.items()) RETURN_IF_ERROR(Add(value));
    return OkStatus();
  }
  Value Finish() const override { return Partial(); }

 private:
  uint64_t limit_;
  GroupMemory* memory_;
  Value::Items items_;
};

// Partial state: the encoded sketch, at most about 4 KiB whatever the number of values.
class ApproxCountDistinct final : public Aggregate {
 public:
  Status Add(const Value& value) override {
    if (value.is_null()) return OkStatus();
    // Adds the bytes of a string without an encoded key, so that a large value is not copied: TEXT
    // and BYTES values are equal if their bytes are equal.
    if (value.is_string()) {
      sketch_.Add(value.bytes());
    } else {
      encoded_.clear();
      // Values that compare equal must count once, such as 1 and 1.0.
      AppendEqualityKey(value, &encoded_);
      sketch_.Add(encoded_);
    }
    return OkStatus();
  }
  Value Partial() const override { return Value::Bytes(sketch_.Encode()); }
  Status Merge(const Value& partial) override {
    return partial.type() == kBytes && sketch_.Merge(partial.bytes()) ? OkStatus() : BadPartial();
  }
  Value Finish() const override { return Value::Int64(static_cast<int64_t>(sketch_.Estimate())); }

 private:
  HyperLogLog sketch_;
  std::string encoded_;
};

}  // namespace

std::string_view AggregateName(AggregateDef::Kind kind) {
  switch (kind) {
    case AggregateDef::kCountRows:
    case AggregateDef::kCount:
      return "COUNT";
    case AggregateDef::kSum:
      return "SUM";
    case AggregateDef::kMin:
      return "MIN";
    case AggregateDef::kMax:
      return "MAX";
    case AggregateDef::kAvg:
      return "AVG";
    case AggregateDef::kAnyValue:
      return "ANY_VALUE";
    case AggregateDef::kCountDistinct:
      return "COUNT DISTINCT";
    case AggregateDef::kArrayAgg:
      return "ARRAY_AGG";
    case AggregateDef::kApproxCountDistinct:
      return "APPROX_COUNT_DISTINCT";
    case AggregateDef::kApproxQuantiles:
      return "APPROX_QUANTILES";
    case AggregateDef::kApproxTop:
      return "APPROX_TOP_COUNT";
    case AggregateDef::kStringAgg:
      return "STRING_AGG";
  }
  return "?";
}

Status GroupMemory::Add(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= kGroupBytesMax) return OkStatus();
  return ProgramError(
      "TOO_LARGE",
      fmt::format("the groups of this query need more than {} MiB", kGroupBytesMax >> 20),
      "group by something shorter, aggregate smaller values, or fewer rows",
      StatusCode::kResourceExhausted);
}

Status GroupMemory::AddValue(const Value& value) { return Add(value.MemoryBytes()); }

void GroupMemory::RemoveValue(const Value& value) {
  if (value.is_null()) return;
  bytes_ -= value.MemoryBytes();
}

size_t GroupSize(std::string_view encoded_keys, const std::vector<AggregateDef>& aggregates) {
  // The key is held twice: encoded in the map of groups, and as values.
  size_t size = 2 * encoded_keys.size() + 256;
  for (const AggregateDef& def : aggregates) {
    size += def.kind == AggregateDef::kApproxCountDistinct ? sizeof(HyperLogLog) + 4096 : 64;
  }
  return size;
}

std::unique_ptr<Aggregate> Aggregate::New(const AggregateDef& def, GroupMemory* memory) {
  if (def.distinct) {
    AggregateDef of = def;
    of.distinct = false;
    // Only ARRAY_AGG has a limit that counts items; with DISTINCT, the limit counts distinct items.
    const bool first = def.kind == AggregateDef::kArrayAgg;
    return NewDistinct(AggregateName(def.kind), New(of, memory), first ? def.limit : 0, memory);
  }
  switch (def.kind) {
    case AggregateDef::kCountRows:
    case AggregateDef::kCount:
      return std::make_unique<Count>(def.kind == AggregateDef::kCountRows);
    case AggregateDef::kSum:
    case AggregateDef::kAvg:
      return NewSum(def.kind == AggregateDef::kAvg);
    case AggregateDef::kMin:
    case AggregateDef::kMax:
      return std::make_unique<Extreme>(def.kind == AggregateDef::kMax, memory);
    case AggregateDef::kAnyValue:
      return std::make_unique<AnyValue>(memory);
    case AggregateDef::kCountDistinct:
      return std::make_unique<CountDistinct>(memory);
    case AggregateDef::kArrayAgg:
      return std::make_unique<ArrayAgg>(def.limit, memory);
    case AggregateDef::kApproxQuantiles:
      return NewApproxQuantiles(def.limit, memory);
    case AggregateDef::kApproxTop:
      return NewApproxTop(def.limit, memory);
    case AggregateDef::kStringAgg:
      return NewStringAgg(def.separator, memory);
    case AggregateDef::kApproxCountDistinct:
      break;
  }
  return std::make_unique<ApproxCountDistinct>();
}

}  // namespace sippar::engine
