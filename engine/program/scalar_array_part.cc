// Functions that compare the items of an ARRAY. A NULL item equals nothing, nor does a NaN.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;
using Items = Value::Items;

bool AreEqual(const Value& a, const Value& b) {
  return !a.is_null() && !b.is_null() && !a.IsNan() && CompareValues(a, b) == 0;
}

Status Includes(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray) return TypeError(*site, args);
  const Items& items = args[0]->items();
  *out = Value::Bool(std::any_of(items.begin(), items.end(),
                                 [&](const Value& item) { return AreEqual(item, *args[1]); }));
  return OkStatus();
}

using Keys = std::unordered_set<std::string>;

std::string KeyOf(const Value& value) {
  std::string key;
  AppendEqualityKey(value, &key);
  return key;
}

Status IncludesMany(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray || args[1]->type() != kArray) return TypeError(*site, args);
  Keys keys;
  for (const Value& item : args[0]->items()) {
    if (AreEqual(item, item)) keys.insert(KeyOf(item));
  }
  const Items& wanted = args[1]->items();
  auto has = [&](const Value& item) { return AreEqual(item, item) && keys.contains(KeyOf(item)); };
  *out = Value::Bool(site->function == Function::kArrayIncludesAny
                         ? std::any_of(wanted.begin(), wanted.end(), has)
                         : std::all_of(wanted.begin(), wanted.end(), has));
  return OkStatus();
}

// Unlike in comparisons, two NULL items count as equal here, and two NaN.
Status IsDistinct(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray) return TypeError(*site, args);
  Keys keys;
  const Items& items = args[0]->items();
  *out = Value::Bool(std::all_of(items.begin(), items.end(), [&](const Value& item) {
    return keys.insert(KeyOf(item)).second;
  }));
  return OkStatus();
}

Status Offset(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray || (args.size() == 3 && !args[2]->is_string())) {
    return TypeError(*site, args);
  }
  std::string mode = args.size() == 3 ? args[2]->bytes() : "first";
  for (char& c : mode) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (mode != "first" && mode != "last") {
    return ProgramError(
        "RANGE",
        fmt::format("ARRAY_OFFSET: the third argument '{}' is not valid", PrintEscaped(mode)),
        "'first' or 'last'");
  }
  const Items& items = args[0]->items();
  *out = Value::Null();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!AreEqual(items[i], *args[1])) continue;
    *out = Value::Int64(static_cast<int64_t>(i));
    if (mode == "first") break;
  }
  return OkStatus();
}

Status Offsets(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kArray) return TypeError(*site, args);
  const Items& items = args[0]->items();
  Items offsets;
  for (size_t i = 0; i < items.size(); ++i) {
    if (AreEqual(items[i], *args[1])) offsets.push_back(Value::Int64(static_cast<int64_t>(i)));
  }
  *out = Value::Array(std::move(offsets));
  return OkStatus();
}

}  // namespace

ScalarEntry FindArrayPartFunction(Function function) {
  switch (function) {
    case Function::kArrayIncludes:
      return {Includes};
    case Function::kArrayIncludesAny:
    case Function::kArrayIncludesAll:
      return {IncludesMany};
    case Function::kArrayIsDistinct:
      return {IsDistinct};
    case Function::kArrayOffset:
      return {Offset};
    case Function::kArrayOffsets:
      return {Offsets};
    default:
      return {};
  }
}

}  // namespace sippar::engine
