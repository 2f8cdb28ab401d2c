// Characters as numbers, BYTES that may not be UTF-8 as TEXT, and base32.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr uint32_t kReplacement = 0xfffd;

bool IsCodePoint(int64_t code) {
  return code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

Status FirstCode(CallSite* site, Arguments args, Value* out) {
  const Value& text = *args[0];
  const bool ascii = site->function == Function::kAscii;
  if (!text.is_string() || (text.type() == kBytes && !ascii)) return TypeError(*site, args);
  if (text.bytes().empty() || text.type() == kBytes) {
    const std::string& bytes = text.bytes();
    *out = Value::Int64(bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]));
    return OkStatus();
  }
  const Utf8Character first = FirstCharacter(text.bytes());
  if (first.size == 0) return NotUtf8(*site);
  if (ascii && first.code > 127) {
    return ProgramError("RANGE",
                        fmt::format("ASCII: the first character has code {}; the limit "
                                    "is 127",
                                    first.code),
                        "UNICODE(x) gives the code of every character");
  }
  *out = Value::Int64(first.code);
  return OkStatus();
}

Status Chr(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kInt64) return TypeError(*site, args);
  const int64_t code = args[0]->integer();
  if (!IsCodePoint(code)) {
    return ProgramError("RANGE", fmt::format("CHR: {} is not a code point", code));
  }
  std::string text;
  if (code != 0) AppendCharacter(static_cast<uint32_t>(code), &text);
  *out = Value::Text(std::move(text));
  return OkStatus();
}

Status ToCodePoints(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string_view text = args[0]->bytes();
  RETURN_IF_ERROR(CheckArraySize(static_cast<size_t>(CountUnits(args[0]->type(), text)), 0));
  Value::Items codes;
  while (!text.empty()) {
    Utf8Character first{static_cast<unsigned char>(text[0]), 1};
    if (args[0]->type() == kText) first = FirstCharacter(text);
    if (first.size == 0) return NotUtf8(*site);
    codes.push_back(Value::Int64(first.code));
    text.remove_prefix(first.size);
  }
  *out = Value::Array(std::move(codes));
  return OkStatus();
}

// CODE_POINTS_TO_STRING and CODE_POINTS_TO_BYTES. NULL if any item is NULL.
Status FromCodePoints(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray) return TypeError(*site, args);
  const bool to_text = site->function == Function::kCodePointsToText;
  std::string text;
  *out = Value::Null();
  for (const Value& item : args[0]->items()) {
    if (item.is_null()) return OkStatus();
    if (item.type() != kInt64) return TypeError(*site, args, "the items are INT64");
    const int64_t code = item.integer();
    const bool fine = to_text ? IsCodePoint(code) : code >= 0 && code <= 255;
    if (!fine) {
      return ProgramError(
          "RANGE", fmt::format("{}: {} is not a {}", FindFunction(site->function)->name, code,
                               to_text ? "code point" : "byte (0 to 255)"));
    }
    if (to_text) {
      AppendCharacter(static_cast<uint32_t>(code), &text);
    } else {
      text.push_back(static_cast<char>(code));
    }
  }
  out->AssignBytes(to_text ? kText : kBytes, text);
  return OkStatus();
}

Status SafeBytesToText(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string text;
  for (std::string_view bytes = args[0]->bytes(); !bytes.empty();) {
    const Utf8Character first = FirstCharacter(bytes);
    AppendCharacter(first.size == 0 ? kReplacement : first.code, &text);
    bytes.remove_prefix(std::max<size_t>(first.size, 1));
  }
  RETURN_IF_ERROR(CheckTextSize(text.size()));
  *out = Value::Text(std::move(text));
  return OkStatus();
}

// Writes eight digits for every five bytes and fills up the last eight with '='.
Status ToBase32(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string text;
  uint32_t rest = 0;
  int bits = 0;
  auto put = [&](uint32_t digit) { text.push_back(kBase32[digit & 31]); };
  for (char c : args[0]->bytes()) {
    rest = (rest << 8 | static_cast<unsigned char>(c)) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) put(rest >> (bits - 5));
  }
  if (bits > 0) put(rest << (5 - bits));
  while (text.size() % 8 != 0) text.push_back('=');
  RETURN_IF_ERROR(CheckTextSize(text.size()));
  *out = Value::Text(std::move(text));
  return OkStatus();
}

Status FromBase32(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string_view text = args[0]->bytes();
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  uint32_t rest = 0;
  int bits = 0;
  for (char c : text) {
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const size_t digit = kBase32.find(upper);
    if (digit == kBase32.npos) {
      return ProgramError("DECODE", fmt::format("{:.40} is not base32", args[0]->Print()));
    }
    rest = (rest << 5 | static_cast<uint32_t>(digit)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(rest >> bits & 0xff));
  }
  *out = Value::Bytes(std::move(bytes));
  return OkStatus();
}

}  // namespace

Status NotUtf8(const CallSite& site) {
  return ProgramError("DECODE",
                      fmt::format("{}: the TEXT is not UTF-8", FindFunction(site.function)->name),
                      "SAFE_CONVERT_BYTES_TO_STRING(BYTES(x)) replaces what is not UTF-8");
}

ScalarEntry FindCodePointFunction(Function function) {
  switch (function) {
    case Function::kAscii:
    case Function::kUnicode:
      return {FirstCode};
    case Function::kChr:
      return {Chr};
    case Function::kToCodePoints:
      return {ToCodePoints};
    case Function::kCodePointsToText:
    case Function::kCodePointsToBytes:
      return {FromCodePoints};
    case Function::kSafeBytesToText:
      return {SafeBytesToText};
    case Function::kToBase32:
      return {ToBase32};
    case Function::kFromBase32:
      return {FromBase32};
    default:
      return {};
  }
}

}  // namespace sippar::engine
