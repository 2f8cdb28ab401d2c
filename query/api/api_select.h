// A SELECT as the API has it: its text, its parameters by type, the columns it answers with, and
// the SELECT that goes on where an execution stopped. Decides only; query_api.cc runs.
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

// What the settings of the shell are here: UTC, sorts of 64 MiB, no tables but those of the prefix.
void SetUpSession(cluster::Client* client, const std::string& table_prefix, Params params,
                  SessionState* session);
// kInvalidArgument: anything but one SELECT.
[[nodiscard]] StatusOr<syntax::Select> ParseSelect(std::string_view text);
// A value of each type, to plan with before the real ones are there.
Params SampleParams(const ParamTypes& types);
// kInvalidArgument: a value is missing, of another type, or of no parameter.
[[nodiscard]] Status CheckParams(const ParamTypes& types, const Params& params);

// kInvalidArgument names a column whose type is not known, or unknown to the API.
[[nodiscard]] StatusOr<std::vector<cluster::QueryColumn>> ColumnsOf(const SelectPlan& plan);
uint64_t HashColumns(const std::vector<cluster::QueryColumn>& columns);

// Its rows come in the order of the table's, and what is behind one depends on no row before.
bool CanGoOn(const SelectPlan& plan);
// Makes the row key a value of each row of the result, behind its `columns`; its place. Requires:
// CanGoOn.
size_t AddKey(syntax::Select* select, size_t columns);
// Begins behind what `token` says was given.
[[nodiscard]] Status GoOn(const StatementContext& context, const ResumeToken& token,
                          syntax::Select* select);

// A QueryError as one line: "SYNTAX: unexpected 'x' [at 1:15], did you mean …".
Status WithPlace(const Status& status);

}  // namespace sippar::query
