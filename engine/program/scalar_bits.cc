// Functions on the bits of INT64 and BYTES. The first bit of BYTES is the highest bit of the first
// byte.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

uint64_t Combine(Function function, uint64_t a, uint64_t b) {
  switch (function) {
    case Function::kBitAnd:
      return a & b;
    case Function::kBitOr:
      return a | b;
    default:
      return a ^ b;
  }
}

Status CombineBits(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  const Value& b = *args[1];
  if (a.type() == kInt64 && b.type() == kInt64) {
    *out = Value::Int64(static_cast<int64_t>(Combine(
        site->function, static_cast<uint64_t>(a.integer()), static_cast<uint64_t>(b.integer()))));
    return OkStatus();
  }
  if (a.type() != kBytes || b.type() != kBytes) return TypeError(*site, args);
  if (a.bytes().size() != b.bytes().size()) {
    return ProgramError(
        "RANGE",
        fmt::format("{}: the arguments have {} and {} bytes; they must be equally long",
                    FindFunction(site->function)->name, a.bytes().size(), b.bytes().size()));
  }
  std::string bytes = a.bytes();
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(Combine(site->function, static_cast<unsigned char>(bytes[i]),
                                         static_cast<unsigned char>(b.bytes()[i])));
  }
  *out = Value::Bytes(std::move(bytes));
  return OkStatus();
}

Status InvertBits(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() == kInt64) {
    *out = Value::Int64(~args[0]->integer());
    return OkStatus();
  }
  if (args[0]->type() != kBytes) return TypeError(*site, args);
  std::string bytes = args[0]->bytes();
  for (char& c : bytes) c = static_cast<char>(~c);
  *out = Value::Bytes(std::move(bytes));
  return OkStatus();
}

// The eight bits of `bytes` that begin `bits` bits after the start of byte `at`. Bits outside
// `bytes` are 0.
char ByteAt(std::string_view bytes, int64_t at, unsigned bits) {
  auto byte = [&](int64_t i) -> unsigned {
    bool inside = i >= 0 && i < static_cast<int64_t>(bytes.size());
    return inside ? static_cast<unsigned char>(bytes[static_cast<size_t>(i)]) : 0;
  };
  return static_cast<char>((byte(at) << 8 | byte(at + 1)) << bits >> 8);
}

std::string ShiftBytes(std::string_view bytes, bool left, int64_t count) {
  const auto size = static_cast<int64_t>(bytes.size());
  count = std::min(count, size * 8);
  std::string shifted;
  for (int64_t i = 0; i < size; ++i) {
    // Byte i of the result begins with bit `from` of the argument.
    const int64_t from = i * 8 + (left ? count : -count);
    const int64_t at = from >= 0 ? from / 8 : -((7 - from) / 8);
    shifted.push_back(ByteAt(bytes, at, static_cast<unsigned>(from - at * 8)));
  }
  return shifted;
}

Status Shift(CallSite* site, Arguments args, Value* out) {
  const Value& a = *args[0];
  bool fine = (a.type() == kInt64 || a.type() == kBytes) && args[1]->type() == kInt64;
  if (!fine) return TypeError(*site, args);
  const int64_t count = args[1]->integer();
  const bool left = site->function == Function::kShiftLeft;
  if (count < 0) {
    return ProgramError("RANGE", fmt::format("{}: the count {} is negative",
                                             FindFunction(site->function)->name, count));
  }
  if (a.type() == kBytes) {
    *out = Value::Bytes(ShiftBytes(a.bytes(), left, count));
    return OkStatus();
  }
  // Both directions fill the free bits with zeros; a right shift does not repeat the sign bit.
  const auto bits = static_cast<uint64_t>(a.integer());
  const uint64_t shifted = count > 63 ? 0 : (left ? bits << count : bits >> count);
  *out = Value::Int64(static_cast<int64_t>(shifted));
  return OkStatus();
}

Status BitCount(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() == kInt64) {
    *out = Value::Int64(std::popcount(static_cast<uint64_t>(args[0]->integer())));
    return OkStatus();
  }
  if (args[0]->type() != kBytes) return TypeError(*site, args);
  int64_t count = 0;
  for (char c : args[0]->bytes()) count += std::popcount(static_cast<unsigned char>(c));
  *out = Value::Int64(count);
  return OkStatus();
}

}  // namespace

ScalarEntry FindBitFunction(Function function) {
  switch (function) {
    case Function::kBitAnd:
    case Function::kBitOr:
    case Function::kBitXor:
      return {CombineBits};
    case Function::kBitNot:
      return {InvertBits};
    case Function::kShiftLeft:
    case Function::kShiftRight:
      return {Shift};
    case Function::kBitCount:
      return {BitCount};
    default:
      return {};
  }
}

}  // namespace sippar::engine
