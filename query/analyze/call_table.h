// Every name that may be written NAME(…): one row each, read by the compiler, its hints, SHOW
// FUNCTIONS, \h and the shell's completion. Rows of functions that a program contains come from
// engine/program/function.cc, those of GoogleSQL's names from google_calls.cc, the others stand in
// call_table.cc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/aggregate.h"
#include "engine/program/function.h"
#include "engine/program/program.h"
#include "query/syntax/expr.h"

namespace sippar::query {

struct CallInfo {
  enum Kind : uint8_t { kFunction, kAggregate, kColumn, kCast, kNow, kRewritten };
  Kind kind = kFunction;
  std::string_view name;
  int arguments_min = 1;
  int arguments_max = 1;
  std::string_view result;  // its type
  std::string_view meaning;
  engine::AggregateDef::Kind aggregate = engine::AggregateDef::kCountRows;  // of kAggregate
  std::optional<engine::SlotDef::Kind> column = {};             // of one column as the argument
  engine::ValueType cast = engine::ValueType::kNull;            // of kCast
  syntax::Expr (*as_ours)(const syntax::Expr& call) = nullptr;  // of kRewritten
};

// In the order of their names.
const std::vector<CallInfo>& AllCalls();
// nullptr when unknown. The name's case does not count.
const CallInfo* FindCall(std::string_view name);
std::vector<std::string> CallNames();
// "2", "1-2", "1…".
std::string PrintArguments(const CallInfo& call);

}  // namespace sippar::query
