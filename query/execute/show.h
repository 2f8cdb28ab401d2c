// SHOW and DESCRIBE: small relations about the tables, the cluster and the session.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteShow(const StatementContext& context, const syntax::Show& show);
// The calls that SHOW makes, for EXPLAIN. UNKNOWN_NAME if there is no such SHOW.
[[nodiscard]] StatusOr<std::vector<std::string>> ShowCalls(const syntax::Show& show);
[[nodiscard]] Status ExecuteDescribe(const StatementContext& context,
                                     const syntax::Describe& describe);

}  // namespace sippar::query
