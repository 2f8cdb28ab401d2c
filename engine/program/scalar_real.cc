// Functions on FLOAT64, and RAND. As in arithmetic, it is an error if finite arguments give a
// result that is not finite, except in IEEE_DIVIDE.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/checksum.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

std::string PrintCall(const CallSite& site, Arguments args) {
  std::string text;
  for (const Value* arg : args) text += (text.empty() ? "" : ", ") + arg->Print();
  return fmt::format("{}({})", FindFunction(site.function)->name, text);
}

bool AllNumbers(Arguments args) {
  return std::all_of(args.begin(), args.end(), [](const Value* v) { return v->is_number(); });
}

Status SetReal(const CallSite& site, Arguments args, double result, Value* out) {
  bool finite = std::all_of(args.begin(), args.end(),
                            [](const Value* v) { return std::isfinite(v->AsReal()); });
  if (finite && std::isnan(result)) {
    return ProgramError("RANGE", fmt::format("{} is not a number", PrintCall(site, args)));
  }
  if (finite && std::isinf(result)) {
    return ProgramError("OVERFLOW", fmt::format("{} is not finite", PrintCall(site, args)));
  }
  *out = Value::Float64(result);
  return OkStatus();
}

using OneReal = double (*)(double);
struct RealFunction {
  Function function;
  OneReal compute;
};

constexpr std::array<RealFunction, 24> kRealFunctions = {{
    {Function::kSqrt, [](double x) { return std::sqrt(x); }},
    {Function::kExp, [](double x) { return std::exp(x); }},
    {Function::kLn, [](double x) { return std::log(x); }},
    {Function::kLog10, [](double x) { return std::log10(x); }},
    {Function::kCeil, [](double x) { return std::ceil(x); }},
    {Function::kFloor, [](double x) { return std::floor(x); }},
    {Function::kSin, [](double x) { return std::sin(x); }},
    {Function::kCos, [](double x) { return std::cos(x); }},
    {Function::kTan, [](double x) { return std::tan(x); }},
    {Function::kCot, [](double x) { return 1 / std::tan(x); }},
    {Function::kSec, [](double x) { return 1 / std::cos(x); }},
    {Function::kCsc, [](double x) { return 1 / std::sin(x); }},
    {Function::kAsin, [](double x) { return std::asin(x); }},
    {Function::kAcos, [](double x) { return std::acos(x); }},
    {Function::kAtan, [](double x) { return std::atan(x); }},
    {Function::kSinh, [](double x) { return std::sinh(x); }},
    {Function::kCosh, [](double x) { return std::cosh(x); }},
    {Function::kTanh, [](double x) { return std::tanh(x); }},
    {Function::kCoth, [](double x) { return 1 / std::tanh(x); }},
    {Function::kSech, [](double x) { return 1 / std::cosh(x); }},
    {Function::kCsch, [](double x) { return 1 / std::sinh(x); }},
    {Function::kAsinh, [](double x) { return std::asinh(x); }},
    {Function::kAcosh, [](double x) { return std::acosh(x); }},
    {Function::kAtanh, [](double x) { return std::atanh(x); }},
}};

OneReal FindReal(Function function) {
  for (const RealFunction& each : kRealFunctions) {
    if (each.function == function) return each.compute;
  }
  return nullptr;
}

Status OfOneReal(CallSite* site, Arguments args, Value* out) {
  if (!AllNumbers(args)) return TypeError(*site, args);
  return SetReal(*site, args, FindReal(site->function)(args[0]->AsReal()), out);
}

Status OfTwoReals(CallSite* site, Arguments args, Value* out) {
  if (!AllNumbers(args)) return TypeError(*site, args);
  const double x = args[0]->AsReal();
  const double y = args.size() == 2 ? args[1]->AsReal() : 0;
  switch (site->function) {
    case Function::kPower:
      return SetReal(*site, args, std::pow(x, y), out);
    case Function::kAtan2:
      return SetReal(*site, args, std::atan2(x, y), out);
    case Function::kIeeeDivide:
      *out = Value::Float64(x / y);
      return OkStatus();
    default:  // kLog
      if (args.size() == 1) return SetReal(*site, args, std::log(x), out);
      // Without this test LOG(8, 0) would be 0.
      if (y == 0) return ProgramError("RANGE", PrintCall(*site, args) + ": the base is 0");
      return SetReal(*site, args, std::log(x) / std::log(y), out);
  }
}

Status Trunc(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_number() || (args.size() == 2 && args[1]->type() != kInt64)) {
    return TypeError(*site, args);
  }
  const double x = args[0]->AsReal();
  const int64_t digits = args.size() == 2 ? args[1]->integer() : 0;
  // Beyond 308 the power of ten is not a finite double. More than 308 digits after the point change
  // nothing, and more than 308 zeros before the point leave 0.
  if (digits > 308 || digits < -308) {
    *out = Value::Float64(digits > 0 ? x : std::copysign(0.0, x));
    return OkStatus();
  }
  const double scale = std::pow(10.0, static_cast<double>(digits));
  const double scaled = x * scale;
  *out = Value::Float64(std::isfinite(scaled) ? std::trunc(scaled) / scale : x);
  return OkStatus();
}

Status Sign(CallSite* site, Arguments args, Value* out) {
  if (!AllNumbers(args)) return TypeError(*site, args);
  const double x = args[0]->AsReal();
  const int sign = x > 0 ? 1 : (x < 0 ? -1 : 0);
  // The sign of NaN is NaN.
  *out = args[0]->type() == kInt64 ? Value::Int64(sign)
                                   : Value::Float64(std::isnan(x) ? x : static_cast<double>(sign));
  return OkStatus();
}

Status IsSpecial(CallSite* site, Arguments args, Value* out) {
  if (!AllNumbers(args)) return TypeError(*site, args);
  const double x = args[0]->AsReal();
  *out = Value::Bool(site->function == Function::kIsNan ? std::isnan(x) : std::isinf(x));
  return OkStatus();
}

// Computes a number in [0, 1) from the seed, the row key and the number of earlier evaluations of
// this call, so that a query with the same seed gives the same numbers again.
Status Random(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kInt64) return TypeError(*site, args);
  std::string bytes = args.size() == 2 ? args[1]->bytes() : "";
  PutFixed64(&bytes, static_cast<uint64_t>(args[0]->integer()));
  PutFixed64(&bytes, site->evaluations++);
  constexpr int kDigits = 53;  // bits of precision of a double
  *out = Value::Float64(std::ldexp(static_cast<double>(Hash(bytes) >> (64 - kDigits)), -kDigits));
  return OkStatus();
}

}  // namespace

ScalarEntry FindRealFunction(Function function) {
  if (FindReal(function) != nullptr) return {OfOneReal};
  switch (function) {
    case Function::kPower:
    case Function::kAtan2:
    case Function::kIeeeDivide:
    case Function::kLog:
      return {OfTwoReals};
    case Function::kTrunc:
      return {Trunc};
    case Function::kSign:
      return {Sign};
    case Function::kIsNan:
    case Function::kIsInf:
      return {IsSpecial};
    case Function::kRandom:
      return {Random, false};
    default:
      return {};
  }
}

}  // namespace sippar::engine
