// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/data_types.h"

#include <algorithm>

#include "engine/program/calendar.h"
#include "engine/program/evaluate.h"
#include "engine/program/result_rule.h"
#include "query/analyze/catalog.h"

namespace sippar::query {
namespace {

using engine::ColumnPattern;
using engine::Expression;
using engine::Function;
using engine::NamePattern;
using engine::ResultRule;
using engine::SlotDef;
using engine::TableSchema;
using engine::Value;
using enum engine::ValueType;

// The type of a value that may have type `a` or type `b`. If one type is unknown, the result is the
// other. Two kinds of numbers become FLOAT64, two kinds of strings BYTES. Unknown if the types do
// not fit.
DataType CommonType(const DataType& a, const DataType& b) {
  if (a.kind == kNull || a == b) return b;
  if (b.kind == kNull) return a;
  if (a.is_number() && b.is_number()) return kFloat64;
  if (a.is_string() && b.is_string()) return kBytes;
  if (a.kind != b.kind || a.parts.size() != b.parts.size() || a.names != b.names) return {};
  DataType common = a.kind;
  common.names = a.names;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    common.parts.push_back(CommonType(a.parts[i], b.parts[i]));
  }
  return common;
}

DataType TypeOfValue(const Value& value) {
  DataType type = value.type();
  const Value::Items& items = value.items();
  if (type.kind == kArray) {
    DataType item;
    for (const Value& each : items) item = CommonType(item, TypeOfValue(each));
    type.parts = {item};
  } else if (type.kind == kMap) {
    type.parts.resize(2);
    for (size_t i = 0; i < items.size(); ++i) {
      type.parts[i % 2] = CommonType(type.parts[i % 2], TypeOfValue(items[i]));
    }
  } else if (type.kind == kStruct) {
    for (const Value& each : items) type.parts.push_back(TypeOfValue(each));
  }
  return type;
}

// --- Slots ---

// A client sees one type for a column, whatever cells the rows have: that of all families that the
// patterns cover, otherwise BYTES, in which the value of a counter is 8 bytes.
DataType TypeOfCells(const std::vector<ColumnPattern>& patterns, const TableSchema& schema) {
  const std::set<engine::ValueType> types = CellTypes(patterns, schema);
  return types.size() == 1 ? *types.begin() : kBytes;
}

DataType HistoryOf(DataType cell) {
  return DataType(kArray, {DataType(kStruct, {kTimestamp, std::move(cell)})});
}

// The type of the cells that a slot reads, also within a map or a history; unknown if the slot
// reads no cells.
DataType TypeOfCellsIn(const SlotDef& slot, const std::vector<ColumnPattern>& patterns,
                       const TableSchema& schema) {
  if (slot.kind == SlotDef::kValue) return TypeOfCells(patterns, schema);
  if (slot.pattern < patterns.size()) return TypeOfCells({patterns[slot.pattern]}, schema);
  return {};
}

DataType TypeOfSlot(const SlotDef& slot, const std::vector<ColumnPattern>& patterns,
                    const TableSchema& schema) {
  DataType cell = TypeOfCellsIn(slot, patterns, schema);
  switch (slot.kind) {
    case SlotDef::kRow:
    case SlotDef::kQualifier:
    case SlotDef::kColumn:
      return kBytes;
    case SlotDef::kFamily:
    case SlotDef::kOp:
      return kText;
    case SlotDef::kVisible:
      return kBool;
    case SlotDef::kTimestamp:
    case SlotDef::kNewestTime:
    case SlotDef::kVersionCount:
    case SlotDef::kTimeFrom:
    case SlotDef::kTimeTo:
    case SlotDef::kSequence:
      return kInt64;
    case SlotDef::kValue:
    case SlotDef::kNewest:
      return cell;
    case SlotDef::kHistory:
      return HistoryOf(std::move(cell));
    case SlotDef::kMap:
      return DataType(kMap, {kBytes, std::move(cell)});
    case SlotDef::kMapHistory:
      return DataType(kMap, {kBytes, HistoryOf(std::move(cell))});
    case SlotDef::kLet:
      break;
  }
  return {};
}

// --- Calls ---

DataType CommonOf(const std::vector<DataType>& args, size_t first, size_t step) {
  DataType common;
  for (size_t i = first; i < args.size(); i += step) common = CommonType(common, args[i]);
  return common;
}

// The type of CASE. Its tests and results alternate, and an odd number of arguments ends with ELSE.
DataType TypeOfBranches(const std::vector<DataType>& args) {
  DataType common = CommonOf(args, 1, 2);
  return args.size() % 2 == 1 ? CommonType(common, args.back()) : common;
}

// Computes the operation with the value 1 for each argument and takes the type of the result, so
// that the engine's rules are not repeated here. 1 causes neither an overflow nor a division by
// zero.
DataType TypeOfArithmetic(Function function, const std::vector<DataType>& args) {
  std::vector<Expression> ones;
  for (const DataType& arg : args) {
    switch (arg.kind) {
      case kInt64:
        ones.push_back(Expression::Literal(Value::Int64(1)));
        break;
      case kFloat64:
        ones.push_back(Expression::Literal(Value::Float64(1)));
        break;
      case kTimestamp:
        ones.push_back(Expression::Literal(Value::Timestamp(1)));
        break;
      case kDuration:
        // A whole day, because a DATE takes no others.
        ones.push_back(Expression::Literal(Value::Duration(engine::kMicrosPerDay)));
        break;
      case kDate:
        ones.push_back(Expression::Literal(Value::Date(1)));
        break;
      default:
        return {};
    }
  }
  auto result = engine::EvaluateConstant(Expression::Call(function, std::move(ones)));
  return result.ok() ? DataType(result->type()) : DataType();
}

DataType TypeOfItem(const DataType& items, const Expression& key) {
  if (items.kind == kMap) return items.parts.size() == 2 ? items.parts[1] : DataType();
  if (items.kind == kArray) return items.parts.empty() ? DataType() : items.parts[0];
  // The items of a STRUCT may differ in type, so the type is known only if the key is a literal.
  // All items of an ARRAY or MAP have the same type.
  if (items.kind != kStruct || !key.IsLiteral()) return {};
  for (size_t i = 0; i < items.names.size(); ++i) {
    if (key.literal.is_string() && items.names[i] == key.literal.bytes()) return items.parts[i];
  }
  if (items.parts.size() != 2 || !items.names.empty()) return {};
  bool is_time =
      key.literal.is_string() ? key.literal.bytes() == "timestamp" : key.literal.integer() == 1;
  return items.parts[is_time ? 0 : 1];
}

DataType TypeOfString(const DataType& arg) { return arg.is_string() ? arg : DataType(); }

// || turns numbers and times into TEXT. An argument of unknown type may be BYTES at run time, so it
// makes the result BYTES.
DataType TypeOfConcat(const std::vector<DataType>& args) {
  if (args[0].kind == kArray) return CommonOf(args, 0, 1);
  bool bytes = std::any_of(args.begin(), args.end(), [](const DataType& arg) {
    return arg.kind == kBytes || arg.kind == kNull;
  });
  return bytes ? kBytes : kText;
}

DataType PartOf(const DataType& map, size_t part) {
  DataType item = part < map.parts.size() ? map.parts[part] : DataType();
  return DataType(kArray, {std::move(item)});
}

DataType ItemOf(const DataType& array) {
  return array.kind == kArray && !array.parts.empty() ? array.parts[0] : DataType();
}

DataType StructOf(const std::vector<std::string>& names, std::vector<DataType> parts) {
  DataType type(kStruct, std::move(parts));
  type.names = names;
  return type;
}

DataType TypeOfEntries(const DataType& map) {
  DataType key = map.parts.empty() ? DataType() : map.parts[0];
  DataType value = map.parts.size() < 2 ? DataType() : map.parts[1];
  return DataType(kArray, {StructOf({"key", "value"}, {std::move(key), std::move(value)})});
}

// The type of NAMED_STRUCT, whose arguments alternate: the name of a field as a literal, then its
// value.
DataType TypeOfStruct(const Expression& call, const std::vector<DataType>& args) {
  std::vector<std::string> names;
  std::vector<DataType> parts;
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    names.push_back(call.args[i].literal.bytes());
    parts.push_back(args[i + 1]);
  }
  return StructOf(names, std::move(parts));
}

// An ARRAY of the first argument's type. If all arguments are numbers, one FLOAT64 among them makes
// it an ARRAY of FLOAT64.
DataType TypeOfList(const std::vector<DataType>& args) {
  bool numbers =
      std::all_of(args.begin(), args.end(), [](const DataType& arg) { return arg.is_number(); });
  return DataType(kArray, {numbers ? CommonOf(args, 0, 1) : args[0]});
}

DataType TypeOfCall(const Expression& call, const std::vector<DataType>& args) {
  switch (engine::ResultOf(call.function)) {
    case ResultRule::kBool:
      return kBool;
    case ResultRule::kInt64:
      return kInt64;
    case ResultRule::kText:
      return kText;
    case ResultRule::kBytes:
      return kBytes;
    case ResultRule::kFloat64:
      return kFloat64;
    case ResultRule::kTimestamp:
      return kTimestamp;
    case ResultRule::kDuration:
      return kDuration;
    case ResultRule::kDate:
      return kDate;
    case ResultRule::kCast:
      return call.cast_type;
    case ResultRule::kCastItems:
      return DataType(kArray, {call.cast_type});
    case ResultRule::kFirst:
      return args[0];
    case ResultRule::kSecond:
      return args[1];
    case ResultRule::kFirstString:
      return TypeOfString(args[0]);
    case ResultRule::kCommon:
      return CommonOf(args, 0, 1);
    case ResultRule::kBranches:
      return TypeOfBranches(args);
    case ResultRule::kArithmetic:
      return TypeOfArithmetic(call.function, args);
    case ResultRule::kJoined:
      return TypeOfConcat(args);
    case ResultRule::kArray:
      return DataType(kArray, {CommonOf(args, 0, 1)});
    case ResultRule::kItem:
      return TypeOfItem(args[0], call.args[1]);
    case ResultRule::kKeys:
      return PartOf(args[0], 0);
    case ResultRule::kValues:
      return PartOf(args[0], 1);
    case ResultRule::kEntries:
      return TypeOfEntries(args[0]);
    case ResultRule::kItemOfFirst:
      return ItemOf(args[0]);
    case ResultRule::kListOfFirst:
      return TypeOfList(args);
    case ResultRule::kIntegers:
      return DataType(kArray, {kInt64});
    case ResultRule::kReals:
      return DataType(kArray, {kFloat64});
    case ResultRule::kLambda:
      return DataType(kArray, {args[1]});
    case ResultRule::kStruct:
      return TypeOfStruct(call, args);
  }
  return {};
}

}  // namespace

DataType TypeOf(const Expression& expression, const std::vector<DataType>& slots) {
  return TypeOf(expression,
                [&slots](uint32_t slot) { return slot < slots.size() ? slots[slot] : DataType(); });
}

DataType TypeOf(const Expression& expression, const std::function<DataType(uint32_t)>& slots,
                const std::vector<DataType>& variables) {
  switch (expression.kind) {
    case Expression::kVariable:
      return expression.slot < variables.size() ? variables[expression.slot] : DataType();
    case Expression::kLiteral:
      return TypeOfValue(expression.literal);
    case Expression::kSlot:
      return slots(expression.slot);
    case Expression::kCall:
      break;
  }
  const bool is_lambda = expression.function == Function::kArrayFilter ||
                         expression.function == Function::kArrayTransform;
  std::vector<DataType> args;
  for (const Expression& arg : expression.args) {
    if (!is_lambda || args.empty()) {
      args.push_back(TypeOf(arg, slots, variables));
      continue;
    }
    std::vector<DataType> inner = variables;
    inner.push_back(ItemOf(args[0]));
    inner.emplace_back(kInt64);
    args.push_back(TypeOf(arg, slots, inner));
  }
  return TypeOfCall(expression, args);
}

std::set<engine::ValueType> CellTypes(const std::vector<ColumnPattern>& patterns,
                                      const TableSchema& schema) {
  std::set<engine::ValueType> types;
  for (const engine::FamilySchema& family : schema.families) {
    bool meant =
        patterns.empty() ||
        std::any_of(patterns.begin(), patterns.end(), [&](const ColumnPattern& pattern) {
          return pattern.family.kind != NamePattern::kExact || pattern.family.text == family.name;
        });
    if (meant) types.insert(ValueTypeOf(family.type));
  }
  return types;
}

DataType SlotTypeInEngine(const SlotDef& slot, const std::vector<ColumnPattern>& patterns,
                          const TableSchema& schema) {
  bool of_map = slot.kind == SlotDef::kHistory || slot.kind == SlotDef::kMap ||
                slot.kind == SlotDef::kMapHistory;
  // A slot of another kind never mixes types: kNewest has an exact pattern, hence one family
  // (RowScope).
  if (slot.kind != SlotDef::kValue && !of_map) return TypeOfSlot(slot, patterns, schema);
  // Uses only the slot's own pattern: a statement may have 16,000 patterns and as many slots, so
  // copying all patterns for each slot would cost the square of their number.
  std::vector<ColumnPattern> one;
  if (of_map) one = {patterns[slot.pattern]};
  const std::vector<ColumnPattern>& meant = of_map ? one : patterns;
  DataType cell = CellTypes(meant, schema).size() > 1 ? DataType() : TypeOfCells(meant, schema);
  DataType history(kArray, {DataType(kStruct, {kInt64, cell})});
  switch (slot.kind) {
    case SlotDef::kValue:
      return cell;
    case SlotDef::kHistory:
      return history;
    case SlotDef::kMap:
      return DataType(kMap, {kText, cell});
    case SlotDef::kMapHistory:
      return DataType(kMap, {kText, history});
    default:
      return TypeOfSlot(slot, patterns, schema);
  }
}

std::vector<DataType> TypesOfSlots(const std::vector<SlotDef>& slots,
                                   const std::vector<ColumnPattern>& patterns,
                                   const TableSchema& schema) {
  std::vector<DataType> types;
  for (const SlotDef& slot : slots) types.push_back(TypeOfSlot(slot, patterns, schema));
  return types;
}

}  // namespace sippar::query
