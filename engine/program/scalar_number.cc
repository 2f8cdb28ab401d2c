// Arithmetic on INT64, FLOAT64, TIMESTAMP and DURATION; scalar_date.cc has that on DATE. Overflow
// is an error, never a wrap.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status Overflow(const CallSite& site, const Value& a, const Value& b) {
  return ProgramError("OVERFLOW", fmt::format("{} {} {} does not fit into 64 bits", a.Print(),
                                              FindFunction(site.function)->name, b.Print()));
}

// Sets a FLOAT64 result. An infinite result of finite arguments is an overflow.
Status SetReal(const CallSite& site, const Value& a, const Value& b, double result, Value* out) {
  bool overflow = std::isinf(result) && std::isfinite(a.AsReal()) && std::isfinite(b.AsReal());
  if (overflow) return Overflow(site, a, b);
  *out = Value::Float64(result);
  return OkStatus();
}

Status DivisionByZero(const Value& a) {
  return ProgramError("DIVISION_BY_ZERO", fmt::format("{} is divided by zero", a.Print()),
                      "NULLIF(x, 0) makes the result NULL");
}

bool ComputeIntegers(Function function, int64_t a, int64_t b, int64_t* out) {
  switch (function) {
    case Function::kAdd:
      return !__builtin_add_overflow(a, b, out);
    case Function::kSubtract:
      return !__builtin_sub_overflow(a, b, out);
    default:
      return !__builtin_mul_overflow(a, b, out);
  }
}

double ComputeReals(Function function, double a, double b) {
  switch (function) {
    case Function::kAdd:
      return a + b;
    case Function::kSubtract:
      return a - b;
    default:
      return a * b;
  }
}

// An INT64 counts as a time next to a DURATION, since the times of cells are INT64 microseconds.
bool IsTime(ValueType type) { return type == kTimestamp || type == kInt64; }

// Type of the result of +, - or * on integers, times and durations; kNull: the operation does not
// exist.
ValueType ResultType(Function function, ValueType a, ValueType b) {
  // Tested first, because two INT64 would also pass as two times, whose difference is a DURATION.
  if (a == kInt64 && b == kInt64) return kInt64;
  const bool durations = a == kDuration && b == kDuration;
  switch (function) {
    case Function::kAdd:
      if (a == kDuration) std::swap(a, b);
      if (durations) return kDuration;
      return IsTime(a) && b == kDuration ? a : kNull;
    case Function::kSubtract:
      if (durations || (IsTime(a) && IsTime(b))) return kDuration;
      return IsTime(a) && b == kDuration ? a : kNull;
    default:
      if (a == kInt64) std::swap(a, b);
      return a == kDuration && b == kInt64 ? kDuration : kNull;
  }
}

Value OfType(ValueType type, int64_t integer) {
  switch (type) {
    case kTimestamp:
      return Value::Timestamp(integer);
    case kDuration:
      return Value::Duration(integer);
    default:
      return Value::Int64(integer);
  }
}

Status Arithmetic(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  const Value& b = *args[1];
  if (a.is_number() && b.is_number() && (a.type() == kFloat64 || b.type() == kFloat64)) {
    return SetReal(*site, a, b, ComputeReals(site->function, a.AsReal(), b.AsReal()), out);
  }
  if (a.type() == kDate || b.type() == kDate) return DateArithmetic(*site, args, out);
  ValueType type = ResultType(site->function, a.type(), b.type());
  if (type == kNull) {
    bool text = a.is_string() || b.is_string();
    return TypeError(*site, args,
                     text ? "text is joined with ||; numbers are read with INT64(x)" : "");
  }
  int64_t result = 0;
  if (!ComputeIntegers(site->function, a.integer(), b.integer(), &result)) {
    return Overflow(*site, a, b);
  }
  *out = OfType(type, result);
  return OkStatus();
}

Status Divide(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  const Value& b = *args[1];
  if (a.type() == kDuration && b.type() == kInt64) {
    if (b.integer() == 0) return DivisionByZero(a);
    if (b.integer() == -1) {  // INT64_MIN / -1 traps in the processor
      if (a.integer() == std::numeric_limits<int64_t>::min()) return Overflow(*site, a, b);
      *out = Value::Duration(-a.integer());
      return OkStatus();
    }
    *out = Value::Duration(a.integer() / b.integer());
    return OkStatus();
  }
  // The result is FLOAT64 even for two INT64 (DIV divides to a whole number) and for two durations,
  // because their ratio has no unit.
  bool durations = a.type() == kDuration && b.type() == kDuration;
  if (!durations && !(a.is_number() && b.is_number())) return TypeError(*site, args);
  if (b.AsReal() == 0) return DivisionByZero(a);  // for a DURATION, AsReal is its microseconds
  return SetReal(*site, a, b, a.AsReal() / b.AsReal(), out);
}

Status WholeDivision(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  const Value& b = *args[1];
  if (a.type() == kFloat64 && b.is_number() && site->function == Function::kModulo) {
    if (b.AsReal() == 0) return DivisionByZero(a);
    *out = Value::Float64(std::fmod(a.real(), b.AsReal()));
    return OkStatus();
  }
  if (a.type() != kInt64 || b.type() != kInt64) return TypeError(*site, args);
  if (b.integer() == 0) return DivisionByZero(a);
  bool div = site->function == Function::kDiv;
  if (b.integer() == -1) {  // INT64_MIN / -1 traps in the processor
    if (div && a.integer() == std::numeric_limits<int64_t>::min()) return Overflow(*site, a, b);
    *out = Value::Int64(div ? -a.integer() : 0);
    return OkStatus();
  }
  *out = Value::Int64(div ? a.integer() / b.integer() : a.integer() % b.integer());
  return OkStatus();
}

Status Negate(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  if (a.type() == kFloat64) {
    *out = Value::Float64(-a.real());
    return OkStatus();
  }
  if (a.type() != kInt64 && a.type() != kDuration) return TypeError(*site, args);
  if (a.integer() == std::numeric_limits<int64_t>::min()) {
    return Overflow(*site, Value::Int64(0), a);  // the message shows -a as 0 - a
  }
  *out = OfType(a.type(), -a.integer());
  return OkStatus();
}

Status Abs(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  if (a.type() == kFloat64) {
    *out = Value::Float64(std::fabs(a.real()));
    return OkStatus();
  }
  if ((a.type() == kInt64 || a.type() == kDuration) && a.integer() >= 0) {
    *out = a;
    return OkStatus();
  }
  // Negate also reports the overflow for the lowest integer.
  return Negate(site, args, out);
}

// Rounds to a multiple of 10^-places, halves away from zero. Computes with integers, because a
// double holds only 53 bits. Requires: `places` is negative.
Status RoundWhole(int64_t number, int64_t places, Value* out) {
  constexpr int64_t kZerosMax = 19;  // half of 10^20 is more than any INT64
  if (places < -kZerosMax) {
    *out = Value::Int64(0);
    return OkStatus();
  }
  uint64_t unit = 1;
  for (int64_t i = places; i < 0; ++i) unit *= 10;
  const bool is_negative = number < 0;
  const auto bits = static_cast<uint64_t>(number);
  const uint64_t size = is_negative ? 0 - bits : bits;
  const uint64_t rest = size % unit;
  const uint64_t rounded = size - rest + (rest >= unit - rest ? unit : 0);
  constexpr uint64_t kLowest = uint64_t{1} << 63;  // the magnitude of the lowest INT64
  if (rounded > kLowest - (is_negative ? 0 : 1)) {
    return ProgramError("OVERFLOW",
                        fmt::format("ROUND({}, {}) does not fit into 64 bits", number, places));
  }
  *out = Value::Int64(static_cast<int64_t>(is_negative ? 0 - rounded : rounded));
  return OkStatus();
}

// Adds 1 to the last digit of a decimal number; a point is allowed. The first digit must not be 9.
void AddToLastDigit(std::string* digits) {
  for (auto digit = digits->rbegin(); digit != digits->rend(); ++digit) {
    if (*digit == '.') continue;
    if (*digit != '9') {
      ++*digit;
      return;
    }
    *digit = '0';
  }
}

// Rounds to `places` digits after the point, or zeros before it if that is negative; halves away
// from zero. Works on the decimal digits of `number`, all of which are written, because a product
// with a power of ten is not exact: 2.675 is a little less than it seems, its product with 100 is
// 267.5. Requires: `number` is finite. The result is infinite if it is too large.
double RoundReal(double number, int64_t places) {
  if (places == 0 || number == 0) return std::round(number);
  // If the lowest bit of a double is worth 2^-k, the number has at most k decimal digits after the
  // point. `last` is that k, or 1 if the number is whole, so that `digits` has a point.
  const int last = std::max(1, std::numeric_limits<double>::digits - 1 - std::ilogb(number));
  if (places >= last) return number;
  // The 0 in front takes the 1 that may be carried.
  std::string digits = fmt::format("0{:.{}f}", std::fabs(number), last);
  const auto point = static_cast<int64_t>(digits.find('.'));
  const int64_t cut = point + places + (places > 0 ? 1 : 0);  // the first digit that is left out
  if (cut < 1) return std::copysign(0.0, number);
  const bool up = digits[static_cast<size_t>(cut)] >= '5';
  digits.resize(static_cast<size_t>(cut));
  if (up) AddToLastDigit(&digits);
  if (places < 0) digits.append(static_cast<size_t>(-places), '0');
  double rounded = std::numeric_limits<double>::infinity();
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
  return std::copysign(rounded, number);
}

Status Round(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  if (!a.is_number() || (args.size() == 2 && args[1]->type() != kInt64)) {
    return TypeError(*site, args);
  }
  const int64_t places = args.size() == 2 ? args[1]->integer() : 0;
  if (a.type() == kInt64) {
    if (places < 0) return RoundWhole(a.integer(), places, out);
    *out = a;
    return OkStatus();
  }
  const double rounded = std::isfinite(a.real()) ? RoundReal(a.real(), places) : a.real();
  if (std::isfinite(a.real()) && !std::isfinite(rounded)) {
    return ProgramError("OVERFLOW", fmt::format("ROUND({}, {}) is not finite", a.Print(), places));
  }
  *out = Value::Float64(rounded);
  return OkStatus();
}

Status Not(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kBool) return TypeError(*site, args);
  *out = Value::Bool(!args[0]->is_true());
  return OkStatus();
}

Status IsNull(CallSite*, Arguments args, Value* out) {
  *out = Value::Bool(args[0]->is_null());
  return OkStatus();
}

}  // namespace

ScalarEntry FindNumberFunction(Function function) {
  switch (function) {
    case Function::kAdd:
    case Function::kSubtract:
    case Function::kMultiply:
      return {Arithmetic};
    case Function::kDivide:
      return {Divide};
    case Function::kModulo:
    case Function::kDiv:
      return {WholeDivision};
    case Function::kNegate:
      return {Negate};
    case Function::kAbs:
      return {Abs};
    case Function::kRound:
      return {Round};
    case Function::kNot:
      return {Not};
    case Function::kIsNull:
      return {IsNull, false};
    default:
      return {};
  }
}

}  // namespace sippar::engine
