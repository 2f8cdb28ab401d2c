// IMPORT and EXPORT: rows of csv, tsv, jsonl and cells files into a table and out of it. The bytes
// come and go through query/session/file_access.h. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "query/execute/file_rows.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteImport(const StatementContext& context, const syntax::Import& import);
[[nodiscard]] Status ExecuteExport(const StatementContext& context,
                                   const syntax::Export& statement);

// Shared by both.
struct TransferOptions {
  FileRowsOptions file;      // header for EXPORT too
  uint64_t skip = 0;         // IMPORT: records at the begin that are in already
  bool skip_errors = false;  // IMPORT
};
[[nodiscard]] StatusOr<TransferOptions> PlanTransferOptions(
    const std::vector<syntax::Option>& options);
// As written, else by the file's suffix.
[[nodiscard]] StatusOr<std::string> TransferFormat(const syntax::Identifier& format,
                                                   const std::string& path, const Span& span);
[[nodiscard]] StatusOr<std::string> TransferPath(const StatementContext& context,
                                                 const syntax::Expr& expr);

}  // namespace sippar::query
