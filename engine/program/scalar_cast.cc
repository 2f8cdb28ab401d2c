// CAST and TRY_CAST, and FindScalar. INT64 and FLOAT64 are read from 8 big-endian bytes (the form
// of counters in the Bigtable API) or from decimal TEXT, INT64 also from hexadecimal TEXT.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "engine/base/utf8.h"
#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status DecodeError(const Value& value, ValueType type) {
  // The most bytes of the value that the message shows, because a cell may have 100 MiB.
  constexpr size_t kShown = 16;
  const std::string& bytes = value.bytes();
  std::string shown = PrintEscaped(std::string_view(bytes).substr(0, kShown));
  if (bytes.size() > kShown) shown += "…";
  std::string message =
      value.type() == kBytes
          ? fmt::format("{} bytes are not a{} {} ('{}')", bytes.size(), type == kInt64 ? "n" : "",
                        TypeName(type), shown)
          : fmt::format("'{}' is not a{} {}", shown, type == kInt64 ? "n" : "", TypeName(type));
  return ProgramError("DECODE", message, "TRY_CAST(x AS type) gives NULL instead");
}

Status NoConversion(const Value& value, ValueType type) {
  const bool is_date = value.type() == kDate && type == kInt64;
  return ProgramError(
      "TYPE", fmt::format("{} cannot be converted to {}", TypeName(value.type()), TypeName(type)),
      is_date ? "UNIX_DATE(date) counts days, UNIX_MICROS(date) microseconds" : "");
}

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Reads decimal digits, or hexadecimal ones after 0x.
bool ParseInteger(std::string_view text, int64_t* number) {
  text = WithoutBlanks(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  // std::from_chars accepts no sign for an unsigned number, so "+-5" is refused.
  uint64_t size = 0;
  const char* text_end = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), text_end, size, is_hex ? 16 : 10);
  if (error != std::errc() || end != text_end) return false;
  constexpr uint64_t kLowest = uint64_t{1} << 63;  // the magnitude of the lowest INT64
  if (size > kLowest - (is_negative ? 0 : 1)) return false;
  *number = static_cast<int64_t>(is_negative ? 0 - size : size);
  return true;
}

bool ParseReal(std::string_view text, double* number) {
  text = WithoutBlanks(text);
  // std::from_chars accepts a minus sign but no plus sign, so "+-5" must be refused here.
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const char* text_end = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), text_end, *number);
  if (end != text_end) return false;
  // A number that is too large is infinite, one that is too small is 0. std::from_chars gives
  // neither of them, std::strtod does.
  const bool out_of_range = error == std::errc::result_out_of_range;
  if (out_of_range) *number = std::strtod(std::string(text).c_str(), nullptr);
  return out_of_range || error == std::errc();
}

Status ToInt64(const Value& value, int64_t* out) {
  switch (value.type()) {
    case kBool:
    case kInt64:
    case kTimestamp:
    case kDuration:
      *out = value.integer();
      return OkStatus();
    case kFloat64: {
      // Rounds to the closest whole number, halves away from zero, as GoogleSQL's CAST does.
      double rounded = std::round(value.real());
      // Written so that NaN fails too. A double holds the bound 2^63 exactly, but not INT64_MAX.
      if (!(rounded >= -9223372036854775808.0 && rounded < 9223372036854775808.0)) {
        return ProgramError("OVERFLOW", fmt::format("{} does not fit into INT64", value.Print()));
      }
      *out = static_cast<int64_t>(rounded);
      return OkStatus();
    }
    case kBytes:
      if (value.bytes().size() != 8) return DecodeError(value, kInt64);
      *out = static_cast<int64_t>(GetBig64(value.bytes().data()));
      return OkStatus();
    case kText:
      return ParseInteger(value.bytes(), out) ? OkStatus() : DecodeError(value, kInt64);
    default:
      return NoConversion(value, kInt64);
  }
}

Status ToFloat64(const Value& value, Value* out) {
  double number = 0;
  switch (value.type()) {
    case kInt64:
    case kFloat64:
      number = value.AsReal();
      break;
    case kBytes:
      if (value.bytes().size() != 8) return DecodeError(value, kFloat64);
      number = std::bit_cast<double>(GetBig64(value.bytes().data()));
      break;
    case kText:
      if (!ParseReal(value.bytes(), &number)) return DecodeError(value, kFloat64);
      break;
    default:
      return NoConversion(value, kFloat64);
  }
  *out = Value::Float64(number);
  return OkStatus();
}

Status ToBytes(const Value& value, Value* out) {
  std::string bytes;
  switch (value.type()) {
    case kBytes:
    case kText:
      bytes = value.bytes();
      break;
    case kInt64:
      PutBig64(&bytes, static_cast<uint64_t>(value.integer()));
      break;
    case kFloat64:
      PutBig64(&bytes, std::bit_cast<uint64_t>(value.real()));
      break;
    default:
      return NoConversion(value, kBytes);
  }
  *out = Value::Bytes(std::move(bytes));
  return OkStatus();
}

// As PrintFloat, but zero and NaN have no sign.
std::string TextOfReal(double real) {
  if (real == 0) return "0";
  return std::isnan(real) ? "nan" : PrintFloat(real);
}

Status ToText(const Value& value, Value* out) {
  if (value.type() == kBytes && !IsUtf8(value.bytes())) return DecodeError(value, kText);
  if (value.is_string()) {
    out->AssignBytes(kText, value.bytes());
  } else if (value.type() == kBool) {
    out->AssignBytes(kText, value.is_true() ? "true" : "false");
  } else if (value.type() == kFloat64) {
    *out = Value::Text(TextOfReal(value.real()));
  } else {
    *out = Value::Text(value.Print());
  }
  return OkStatus();
}

Status ToBool(const Value& value, Value* out) {
  if (value.type() == kInt64) {
    *out = Value::Bool(value.integer() != 0);
    return OkStatus();
  }
  if (!value.is_string()) return NoConversion(value, kBool);
  std::string word = value.bytes();
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (word != "true" && word != "false") return DecodeError(value, kBool);
  *out = Value::Bool(word == "true");
  return OkStatus();
}

Status ToTimestamp(const Value& value, Value* out) {
  int64_t micros = value.integer();
  if (value.is_string()) {
    if (!ParseTimestamp(WithoutBlanks(value.bytes()), &micros)) {
      return DecodeError(value, kTimestamp);
    }
  } else if (value.type() == kDate) {
    micros = MicrosOf(value);
  } else if (value.type() != kInt64) {
    return NoConversion(value, kTimestamp);
  }
  *out = Value::Timestamp(micros);
  return OkStatus();
}

Status ToDate(const Value& value, Value* out) {
  int64_t micros = value.integer();
  if (value.is_string()) {
    if (!ParseTimestamp(WithoutBlanks(value.bytes()), &micros)) return DecodeError(value, kDate);
  } else if (value.type() != kTimestamp && value.type() != kInt64) {
    return NoConversion(value, kDate);
  }
  if (!IsInYears(micros)) {
    return ProgramError("OVERFLOW", fmt::format("{} is not in the years 1 to 9999", value.Print()));
  }
  *out = Value::Date(FloorDiv(micros, kMicrosPerDay));
  return OkStatus();
}

Status Cast(CallSite* site, Arguments args, Value* out) {
  Status status = ConvertValue(*args[0], site->cast_type, out);
  // Returns NULL whether the value or its type does not fit: TRY_CAST promises NULL where a cast
  // fails (query/LANGUAGE.md, "Types"), and the type of a value may be known only when it is read.
  if (!status.ok() && site->function == Function::kTryCast) {
    *out = Value::Null();
    return OkStatus();
  }
  return status;
}

// CAST and TRY_CAST to ARRAY<type>, item by item.
Status CastItems(CallSite* site, Arguments args, Value* out) {
  const bool is_try = site->function == Function::kTryCastItems;
  *out = Value::Null();
  if (args[0]->type() != kArray) {
    return is_try ? OkStatus() : TypeError(*site, args, "only an ARRAY becomes an ARRAY<type>");
  }
  Value::Items items(args[0]->item_count());
  size_t bytes = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    Status status = ConvertValue(args[0]->items()[i], site->cast_type, &items[i]);
    // One item that does not fit makes the whole result NULL, as in GoogleSQL.
    if (!status.ok()) return is_try ? OkStatus() : status;
    bytes += items[i].bytes().size();
    RETURN_IF_ERROR(CheckArraySize(i + 1, bytes));
  }
  *out = Value::Array(std::move(items));
  return OkStatus();
}

}  // namespace

Status ConvertValue(const Value& value, ValueType type, Value* out) {
  if (value.type() == type || value.is_null()) {
    *out = Value(value);
    return OkStatus();
  }
  switch (type) {
    case kInt64:
    case kDuration: {
      // Only an INT64 of microseconds becomes a DURATION; ToInt64 would also take text and times.
      if (type == kDuration && value.type() != kInt64) return NoConversion(value, type);
      int64_t number = 0;
      RETURN_IF_ERROR(ToInt64(value, &number));
      out->AssignInteger(type, number);
      return OkStatus();
    }
    case kFloat64:
      return ToFloat64(value, out);
    case kBytes:
      return ToBytes(value, out);
    case kText:
      return ToText(value, out);
    case kBool:
      return ToBool(value, out);
    case kTimestamp:
      return ToTimestamp(value, out);
    case kDate:
      return ToDate(value, out);
    default:
      return NoConversion(value, type);
  }
}

Status TypeError(const CallSite& site, Arguments args, std::string_view hint) {
  std::string types;
  for (const Value* arg : args) {
    types += fmt::format("{}{}", types.empty() ? "" : ", ", TypeName(arg->type()));
  }
  return ProgramError(
      "TYPE", fmt::format("{} does not take ({})", FindFunction(site.function)->name, types), hint);
}

ScalarEntry FindCastFunction(Function function) {
  switch (function) {
    case Function::kCast:
    case Function::kTryCast:
      return {Cast};
    case Function::kCastItems:
    case Function::kTryCastItems:
      return {CastItems};
    default:
      return {};
  }
}

// Build in evaluate.cc runs this search once for each function call in a program, before the first
// row, and not for each row.
ScalarEntry FindScalar(Function function) {
  for (auto find :
       {FindNumberFunction,   FindTextFunction,  FindMatchFunction,     FindBytesFunction,
        FindJsonFunction,     FindTimeFunction,  FindCastFunction,      FindItemFunction,
        FindRealFunction,     FindBitFunction,   FindHashFunction,      FindFormatFunction,
        FindPadFunction,      FindPlaceFunction, FindCodePointFunction, FindUnicodeFunction,
        FindCalendarFunction, FindDateFunction,  FindArrayFunction,     FindArrayPartFunction,
        FindVectorFunction}) {
    ScalarEntry entry = find(function);
    if (entry.run != nullptr) return entry;
  }
  return {};
}

}  // namespace sippar::engine
