// SPDX-License-Identifier: Apache-2.0
#include "engine/program/aggregate_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/base/limits.h"
#include "engine/program/program_error.h"
#include "engine/program/quantile_sketch.h"
#include "engine/program/top_values.h"

namespace sippar::engine {
namespace {

class ApproxQuantiles final : public Aggregate {
 public:
  ApproxQuantiles(uint64_t parts, GroupMemory* memory) : parts_(parts), sketch_(memory) {}
  Status Add(const Value& value) override {
    return value.is_null() ? OkStatus() : sketch_.Add(value);
  }
  Value Partial() const override { return sketch_.Encode(); }
  Status Merge(const Value& partial) override {
    bool known = false;
    RETURN_IF_ERROR(sketch_.Merge(partial, &known));
    return known ? OkStatus() : BadPartial();
  }
  Value Finish() const override {
    return sketch_.empty() ? Value::Null() : Value::Array(sketch_.Quantiles(parts_));
  }

 private:
  uint64_t parts_;
  QuantileSketch sketch_;
};

class ApproxTop final : public Aggregate {
 public:
  // Counts at least four times as many values as are wanted: counts are approximate, and those near
  // the last place must still be told apart.
  ApproxTop(uint64_t count, GroupMemory* memory)
      : count_(count), values_(std::max<size_t>(kApproxTopEntries, 4 * count), memory) {}
  Status Add(const Value& value) override {
    return value.is_null() ? OkStatus() : values_.Add(value);
  }
  Value Partial() const override { return values_.Encode(); }
  Status Merge(const Value& partial) override {
    bool known = false;
    RETURN_IF_ERROR(values_.Merge(partial, &known));
    return known ? OkStatus() : BadPartial();
  }
  Value Finish() const override {
    Value::Items items;
    for (const TopValues::Entry& entry : values_.Top(count_)) {
      items.push_back(
          Value::Map({Value::Text("count"), Value::Int64(static_cast<int64_t>(entry.count)),
                      Value::Text("value"), entry.value}));
    }
    return items.empty() ? Value::Null() : Value::Array(std::move(items));
  }

 private:
  uint64_t count_;
  TopValues values_;
};

// The partial states of tablets are merged in the order of the keys, so the values are joined in
// that order.
class StringAgg final : public Aggregate {
 public:
  StringAgg(std::string separator, GroupMemory* memory)
      : separator_(std::move(separator)), memory_(memory) {}
  Status Add(const Value& value) override {
    if (value.is_null()) return OkStatus();
    if (!value.is_string()) {
      return ProgramError(
          "TYPE", fmt::format("STRING_AGG takes TEXT or BYTES, not {}", TypeName(value.type())),
          "TEXT(x) writes a number or a time as text");
    }
    if (any_) joined_ += separator_;
    joined_ += value.bytes();
    any_ = true;
    if (value.type() == ValueType::kBytes) type_ = ValueType::kBytes;
    if (joined_.size() > limits::kValueSizeMax) {
      return ProgramError(
          "TOO_LARGE",
          fmt::format("STRING_AGG: the text has more than {} MiB", limits::kValueSizeMax >> 20),
          "WHERE, for fewer rows", StatusCode::kResourceExhausted);
    }
    return memory_->Add(separator_.size() + value.bytes().size());
  }
  Value Partial() const override {
    if (!any_) return Value::Null();
    return type_ == ValueType::kBytes ? Value::Bytes(joined_) : Value::Text(joined_);
  }
  Status Merge(const Value& partial) override { return Add(partial); }
  Value Finish() const override { return Partial(); }

 private:
  std::string separator_;
  GroupMemory* memory_;
  std::string joined_;
  ValueType type_ = ValueType::kText;
  bool any_ = false;  // true once a value was added, even an empty one
};

class Distinct final : public Aggregate {
 public:
  Distinct(std::string_view name, std::unique_ptr<Aggregate> of, uint64_t limit,
           GroupMemory* memory)
      : name_(name), of_(std::move(of)), limit_(limit), memory_(memory) {}
  Status Add(const Value& value) override {
    if (value.is_null() || (limit_ != 0 && values_.size() >= limit_)) return OkStatus();
    std::string key;
    // Values that are equal count once, such as 1 and 1.0, as in COUNT(DISTINCT).
    AppendEqualityKey(value, &key);
    const size_t size = key.size() + value.MemoryBytes() + 64;  // 64: about the cost of an entry
    if (!keys_.insert(std::move(key)).second) return OkStatus();
    values_.push_back(value);
    bytes_ += size;
    if (bytes_ > kDistinctBytesMax) {
      return ProgramError(
          "TOO_LARGE",
          fmt::format("{}(DISTINCT) needs more than {} MiB", name_, kDistinctBytesMax >> 20),
          "WHERE, for fewer rows", StatusCode::kResourceExhausted);
    }
    RETURN_IF_ERROR(memory_->Add(size));
    return of_->Add(value);
  }
  Value Partial() const override { return Value::Array(values_); }
  Status Merge(const Value& partial) override {
    if (partial.type() != ValueType::kArray) return BadPartial();
    for (const Value& value : partial.items()) RETURN_IF_ERROR(Add(value));
    return OkStatus();
  }
  Status Check() const override { return of_->Check(); }
  Value Finish() const override { return of_->Finish(); }

 private:
  std::string_view name_;
  std::unique_ptr<Aggregate> of_;
  uint64_t limit_;
  GroupMemory* memory_;
  std::unordered_set<std::string> keys_;
  Value::Items values_;
  size_t bytes_ = 0;
};

}  // namespace

Status BadPartial() {
  return Internal("partial state of an aggregate cannot be decoded; this is a bug in sippar");
}

std::unique_ptr<Aggregate> NewApproxQuantiles(uint64_t parts, GroupMemory* memory) {
  return std::make_unique<ApproxQuantiles>(parts, memory);
}

std::unique_ptr<Aggregate> NewApproxTop(uint64_t count, GroupMemory* memory) {
  return std::make_unique<ApproxTop>(count, memory);
}

std::unique_ptr<Aggregate> NewStringAgg(std::string separator, GroupMemory* memory) {
  return std::make_unique<StringAgg>(std::move(separator), memory);
}

std::unique_ptr<Aggregate> NewDistinct(std::string_view name, std::unique_ptr<Aggregate> of,
                                       uint64_t limit, GroupMemory* memory) {
  return std::make_unique<Distinct>(name, std::move(of), limit, memory);
}

}  // namespace sippar::engine
