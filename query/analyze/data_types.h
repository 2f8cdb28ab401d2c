// Types of expressions before they run, as a client of the API sees them: the columns of a result.
// Row keys and qualifiers are BYTES here although the shell shows them as text. All functions are
// pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "engine/model/column_pattern.h"
#include "engine/model/schema.h"
#include "engine/program/aggregate.h"
#include "engine/program/data_type.h"
#include "engine/program/program.h"

namespace sippar::query {

using engine::DataType;

// The type of an expression or aggregate whose slots have the types `slots`, within lambdas whose
// variables have the types `variables`. kNull: the type is
// known only when the expression runs.
DataType TypeOf(const engine::Expression& expression, const std::vector<DataType>& slots);
DataType TypeOf(const engine::Expression& expression,
                const std::function<DataType(uint32_t slot)>& slots,
                const std::vector<DataType>& variables = {});
DataType TypeOf(const engine::AggregateDef& aggregate, const std::vector<DataType>& slots);
DataType TypeOf(const engine::AggregateDef& aggregate,
                const std::function<DataType(uint32_t slot)>& slots);

// The type with which the engine evaluates a slot; unknown for cells of which some are counters and
// some not. Unlike TypesOfSlots, keys of maps are TEXT and times of versions INT64.
DataType SlotTypeInEngine(const engine::SlotDef& slot,
                          const std::vector<engine::ColumnPattern>& patterns,
                          const engine::TableSchema& schema);
// True if the patterns cover counter families and other families; such values are BYTES in
// expressions.
bool AreMixed(const std::vector<engine::ColumnPattern>& patterns,
              const engine::TableSchema& schema);
// The types of slots as a client sees them. A row slot names its pattern by index; a cell's value
// may come from any of `patterns`, and from every column if there are none.
std::vector<DataType> TypesOfSlots(const std::vector<engine::SlotDef>& slots,
                                   const std::vector<engine::ColumnPattern>& patterns,
                                   const engine::TableSchema& schema);

}  // namespace sippar::query
