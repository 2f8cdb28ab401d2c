// Functions on TEXT and BYTES. Positions count from 1, in characters of TEXT and bytes of BYTES.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "engine/base/limits.h"
#include "engine/base/utf8.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

// The rest of `text` after its first `count` characters (bytes if !by_character); "" if `text` is
// not longer.
std::string_view After(std::string_view text, int64_t count, bool by_character) {
  if (!by_character) return text.substr(std::min(static_cast<size_t>(count), text.size()));
  for (; count > 0 && !text.empty(); --count) {
    const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
    text.remove_prefix(is_ascii ? 1 : CharacterSize(text));
  }
  return text;
}

Status Length(CallSite* site, Arguments args, Value* out) {
  const Value& text = *args[0];
  if (text.is_number()) {  // a counter, which is stored in 8 bytes
    *out = Value::Int64(8);
    return OkStatus();
  }
  if (!text.is_string()) {
    return TypeError(*site, args, "CARDINALITY(x) counts the entries of a MAP or ARRAY");
  }
  int64_t length = CountUnits(text.type(), text.bytes());
  *out = Value::Int64(length);
  return OkStatus();
}

Status Substr(CallSite* site, Arguments args, Value* out) {
  const Value& text = *args[0];
  bool fine = text.is_string() && args[1]->type() == kInt64 &&
              (args.size() == 2 || args[2]->type() == kInt64);
  if (!fine) return TypeError(*site, args);
  const bool by_character = text.type() == kText;
  std::string_view rest = text.bytes();
  int64_t from = args[1]->integer();
  if (from < 0) {
    int64_t size = CountUnits(text.type(), rest);
    // The inner maximum keeps the sum from overflowing. A start before the text means its first
    // character.
    from = std::max<int64_t>(size + std::max(from, -size - 1) + 1, 1);
  }
  if (args.size() == 3 && args[2]->integer() < 0) {
    return ProgramError("RANGE",
                        fmt::format("SUBSTR: the length {} is negative", args[2]->integer()));
  }
  // Counts characters only up to the end of the wanted part, not up to the end of the text.
  rest = After(rest, std::max<int64_t>(from, 1) - 1, by_character);
  if (args.size() == 3) {
    rest.remove_suffix(After(rest, args[2]->integer(), by_character).size());
  }
  out->AssignBytes(text.type(), rest);
  return OkStatus();
}

// Joins ARRAYs to one ARRAY. Joins other arguments to BYTES if one of them is BYTES, else to TEXT.
Status Concat(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() == kArray) return JoinArrays(*site, args, out);
  std::string joined;
  ValueType type = kText;
  for (const Value* arg : args) {
    if (arg->is_string()) {
      joined += arg->bytes();
      if (arg->type() == kBytes) type = kBytes;
    } else if (arg->type() < kArray || arg->type() == kDate) {
      joined += arg->Print();
    } else {
      return TypeError(*site, args);
    }
    RETURN_IF_ERROR(CheckTextSize(joined.size()));
  }
  out->AssignBytes(type, joined);
  return OkStatus();
}

Status Replace(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const std::string& text = args[0]->bytes();
  const std::string& from = args[1]->bytes();
  std::string result;
  size_t at = 0;
  // An empty part would be found at every place.
  while (!from.empty()) {
    size_t found = FindPart(text, from, at);
    if (found == std::string::npos) break;
    result.append(text, at, found - at).append(args[2]->bytes());
    RETURN_IF_ERROR(CheckTextSize(result.size()));
    at = found + from.size();
  }
  result.append(text, at);
  out->AssignBytes(args[0]->type(), result);
  return OkStatus();
}

// True for a character that has Unicode's property White_Space; false for bytes that are not UTF-8.
bool IsBlank(std::string_view character) {
  constexpr std::u32string_view kBlanks =
      U"\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
      U"\u200a\u2028\u2029\u202f\u205f\u3000";
  return kBlanks.find(static_cast<char32_t>(FirstCharacter(character).code)) != kBlanks.npos;
}

// The last character of TEXT or byte of BYTES. Requires: `text` is not empty.
std::string_view LastUnit(ValueType type, std::string_view text) {
  constexpr size_t kCharacterMax = 4;  // bytes of a character
  for (size_t size = kCharacterMax; type == kText && size > 1; --size) {
    if (size > text.size()) continue;
    const std::string_view end = text.substr(text.size() - size);
    if (CharacterSize(end) == size) return end;
  }
  return text.substr(text.size() - 1);
}

// TRIM, LTRIM and RTRIM. They remove the characters of the second argument, or blanks. BYTES have
// no characters but bytes.
Status Trim(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const ValueType type = args[0]->type();
  std::unordered_set<std::string_view> unwanted;
  if (args.size() == 2) {
    RETURN_IF_ERROR(site->budget->Spend(args[1]->bytes().size()));
    for (std::string_view rest = args[1]->bytes(); !rest.empty();) {
      unwanted.insert(TakeUnit(type, &rest));
    }
  }
  auto is_unwanted = [&](std::string_view unit) {
    return args.size() == 2 ? unwanted.contains(unit) : IsBlank(unit);
  };
  std::string_view text = args[0]->bytes();
  while (site->function != Function::kTrimRight && !text.empty()) {
    std::string_view rest = text;
    if (!is_unwanted(TakeUnit(type, &rest))) break;
    text = rest;
  }
  while (site->function != Function::kTrimLeft && !text.empty()) {
    const std::string_view unit = LastUnit(type, text);
    if (!is_unwanted(unit)) break;
    text.remove_suffix(unit.size());
  }
  out->AssignBytes(type, std::string(text));
  return OkStatus();
}

Status SplitPart(CallSite* site, Arguments args, Value* out) {
  bool fine = args[0]->is_string() && args[1]->is_string() && args[2]->type() == kInt64;
  if (!fine) return TypeError(*site, args);
  const std::string& text = args[0]->bytes();
  const std::string& separator = args[1]->bytes();
  int64_t n = args[2]->integer();
  if (separator.empty() || n == 0) {
    return ProgramError("RANGE", "SPLIT_PART needs a separator and a number other than 0");
  }
  std::vector<std::string_view> parts;
  size_t at = 0;
  for (size_t found; (found = FindPart(text, separator, at)) != std::string::npos;) {
    parts.push_back(std::string_view(text).substr(at, found - at));
    at = found + separator.size();
  }
  parts.push_back(std::string_view(text).substr(at));
  int64_t count = static_cast<int64_t>(parts.size());
  int64_t index = n > 0 ? n - 1 : count + n;
  bool inside = index >= 0 && index < count;
  out->AssignBytes(args[0]->type(), std::string(inside ? parts[static_cast<size_t>(index)] : ""));
  return OkStatus();
}

Status StartsOrEnds(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const std::string& text = args[0]->bytes();
  const std::string& part = args[1]->bytes();
  *out = Value::Bool(site->function == Function::kStartsWith ? text.starts_with(part)
                                                             : text.ends_with(part));
  return OkStatus();
}

Status StrPos(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  size_t found = FindPart(args[0]->bytes(), args[1]->bytes());
  int64_t position = 0;
  if (found != std::string::npos) {
    std::string_view before = std::string_view(args[0]->bytes()).substr(0, found);
    position = 1 + CountUnits(args[0]->type(), before);
  }
  *out = Value::Int64(position);
  return OkStatus();
}

Status Reverse(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const std::string& text = args[0]->bytes();
  std::string reversed;
  if (args[0]->type() == kBytes) {
    reversed.assign(text.rbegin(), text.rend());
  } else {
    std::vector<size_t> starts = CharacterStarts(text);
    for (size_t i = starts.size() - 1; i > 0; --i) {
      reversed.append(text, starts[i - 1], starts[i] - starts[i - 1]);
    }
  }
  out->AssignBytes(args[0]->type(), reversed);
  return OkStatus();
}

}  // namespace

Status CheckTextSize(size_t size) {
  if (size <= limits::kValueSizeMax) return OkStatus();
  return ProgramError("TOO_LARGE",
                      fmt::format("the result has more than {} MiB", limits::kValueSizeMax >> 20),
                      "", StatusCode::kResourceExhausted);
}

Status CheckArraySize(size_t items, size_t bytes) {
  // The product cannot overflow: both factors are far below the square root of the largest size_t.
  return CheckTextSize(items * sizeof(Value) + bytes);
}

bool AllStrings(Arguments args) {
  return std::all_of(args.begin(), args.end(), [](const Value* v) { return v->is_string(); });
}

// Uses memmem, whose cost is linear: std::string::find takes very long to find 'aaa…b' in a long
// 'aaa…'.
size_t FindPart(std::string_view text, std::string_view part, size_t at) {
  const void* found = memmem(text.data() + at, text.size() - at, part.data(), part.size());
  if (found == nullptr) return text.npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

std::vector<size_t> CharacterStarts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size(); at += CharacterSize(text.substr(at))) starts.push_back(at);
  starts.push_back(text.size());
  return starts;
}

int64_t CountUnits(ValueType type, std::string_view text) {
  if (type == kBytes) return static_cast<int64_t>(text.size());
  int64_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(CharacterSize(text));
  return count;
}

size_t BytesOfUnits(ValueType type, std::string_view text, int64_t count) {
  const auto size = static_cast<int64_t>(text.size());
  if (type == kBytes) return static_cast<size_t>(std::clamp<int64_t>(count, 0, size));
  size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += CharacterSize(text.substr(at));
  return at;
}

std::string_view TakeUnit(ValueType type, std::string_view* text) {
  const size_t size = type == kBytes ? 1 : CharacterSize(*text);
  std::string_view unit = text->substr(0, size);
  text->remove_prefix(size);
  return unit;
}

size_t CharacterSize(std::string_view text) {
  unsigned char first = static_cast<unsigned char>(text[0]);
  size_t size = first < 0xc0 ? 1 : (first < 0xe0 ? 2 : (first < 0xf0 ? 3 : 4));
  if (first >= 0xf8 || size > text.size()) return 1;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  }
  return size;
}

ScalarEntry FindTextFunction(Function function) {
  using enum Function;
  switch (function) {
    case kLength:
      return {Length};
    case kSubstr:
      return {Substr};
    case kConcat:
      return {Concat};
    case kReplace:
      return {Replace};
    case kTrim:
    case kTrimLeft:
    case kTrimRight:
      return {Trim};
    case kSplitPart:
      return {SplitPart};
    case kStartsWith:
    case kEndsWith:
      return {StartsOrEnds};
    case kStrPos:
      return {StrPos};
    case Function::kReverse:
      return {Reverse};
    default:
      return {};
  }
}

}  // namespace sippar::engine
