// Vectors: ARRAYs of numbers, their distances, and their form in cells (big-endian).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engine/base/coding.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;
using Items = Value::Items;

Status BadVector(const CallSite& site, const std::string& problem) {
  return ProgramError("RANGE", fmt::format("{}: {}", FindFunction(site.function)->name, problem));
}

Status CheckVectors(const CallSite& site, Arguments args) {
  for (const Value* arg : args) {
    if (arg->type() != kArray) return TypeError(site, args, "a vector is an ARRAY of numbers");
    for (const Value& item : arg->items()) {
      if (item.is_null()) return BadVector(site, "an item of a vector is NULL");
      if (!item.is_number()) return TypeError(site, args, "a vector is an ARRAY of numbers");
    }
  }
  const size_t a = args[0]->items().size();
  const size_t b = args[1]->items().size();
  if (a == b) return OkStatus();
  return BadVector(
      site, fmt::format("the vectors have {} and {} items; they must be equally long", a, b));
}

Status CosineDistance(CallSite* site, Arguments args, Value* out) {
  RETURN_IF_ERROR(CheckVectors(*site, args));
  const Items& a = args[0]->items();
  const Items& b = args[1]->items();
  double product = 0, square_a = 0, square_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += a[i].AsReal() * b[i].AsReal();
    square_a += a[i].AsReal() * a[i].AsReal();
    square_b += b[i].AsReal() * b[i].AsReal();
  }
  if (square_a == 0 || square_b == 0) return BadVector(*site, "a vector of zeros has no direction");
  *out = Value::Float64(1 - product / (std::sqrt(square_a) * std::sqrt(square_b)));
  return OkStatus();
}

Status EuclideanDistance(CallSite* site, Arguments args, Value* out) {
  RETURN_IF_ERROR(CheckVectors(*site, args));
  double sum = 0;
  for (size_t i = 0; i < args[0]->items().size(); ++i) {
    const double difference = args[0]->items()[i].AsReal() - args[1]->items()[i].AsReal();
    sum += difference * difference;
  }
  *out = Value::Float64(std::sqrt(sum));
  return OkStatus();
}

Status DotProduct(CallSite* site, Arguments args, Value* out) {
  RETURN_IF_ERROR(CheckVectors(*site, args));
  double sum = 0;
  for (size_t i = 0; i < args[0]->items().size(); ++i) {
    sum += args[0]->items()[i].AsReal() * args[1]->items()[i].AsReal();
  }
  *out = Value::Float64(sum);
  return OkStatus();
}

double RealAt(const char* bytes, size_t width) {
  if (width == 8) return std::bit_cast<double>(GetBig64(bytes));
  uint32_t bits = 0;
  for (size_t i = 0; i < width; ++i) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<double>(std::bit_cast<float>(bits));
}

Status ToVector(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kBytes) return TypeError(*site, args);
  const size_t width = site->function == Function::kToVector32 ? 4 : 8;
  const std::string& bytes = args[0]->bytes();
  if (bytes.size() % width != 0) {
    return ProgramError("DECODE",
                        fmt::format("{}: {} bytes are not a multiple of {}",
                                    FindFunction(site->function)->name, bytes.size(), width));
  }
  RETURN_IF_ERROR(CheckArraySize(bytes.size() / width, 0));
  Items items;
  for (size_t at = 0; at < bytes.size(); at += width) {
    items.push_back(Value::Float64(RealAt(bytes.data() + at, width)));
  }
  *out = Value::Array(std::move(items));
  return OkStatus();
}

Status ToFloat32(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kBytes) return TypeError(*site, args);
  const std::string& bytes = args[0]->bytes();
  if (bytes.size() != 4) {
    return ProgramError(
        "DECODE", fmt::format("TO_FLOAT32: the value has {} bytes; a float has 4", bytes.size()));
  }
  *out = Value::Float64(RealAt(bytes.data(), 4));
  return OkStatus();
}

}  // namespace

ScalarEntry FindVectorFunction(Function function) {
  switch (function) {
    case Function::kCosineDistance:
      return {CosineDistance};
    case Function::kEuclideanDistance:
      return {EuclideanDistance};
    case Function::kDotProduct:
      return {DotProduct};
    case Function::kToVector32:
    case Function::kToVector64:
      return {ToVector};
    case Function::kToFloat32:
      return {ToFloat32};
    default:
      return {};
  }
}

}  // namespace sippar::engine
