// Every name that may be written NAME(…), one row each. The compiler, its hints, SHOW FUNCTIONS, \h
// and the shell's completion read these rows. Rows of functions that a program contains come from
// engine/program/function.h, rows of GoogleSQL names from googlesql_names.cc; all others are
// written in callable_names.cc. Immutable after the first use, hence thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  enum Kind : uint8_t { kFunction, kAggregate, kColumn, kCast, kNow, kRandom, kRewritten };
  Kind kind = kFunction;
  std::string_view name;
  int arguments_min = 1;
  int arguments_max = 1;
  std::string_view result;  // printed type of the result
  std::string_view meaning;
  std::string_view signature = {};  // names of the arguments; "": the row does not state them
  // The aggregate that the call computes; only for kAggregate.
  engine::AggregateDef::Kind aggregate = engine::AggregateDef::kCountRows;
  // The slot that the call reads if its argument is one column; nullopt: the call takes only
  // values.
  std::optional<engine::SlotDef::Kind> column = {};
  engine::ValueType cast = engine::ValueType::kNull;  // kCast: target type
  // kRewritten: builds the equivalent expression from Sippar's own functions.
  syntax::Expr (*as_ours)(const syntax::Expr& call) = nullptr;
};

// Returns all rows, sorted by name; the case of letters does not affect the order.
const std::vector<CallInfo>& AllCalls();
// The row of `name`, case ignored; nullptr if there is no such call.
const CallInfo* FindCall(std::string_view name);
std::vector<std::string> CallNames();
// How many arguments the call takes: "2", "1-2" or "1…" (one or more).
std::string PrintArguments(const CallInfo& call);
// The names of the arguments ("text, length [, fill]"), or their number if the row has no names.
std::string PrintSignature(const CallInfo& call);

}  // namespace sippar::query
