// Items of collections, and the functions CARDINALITY, MAP_KEYS, MAP_VALUES and ARRAY.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

// The value of `key` in a map; `items` are its keys and values, alternating. NULL: no such key.
Value EntryOf(const Value::Items& items, const Value& key) {
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (CompareValues(items[i], key) == 0) return Value(items[i + 1]);
  }
  return Value::Null();
}

// The item `position`, counted from 1, or from the end if it is negative; NULL: no such item.
Value ItemAt(const Value::Items& items, int64_t position) {
  const auto count = static_cast<int64_t>(items.size());
  const int64_t index = position > 0 ? position - 1 : count + std::max(position, -count - 1);
  if (position == 0 || index < 0 || index >= count) return Value::Null();
  return Value(items[static_cast<size_t>(index)]);
}

Status Index(CallSite* site, Arguments args, Value* out) {
  const Value::Items& items = args[0]->items();
  const ValueType type = args[0]->type();
  const Value& key = *args[1];
  if (type == kMap) {
    *out = EntryOf(items, key);
  } else if ((type == kArray || type == kStruct) && key.type() == kInt64) {
    *out = ItemAt(items, key.integer());
  } else if (type == kStruct && key.is_string() && items.size() == 2) {
    // A STRUCT is a version of a cell (value.h). One that was decoded from another process may have
    // any number of items, hence the check of the size.
    *out = Value::Null();
    if (key.bytes() == "timestamp") *out = Value(items[0]);
    if (key.bytes() == "value") *out = Value(items[1]);
  } else {
    return TypeError(*site, args, "x[key] takes an entry of a MAP, x[1] the first of an ARRAY");
  }
  return OkStatus();
}

Status Cardinality(CallSite* site, Arguments args, Value* out) {
  bool map = args[0]->type() == kMap;
  if (!map && args[0]->type() != kArray) return TypeError(*site, args);
  size_t count = args[0]->items().size() / (map ? 2 : 1);
  *out = Value::Int64(static_cast<int64_t>(count));
  return OkStatus();
}

Status MapParts(CallSite* site, Arguments args, Value* out) {
  if (args[0]->type() != kMap) return TypeError(*site, args);
  Value::Items parts;
  const Value::Items& items = args[0]->items();
  for (size_t i = site->function == Function::kMapKeys ? 0 : 1; i < items.size(); i += 2) {
    parts.push_back(items[i]);
  }
  *out = Value::Array(std::move(parts));
  return OkStatus();
}

Status Array(CallSite*, Arguments args, Value* out) {
  Value::Items items;
  for (const Value* arg : args) items.push_back(*arg);
  *out = Value::Array(std::move(items));
  return OkStatus();
}

}  // namespace

ScalarEntry FindItemFunction(Function function) {
  switch (function) {
    case Function::kArray:
      // ARRAY is called with NULL arguments as well: they become items and do not make the list
      // NULL.
      return {Array, false};
    case Function::kIndex:
      return {Index};
    case Function::kCardinality:
      return {Cardinality};
    case Function::kMapKeys:
    case Function::kMapValues:
      return {MapParts};
    default:
      return {};
  }
}

}  // namespace sippar::engine
