// IMPORT and EXPORT: rows of csv, tsv, jsonl and cells files into a table and out of it. The bytes
// come and go through query/file_access.h. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteImport(const StatementContext& context, const syntax::Import& import);
[[nodiscard]] Status ExecuteExport(const StatementContext& context,
                                   const syntax::Export& statement);

}  // namespace sippar::query
