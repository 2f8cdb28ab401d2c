// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "engine/program/aggregate_kinds.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

using enum ValueType;

// SUM and AVG. A sum of whole numbers has 128 bits and is checked at the end, so whether it
// overflows does not depend on the order in which tablets and values are added. A FLOAT64 has no
// such reserve: its sum overflows where it first exceeds the largest number. Partial state:
// STRUCT(sum, count), or STRUCT(upper half, lower half, count) if the sum exceeds 64 bits.
class Sum final : public Aggregate {
 public:
  explicit Sum(bool average) : average_(average) {}

  Status Add(const Value& value) override {
    if (value.is_null()) return OkStatus();
    RETURN_IF_ERROR(AddNumber(value));
    ++count_;
    return OkStatus();
  }
  Value Partial() const override {
    if (type_ == kNull || type_ == kFloat64 || FitsInto64Bits()) {
      return Value::Struct({Total(), Value::Int64(count_)});
    }
    return Value::Struct({Whole(static_cast<int64_t>(whole_ >> 64)),
                          Value::Int64(static_cast<int64_t>(whole_)), Value::Int64(count_)});
  }
  Status Merge(const Value& partial) override {
    if (partial.type() != kStruct) return BadPartial();
    const Value::Items& items = partial.items();
    if (items.size() < 2 || items.size() > 3 || items.back().type() != kInt64) return BadPartial();
    // A tablet that added no value sends NULL as its sum, which AddNumber would refuse.
    if (items.back().integer() == 0) return OkStatus();
    if (items.size() == 2) {
      RETURN_IF_ERROR(AddNumber(items[0]));
    } else {
      const bool is_whole = items[0].type() == kInt64 || items[0].type() == kDuration;
      if (!is_whole || items[1].type() != kInt64) return BadPartial();
      RETURN_IF_ERROR(AddWide(items[0], static_cast<uint64_t>(items[1].integer())));
    }
    count_ += items.back().integer();
    return OkStatus();
  }
  Status Check() const override {
    if (average_ || type_ == kNull || type_ == kFloat64 || FitsInto64Bits()) return OkStatus();
    return ProgramError("OVERFLOW", "the sum does not fit into 64 bits");
  }
  Value Finish() const override {
    if (count_ == 0) return Value::Null();
    if (!average_) return Total();
    // A sum of INT64 is exact, so an average is rounded only here.
    if (type_ == kDuration) return Value::Duration(static_cast<int64_t>(whole_ / count_));
    double sum = type_ == kFloat64 ? real_ : static_cast<double>(whole_);
    return Value::Float64(sum / static_cast<double>(count_));
  }

 private:
  using Int128 = __int128;

  bool FitsInto64Bits() const {
    return whole_ == static_cast<Int128>(static_cast<int64_t>(whole_));
  }
  Value Whole(int64_t whole) const {
    return type_ == kDuration ? Value::Duration(whole) : Value::Int64(whole);
  }
  Value Total() const {
    if (type_ == kNull) return Value::Null();
    return type_ == kFloat64 ? Value::Float64(real_) : Whole(static_cast<int64_t>(whole_));
  }

  Status AddNumber(const Value& value) {
    if (value.type() == kInt64 && type_ == kInt64) [[likely]] {
      whole_ += value.integer();
      return OkStatus();
    }
    RETURN_IF_ERROR(SetType(value));
    if (type_ != kFloat64) {
      whole_ += value.integer();
      return OkStatus();
    }
    const double number = value.AsReal();
    const bool is_finite = std::isfinite(real_) && std::isfinite(number);
    real_ += number;
    if (!is_finite || std::isfinite(real_)) return OkStatus();
    return ProgramError("OVERFLOW", "the sum does not fit into a FLOAT64");
  }
  Status AddWide(const Value& upper, uint64_t lower) {
    RETURN_IF_ERROR(SetType(upper));
    const Int128 whole = (static_cast<Int128>(upper.integer()) << 64) | static_cast<Int128>(lower);
    if (type_ == kFloat64) {
      real_ += static_cast<double>(whole);
    } else {
      whole_ += whole;
    }
    return OkStatus();
  }
  // Sets the type of the sum to which `value` is added: FLOAT64 once any number is one.
  Status SetType(const Value& value) {
    if (!value.is_number() && value.type() != kDuration) {
      return ProgramError("TYPE",
                          fmt::format("{} takes numbers or durations, not {}",
                                      average_ ? "AVG" : "SUM", TypeName(value.type())),
                          "INT64(x) reads 8 bytes, INT64(TEXT(x)) a decimal number");
    }
    if (type_ == kNull) type_ = value.type();
    if ((value.type() == kDuration) != (type_ == kDuration)) {
      return ProgramError("TYPE", "a SUM cannot add numbers and durations");
    }
    if (value.type() == kFloat64 && type_ == kInt64) {
      real_ = static_cast<double>(whole_);
      type_ = kFloat64;
    }
    return OkStatus();
  }

  const bool average_;
  ValueType type_ = kNull;  // of the sum; kNull: nothing was added
  Int128 whole_ = 0;        // the sum, unless type_ is kFloat64
  double real_ = 0;         // the sum if type_ is kFloat64
  int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Aggregate> NewSum(bool average) { return std::make_unique<Sum>(average); }

}  // namespace sippar::engine
