// Types of expressions before they run: what the columns of a result are. Row keys and qualifiers
// count as BYTES, which they are for every client but a terminal. Pure.
// SPDX-License-Identifier: Apache-2.0
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

// `slots`: the type of each slot. kNull: not known before the expression runs.
DataType TypeOf(const engine::Expression& expression, const std::vector<DataType>& slots);
DataType TypeOf(const engine::Expression& expression,
                const std::function<DataType(uint32_t slot)>& slots);
DataType TypeOf(const engine::AggregateDef& aggregate, const std::vector<DataType>& slots);
DataType TypeOf(const engine::AggregateDef& aggregate,
                const std::function<DataType(uint32_t slot)>& slots);

// The type that the engine computes with, as far as it is known for sure: of a version only the
// value.
DataType SlotTypeInEngine(const engine::SlotDef& slot,
                          const std::vector<engine::ColumnPattern>& patterns,
                          const engine::TableSchema& schema);
// Do the patterns mean counters beside other cells? Such values are BYTES in expressions.
bool AreMixed(const std::vector<engine::ColumnPattern>& patterns,
              const engine::TableSchema& schema);
// `patterns`: those of row slots; of a cell's value all that are read, none: every column.
std::vector<DataType> TypesOfSlots(const std::vector<engine::SlotDef>& slots,
                                   const std::vector<engine::ColumnPattern>& patterns,
                                   const engine::TableSchema& schema);

}  // namespace sippar::query
