// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/callable_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/result_rule.h"
#include "query/analyze/googlesql_names.h"

namespace sippar::query {
namespace {

using engine::AggregateDef;
using engine::SlotDef;
using engine::ValueType;

// The engine's table is the only place where a function's arguments and result are written down.
// Its row is converted, not repeated, so a new function needs no change here.
CallInfo FunctionCall(const engine::FunctionInfo& info) {
  CallInfo call;
  call.name = info.name;
  call.arguments_min = info.arguments_min;
  call.arguments_max = info.arguments_max;
  call.result = engine::ResultName(engine::ResultOf(info.function));
  call.meaning = info.meaning;
  call.signature = info.signature;
  return call;
}

CallInfo AggregateCall(AggregateDef::Kind kind, std::string_view name, int arguments_max,
                       std::string_view result, std::string_view meaning) {
  CallInfo call{CallInfo::kAggregate, name, 1, arguments_max, result, meaning};
  call.aggregate = kind;
  if (arguments_max == 1) call.signature = "value";
  return call;
}

CallInfo ApproxCall(AggregateDef::Kind kind, std::string_view name, std::string_view meaning) {
  CallInfo call = AggregateCall(kind, name, 2, "ARRAY", meaning);
  call.arguments_min = 2;
  return call;
}

CallInfo ColumnCall(SlotDef::Kind column, std::string_view name, std::string_view result,
                    std::string_view meaning) {
  CallInfo call{CallInfo::kColumn, name, 1, 1, result, meaning};
  call.column = column;
  call.signature = "column";
  return call;
}

CallInfo CastCall(std::string_view name, ValueType type) {
  CallInfo call{CallInfo::kCast, name, 1, 1, engine::TypeName(type), "CAST to this type"};
  call.cast = type;
  call.signature = "value";
  return call;
}

std::vector<CallInfo> OwnCalls() {
  std::vector<CallInfo> calls = {
      {CallInfo::kNow, "NOW", 0, 0, "TIMESTAMP", "time of the statement, the same for all of it"},
      {CallInfo::kRandom, "RAND", 0, 0, "FLOAT64", "random number from 0 to below 1"},
      {CallInfo::kRandom, "RANDOM", 0, 0, "FLOAT64", "same as RAND"},
      // These calls read a special slot of a column (SlotDef) and not its value, so the engine has
      // no function for them.
      ColumnCall(SlotDef::kVersionCount, "VERSION_COUNT", "INT64",
                 "cells of a column that the query reads"),
      ColumnCall(SlotDef::kHistory, "HISTORY", "ARRAY",
                 "(timestamp, value) of a column's cells, newest first"),
      // COUNT has only one row here, although its name stands for three aggregates. FindAggregate
      // chooses one of the three by the star and by DISTINCT.
      AggregateCall(AggregateDef::kCount, "COUNT", 1, "INT64",
                    "aggregate: rows (*), values that are not NULL, DISTINCT values"),
      AggregateCall(AggregateDef::kSum, "SUM", 1, "as argument 1",
                    "aggregate: sum of numbers or durations"),
      AggregateCall(AggregateDef::kMin, "MIN", 1, "as argument 1", "aggregate: smallest"),
      AggregateCall(AggregateDef::kMax, "MAX", 1, "as argument 1", "aggregate: greatest"),
      AggregateCall(AggregateDef::kAvg, "AVG", 1, "FLOAT64 or DURATION",
                    "aggregate: mean of numbers or durations"),
      AggregateCall(AggregateDef::kAnyValue, "ANY_VALUE", 1, "as argument 1",
                    "aggregate: one that is not NULL"),
      AggregateCall(AggregateDef::kArrayAgg, "ARRAY_AGG", 2, "ARRAY",
                    "aggregate: values, at most 1000 or the second"),
      AggregateCall(AggregateDef::kStringAgg, "STRING_AGG", 2, "as argument 1",
                    "aggregate: texts joined, with a comma or the second between them"),
      ApproxCall(AggregateDef::kApproxQuantiles, "APPROX_QUANTILES",
                 "aggregate: the n + 1 bounds of about n equal parts"),
      ApproxCall(AggregateDef::kApproxTop, "APPROX_TOP_COUNT",
                 "aggregate: about the n most frequent values, as {count, value}"),
      ApproxCall(AggregateDef::kApproxTop, "APPROX_TOP", "aggregate: as APPROX_TOP_COUNT"),
      AggregateCall(AggregateDef::kApproxCountDistinct, "APPROX_COUNT_DISTINCT", 1, "INT64",
                    "aggregate: about how many distinct values"),
      // The name of a type is a call, too: INT64(x) is CAST(x AS INT64). FindType therefore looks
      // types up in this table.
      CastCall("INT64", ValueType::kInt64),
      CastCall("INT", ValueType::kInt64),
      CastCall("FLOAT64", ValueType::kFloat64),
      CastCall("FLOAT", ValueType::kFloat64),
      CastCall("BYTES", ValueType::kBytes),
      CastCall("TEXT", ValueType::kText),
      CastCall("STRING", ValueType::kText),
      CastCall("BOOL", ValueType::kBool),
      CastCall("DURATION", ValueType::kDuration),
      CastCall("INTERVAL", ValueType::kDuration),
  };
  // This row has two meanings: TIMESTAMP(column) is the time of a cell, TIMESTAMP(anything else) is
  // a cast.
  CallInfo& time = calls.emplace_back(CastCall("TIMESTAMP", ValueType::kTimestamp));
  time.column = SlotDef::kNewestTime;
  time.meaning = "of a column: time of its newest cell, INT64; else CAST to this type";
  return calls;
}

// Returns a negative number, 0 or a positive number, like strcmp, and ignores the case of ASCII
// letters. Names of functions have only ASCII letters, so the order does not depend on the locale.
int CompareNames(std::string_view a, std::string_view b) {
  auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (upper(a[i]) != upper(b[i])) return upper(a[i]) < upper(b[i]) ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace

const std::vector<CallInfo>& AllCalls() {
  // Built once and never freed: FindCall returns pointers into it.
  static const auto& calls = *[] {
    auto* all = new std::vector<CallInfo>(OwnCalls());
    for (const engine::FunctionInfo& info : engine::AllFunctions()) {
      if (info.is_call) all->push_back(FunctionCall(info));
    }
    // FindCall returns the first of equal names, so no name may be in two of the three lists. A
    // GoogleSQL name that is also one of our own names has no row in googlesql_names.cc.
    for (const CallInfo& call : GoogleCalls()) all->push_back(call);
    std::sort(all->begin(), all->end(), [](const CallInfo& a, const CallInfo& b) {
      return CompareNames(a.name, b.name) < 0;
    });
    return all;
  }();
  return calls;
}

const CallInfo* FindCall(std::string_view name) {
  const std::vector<CallInfo>& calls = AllCalls();
  // Works because AllCalls sorts by the same comparison.
  auto found = std::lower_bound(calls.begin(), calls.end(), name,
                                [](const CallInfo& call, std::string_view wanted) {
                                  return CompareNames(call.name, wanted) < 0;
                                });
  return found != calls.end() && CompareNames(found->name, name) == 0 ? &*found : nullptr;
}

std::vector<std::string> CallNames() {
  std::vector<std::string> names;
  for (const CallInfo& call : AllCalls()) names.emplace_back(call.name);
  return names;
}

std::string PrintArguments(const CallInfo& call) {
  if (call.arguments_max == engine::kManyArguments) return fmt::format("{}…", call.arguments_min);
  if (call.arguments_min == call.arguments_max) return fmt::format("{}", call.arguments_min);
  return fmt::format("{}-{}", call.arguments_min, call.arguments_max);
}

std::string PrintSignature(const CallInfo& call) {
  return call.signature.empty() ? PrintArguments(call) : std::string(call.signature);
}

}  // namespace sippar::query
