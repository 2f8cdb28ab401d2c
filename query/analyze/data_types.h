// The types that expressions have before they run, as a client of the API sees them in the columns
// of a result. Row keys and qualifiers are BYTES here although the shell shows them as text. All
// functions are pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "engine/model/column_pattern.h"
#include "engine/model/schema.h"
#include "engine/program/aggregate.h"
#include "engine/program/data_type.h"
#include "engine/program/program.h"

namespace sippar::query {

using engine::DataType;

// The type of an expression or aggregate, given the types of its slots and of the variables of the
// lambdas around it. kNull: the type is known only when the expression runs.
DataType TypeOf(const engine::Expression& expression, const std::vector<DataType>& slots);
DataType TypeOf(const engine::Expression& expression,
                const std::function<DataType(uint32_t slot)>& slots,
                const std::vector<DataType>& variables = {});
DataType TypeOf(const engine::AggregateDef& aggregate, const std::vector<DataType>& slots);
DataType TypeOf(const engine::AggregateDef& aggregate,
                const std::function<DataType(uint32_t slot)>& slots);

// The type with which the engine evaluates a slot; unknown if the slot reads families whose values
// have different types. Here, unlike in TypesOfSlots, the keys of maps are TEXT and the times of
// versions INT64. A row key or qualifier counts as BYTES, although the engine has TEXT: no check
// depends on which of the two it is.
DataType SlotTypeInEngine(const engine::SlotDef& slot,
                          const std::vector<engine::ColumnPattern>& patterns,
                          const engine::TableSchema& schema);
// The types of the values of all families that the patterns cover (none: every family). In
// expressions the values are BYTES if there are several.
std::set<engine::ValueType> CellTypes(const std::vector<engine::ColumnPattern>& patterns,
                                      const engine::TableSchema& schema);
// The types of slots as a client sees them. A slot of the row view names its pattern by index; a
// cell's value may come from any of `patterns`, or from any column if `patterns` is empty.
std::vector<DataType> TypesOfSlots(const std::vector<engine::SlotDef>& slots,
                                   const std::vector<engine::ColumnPattern>& patterns,
                                   const engine::TableSchema& schema);

}  // namespace sippar::query
