// Functions that make an ARRAY or take items of one, and those that make a STRUCT or take a MAP
// apart. Offsets count from 0, as in GoogleSQL.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;
using Items = Value::Items;

size_t BytesOf(const Items& items) {
  size_t bytes = 0;
  for (const Value& item : items) bytes += item.MemoryBytes() - sizeof(Value);
  return bytes;
}

// Arguments: ARRAY, index, index of the first item (0 for OFFSET, 1 for ORDINAL).
Status ItemAt(CallSite* site, Arguments args, Value* out) {
  bool fine = args[0]->type() == kArray && args[1]->type() == kInt64 && args[2]->type() == kInt64;
  if (!fine) {
    return TypeError(*site, args, "x[OFFSET(0)] and x[ORDINAL(1)] take an item of an ARRAY");
  }
  const Items& items = args[0]->items();
  const int64_t first = args[2]->integer();
  const int64_t place = args[1]->integer();
  if (place < first || place - first >= static_cast<int64_t>(items.size())) {
    return ProgramError("RANGE",
                        fmt::format("{}({}) is outside of the ARRAY, which has {} items",
                                    first == 0 ? "OFFSET" : "ORDINAL", place, items.size()),
                        "SAFE_OFFSET and SAFE_ORDINAL give NULL instead");
  }
  *out = Value(items[static_cast<size_t>(place - first)]);
  return OkStatus();
}

Status FirstOrLast(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray) return TypeError(*site, args);
  const Items& items = args[0]->items();
  if (items.empty()) {
    return ProgramError("RANGE",
                        fmt::format("{}: the ARRAY is empty", FindFunction(site->function)->name),
                        "SAFE.f(x) gives NULL instead");
  }
  *out = Value(site->function == Function::kArrayFirst ? items.front() : items.back());
  return OkStatus();
}

Value Part(const Items& items, size_t begin, size_t end) {
  return Value::Array(Items(items.begin() + static_cast<std::ptrdiff_t>(begin),
                            items.begin() + static_cast<std::ptrdiff_t>(end)));
}

Status FirstOrLastN(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray || args[1]->type() != kInt64) return TypeError(*site, args);
  const Items& items = args[0]->items();
  const int64_t n = args[1]->integer();
  if (n < 0) {
    return ProgramError("RANGE", fmt::format("{}: the count {} is negative",
                                             FindFunction(site->function)->name, n));
  }
  const size_t count = std::min(items.size(), static_cast<size_t>(n));
  const bool first = site->function == Function::kArrayFirstN;
  *out = first ? Part(items, 0, count) : Part(items, items.size() - count, items.size());
  return OkStatus();
}

Status Slice(CallSite* site, Arguments args, Value* out) {
  bool fine = args[0]->type() == kArray && args[1]->type() == kInt64 && args[2]->type() == kInt64;
  if (!fine) return TypeError(*site, args);
  const Items& items = args[0]->items();
  const auto size = static_cast<int64_t>(items.size());
  // A negative offset counts from the end. A start before the first item means the first item, an
  // end after the last item means the last.
  auto offset = [size](int64_t at) { return at < 0 ? std::max(at, -size - 1) + size : at; };
  const int64_t begin = std::max<int64_t>(offset(args[1]->integer()), 0);
  const int64_t end = std::min(offset(args[2]->integer()), size - 1) + 1;
  *out = begin < end ? Part(items, static_cast<size_t>(begin), static_cast<size_t>(end))
                     : Value::Array({});
  return OkStatus();
}

Status ReverseItems(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray) return TypeError(*site, args);
  *out = Value::Array(Items(args[0]->items().rbegin(), args[0]->items().rend()));
  return OkStatus();
}

Status Concatenate(CallSite* site, Arguments args, Value* out) {
  return JoinArrays(*site, args, out);
}

Status ArrayToText(CallSite* site, Arguments args, Value* out) {
  bool fine = args[0]->type() == kArray && args[1]->is_string() &&
              (args.size() == 2 || args[2]->is_string());
  if (!fine) return TypeError(*site, args);
  std::string text;
  bool first = true;
  for (const Value& item : args[0]->items()) {
    if (item.is_null() && args.size() == 2) continue;
    if (!first) text += args[1]->bytes();
    first = false;
    const Value& shown = item.is_null() ? *args[2] : item;
    text += shown.is_string() ? shown.bytes() : shown.Print();
    RETURN_IF_ERROR(CheckTextSize(text.size()));
  }
  *out = Value::Text(std::move(text));
  return OkStatus();
}

// --- GENERATE_ARRAY ---

Status ZeroStep() { return ProgramError("RANGE", "GENERATE_ARRAY: the step is 0"); }

Status RangeOfReals(Arguments args, Value* out) {
  const double from = args[0]->AsReal();
  const double to = args[1]->AsReal();
  const double step = args.size() == 3 ? args[2]->AsReal() : 1;
  if (step == 0) return ZeroStep();
  Items items;
  for (double i = 0;; ++i) {
    // Multiplies instead of adding `step` each time, which would add up its rounding errors.
    const double each = from + i * step;
    if (!(step > 0 ? each <= to : each >= to)) break;
    RETURN_IF_ERROR(CheckArraySize(items.size() + 1, 0));
    items.push_back(Value::Float64(each));
  }
  *out = Value::Array(std::move(items));
  return OkStatus();
}

// Makes the ranges of INT64, TIMESTAMP and DATE.
Status RangeOfIntegers(Arguments args, int64_t step, Value* out) {
  int64_t at = args[0]->integer();
  const int64_t to = args[1]->integer();
  if (step == 0) return ZeroStep();
  Items items;
  while (step > 0 ? at <= to : at >= to) {
    RETURN_IF_ERROR(CheckArraySize(items.size() + 1, 0));
    items.emplace_back().AssignInteger(args[0]->type(), at);
    // If the addition overflows, the next item would lie beyond the end.
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  *out = Value::Array(std::move(items));
  return OkStatus();
}

Status GenerateArray(CallSite* site, Arguments args, Value* out) {
  const ValueType type = args[0]->type();
  if (type == kTimestamp || type == kDate) {
    bool fine = args.size() == 3 && args[1]->type() == type && args[2]->type() == kDuration;
    if (!fine) return TypeError(*site, args, "times need a step such as INTERVAL 1 DAY");
    const int64_t step = args[2]->integer();
    if (type == kTimestamp) return RangeOfIntegers(args, step, out);
    if (step % kMicrosPerDay == 0) return RangeOfIntegers(args, step / kMicrosPerDay, out);
    return ProgramError("RANGE", "GENERATE_DATE_ARRAY: the step is not a number of days");
  }
  if (!std::all_of(args.begin(), args.end(), [](const Value* v) { return v->is_number(); })) {
    return TypeError(*site, args);
  }
  bool integers =
      std::all_of(args.begin(), args.end(), [](const Value* v) { return v->type() == kInt64; });
  if (!integers) return RangeOfReals(args, out);
  return RangeOfIntegers(args, args.size() == 3 ? args[2]->integer() : 1, out);
}

// --- MAP and STRUCT ---

Status MapEmpty(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kMap) return TypeError(*site, args);
  *out = Value::Bool(args[0]->items().empty());
  return OkStatus();
}

Status MapEntries(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kMap) return TypeError(*site, args);
  const Items& items = args[0]->items();
  Items entries;
  // For every two items, the result has five Values: an entry (a MAP), its two names, the key and
  // the value. Three for each item is an upper bound.
  RETURN_IF_ERROR(CheckArraySize(items.size() * 3, BytesOf(items)));
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    entries.push_back(
        Value::Map({Value::Text("key"), items[i], Value::Text("value"), items[i + 1]}));
  }
  *out = Value::Array(std::move(entries));
  return OkStatus();
}

// A STRUCT with names is stored as a MAP whose keys are the names, in the order in which the
// statement has them. So every output format shows the names (data_type.h).
Status StructOf(CallSite* site, Arguments args, Value* out) {
  Items fields;
  for (size_t i = 0; i < args.size(); i += 2) {
    if (!args[i]->is_string() || i + 1 == args.size()) return TypeError(*site, args);
    fields.push_back(*args[i]);
    fields.push_back(*args[i + 1]);
  }
  RETURN_IF_ERROR(CheckArraySize(fields.size(), BytesOf(fields)));
  *out = Value::Map(std::move(fields));
  return OkStatus();
}

}  // namespace

Status JoinArrays(const CallSite& site, Arguments args, Value* out) {
  Items joined;
  size_t bytes = 0;
  for (const Value* arg : args) {
    if (arg->type() != kArray) return TypeError(site, args);
    bytes += BytesOf(arg->items());
    RETURN_IF_ERROR(CheckArraySize(joined.size() + arg->items().size(), bytes));
    joined.insert(joined.end(), arg->items().begin(), arg->items().end());
  }
  *out = Value::Array(std::move(joined));
  return OkStatus();
}

ScalarEntry FindArrayFunction(Function function) {
  switch (function) {
    case Function::kItemAt:
      return {ItemAt};
    case Function::kArrayConcat:
      return {Concatenate};
    case Function::kArrayFirst:
    case Function::kArrayLast:
      return {FirstOrLast};
    case Function::kArrayFirstN:
    case Function::kArrayLastN:
      return {FirstOrLastN};
    case Function::kArraySlice:
      return {Slice};
    case Function::kArrayReverse:
      return {ReverseItems};
    case Function::kArrayToText:
      return {ArrayToText};
    case Function::kGenerateArray:
      return {GenerateArray};
    case Function::kMapEmpty:
      return {MapEmpty};
    case Function::kMapEntries:
      return {MapEntries};
    case Function::kStructOf:
      return {StructOf, false};
    default:
      return {};
  }
}

}  // namespace sippar::engine
