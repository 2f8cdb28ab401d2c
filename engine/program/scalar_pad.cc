// Functions that fill, cut and map the characters of TEXT or the bytes of BYTES.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status Negative(const CallSite& site, std::string_view what, int64_t number) {
  return ProgramError("RANGE", fmt::format("{}: the {} {} is negative",
                                           FindFunction(site.function)->name, what, number));
}

// LPAD and RPAD. A text that is longer than the length is cut at its end.
Status Pad(CallSite* site, Arguments args, Value* out) {
  bool fine = args[0]->is_string() && args[1]->type() == kInt64 &&
              (args.size() == 2 || args[2]->is_string());
  if (!fine) return TypeError(*site, args);
  const ValueType type = args[0]->type();
  const std::string& text = args[0]->bytes();
  const std::string fill = args.size() == 3 ? args[2]->bytes() : " ";
  const int64_t length = args[1]->integer();
  if (length < 0) return Negative(*site, "length", length);
  if (fill.empty()) return ProgramError("RANGE", "LPAD and RPAD need a text to fill with");
  int64_t missing = length - CountUnits(type, text);
  if (missing <= 0) {
    out->AssignBytes(type, std::string(text.substr(0, BytesOfUnits(type, text, length))));
    return OkStatus();
  }
  const int64_t units = CountUnits(type, fill);
  RETURN_IF_ERROR(CheckTextSize(static_cast<size_t>(missing)));
  RETURN_IF_ERROR(
      CheckTextSize(text.size() + static_cast<size_t>(missing / units + 1) * fill.size()));
  std::string filled;
  for (; missing >= units; missing -= units) filled += fill;
  filled.append(fill, 0, BytesOfUnits(type, fill, missing));
  out->AssignBytes(type, site->function == Function::kPadLeft ? filled + text : text + filled);
  return OkStatus();
}

Status Repeat(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || args[1]->type() != kInt64) return TypeError(*site, args);
  const std::string& text = args[0]->bytes();
  const int64_t count = args[1]->integer();
  if (count < 0) return Negative(*site, "count", count);
  size_t size = 0;
  if (__builtin_mul_overflow(text.size(), static_cast<size_t>(count), &size)) size = SIZE_MAX;
  RETURN_IF_ERROR(CheckTextSize(size));
  std::string repeated;
  repeated.reserve(size);
  while (repeated.size() < size) repeated += text;
  out->AssignBytes(args[0]->type(), repeated);
  return OkStatus();
}

Status LeftOrRight(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || args[1]->type() != kInt64) return TypeError(*site, args);
  const ValueType type = args[0]->type();
  const std::string_view text = args[0]->bytes();
  const int64_t count = args[1]->integer();
  if (count < 0) return Negative(*site, "length", count);
  std::string part;
  if (site->function == Function::kLeft) {
    part = text.substr(0, BytesOfUnits(type, text, count));
  } else {
    const int64_t skipped = std::max<int64_t>(CountUnits(type, text) - count, 0);
    part = text.substr(BytesOfUnits(type, text, skipped));
  }
  out->AssignBytes(type, part);
  return OkStatus();
}

// TRANSLATE. A character of the second argument that has no counterpart in the third argument is
// removed from the text.
Status Translate(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const ValueType type = args[0]->type();
  std::string_view from = args[1]->bytes();
  std::string_view to = args[2]->bytes();
  std::unordered_map<std::string_view, std::string_view> map;
  while (!from.empty()) {
    std::string_view unit = TakeUnit(type, &from);
    std::string_view mapped = to.empty() ? std::string_view() : TakeUnit(type, &to);
    if (map.emplace(unit, mapped).second) continue;
    return ProgramError("RANGE", fmt::format("TRANSLATE: '{}' occurs twice in the second argument",
                                             PrintEscaped(unit)));
  }
  std::string result;
  for (std::string_view text = args[0]->bytes(); !text.empty();) {
    std::string_view unit = TakeUnit(type, &text);
    auto found = map.find(unit);
    result += found == map.end() ? unit : found->second;
  }
  RETURN_IF_ERROR(CheckTextSize(result.size()));
  out->AssignBytes(type, result);
  return OkStatus();
}

// An empty separator splits the text into characters or bytes. An empty text gives one empty part.
Status Split(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const ValueType type = args[0]->type();
  const std::string separator = args.size() == 2 ? args[1]->bytes() : ",";
  std::string_view text = args[0]->bytes();
  Value::Items parts;
  auto add = [&](std::string_view part) {
    parts.push_back(type == kText ? Value::Text(std::string(part))
                                  : Value::Bytes(std::string(part)));
    return CheckArraySize(parts.size(), args[0]->bytes().size());
  };
  if (separator.empty()) {
    while (!text.empty()) RETURN_IF_ERROR(add(TakeUnit(type, &text)));
    if (parts.empty()) RETURN_IF_ERROR(add(""));
  } else {
    size_t at = 0;
    for (size_t found; (found = FindPart(text, separator, at)) != text.npos;) {
      RETURN_IF_ERROR(add(text.substr(at, found - at)));
      at = found + separator.size();
    }
    RETURN_IF_ERROR(add(text.substr(at)));
  }
  *out = Value::Array(std::move(parts));
  return OkStatus();
}

}  // namespace

ScalarEntry FindPadFunction(Function function) {
  switch (function) {
    case Function::kPadLeft:
    case Function::kPadRight:
      return {Pad};
    case Function::kRepeat:
      return {Repeat};
    case Function::kLeft:
    case Function::kRight:
      return {LeftOrRight};
    case Function::kTranslate:
      return {Translate};
    case Function::kSplit:
      return {Split};
    default:
      return {};
  }
}

}  // namespace sippar::engine
