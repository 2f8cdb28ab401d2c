// What the parts of SHOW share: the relation that each makes, and those SHOWs that have a file of
// their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/session/result.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The result of a SHOW, which is small enough to be held in memory. Every SHOW makes a Relation, so
// that LIKE, WHERE and all output formats work for each of them.
struct Relation {
  std::vector<ResultColumn> columns;
  std::vector<Row> rows;
};

inline Value Text(std::string_view text) { return Value::Text(std::string(text)); }
inline Value Number(uint64_t number) { return Value::Int64(static_cast<int64_t>(number)); }
inline ResultColumn TextColumn(std::string_view name) {
  return {std::string(name), ValueType::kText};
}
inline ResultColumn NumberColumn(const char* name) { return {name, ValueType::kInt64}; }

// show_activity.cc. OF leaves the lines of one table, except in SHOW METRICS.
StatusOr<Relation> ShowEvents(const StatementContext& context, const syntax::Show& show);
StatusOr<Relation> ShowMetrics(const StatementContext& context, const syntax::Show& show);
StatusOr<Relation> ShowCompactions(const StatementContext& context, const syntax::Show& show);
StatusOr<Relation> ShowTraces(const StatementContext& context, const syntax::Show& show);
StatusOr<Relation> ShowQueries(const StatementContext& context, const syntax::Show& show);

}  // namespace sippar::query
