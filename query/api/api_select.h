// A SELECT of the Cloud Bigtable API (PrepareQuery, ExecuteQuery): its text, its typed parameters,
// the columns of its result, and the SELECT that continues a stopped execution. These functions
// only decide; query_api.cc runs the SELECT.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/api/query_api.h"
#include "query/api/query_token.h"
#include "query/plan/select_plan.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

using Params = std::map<std::string, Value>;
using ParamTypes = std::map<std::string, engine::DataType>;

// Gives the session the fixed settings of the API: times without a zone are UTC, a sort may use 64
// MiB, and only tables below `table_prefix` can be named.
void SetUpSession(cluster::Client* client, const std::string& table_prefix, Params params,
                  SessionState* session);
// kInvalidArgument if `text` is anything but one SELECT; kUnimplemented for WITH DELETES and for
// what SQL has and this language does not.
[[nodiscard]] StatusOr<syntax::Select> ParseSelect(std::string_view text);
// A sample value for each parameter: a query is planned before the client sends the real values.
Params SampleParams(const ParamTypes& types);
// kInvalidArgument if a value is missing, has the wrong type, or belongs to no declared parameter.
[[nodiscard]] Status CheckParams(const ParamTypes& types, const Params& params);

// kInvalidArgument, naming the column, if the type of a column is unknown before the query runs or
// does not exist in the API.
[[nodiscard]] StatusOr<std::vector<cluster::QueryColumn>> ColumnsOf(const SelectPlan& plan);
uint64_t HashColumns(const std::vector<cluster::QueryColumn>& columns);

// True if an execution can resume after any row: the rows come in the order of the table's keys,
// and no row depends on the rows before it.
bool CanGoOn(const SelectPlan& plan);
// Adds the row key to each row of the result, after its `columns` values, and returns its index.
// The rows of SELECT CELLS begin with the key already. Requires: CanGoOn.
size_t AddKey(syntax::Select* select, size_t columns);
// Makes `*select` begin after the rows that the client already has according to `token`.
[[nodiscard]] Status GoOn(const StatementContext& context, const ResumeToken& token,
                          syntax::Select* select);

// A QueryError as one line: "SYNTAX: unexpected 'x' [at 1:15]; did you mean …".
Status WithPlace(const Status& status);

}  // namespace sippar::query
