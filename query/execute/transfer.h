// IMPORT and EXPORT move rows between a table and files (file_rows.h). The bytes of files go
// through query/session/file_access.h.
// SPDX-License-Identifier: Apache-2.0
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
// Returns the SELECT that EXPORT runs: the SELECT in the statement or, if there is none, a SELECT
// that reads all cells of the table.
syntax::Select ExportedRows(const syntax::Export& statement);

// The options of IMPORT and EXPORT.
struct TransferOptions {
  FileRowsOptions file;      // how IMPORT reads the file; EXPORT uses `header` only
  std::string encoding;      // IMPORT: encoding of the file; "": the bytes are not converted
  uint64_t skip = 0;         // IMPORT: skips this many records, which an earlier run has written
  bool skip_errors = false;  // IMPORT: broken records are skipped and do not end the run
  std::string bad_file;      // IMPORT: file for broken records and their errors; "": none
  // IMPORT: parts of a batch that are written at once. EXPORT: the most tablets that are read at
  // once, or 0 for the default.
  size_t jobs = 0;
  bool dry_run = false;  // IMPORT: reads and maps all records, and writes none
};
// Fails with UNKNOWN_OPTION if the statement does not have an option, or not with the value given.
[[nodiscard]] StatusOr<TransferOptions> PlanTransferOptions(const syntax::Import& import);
[[nodiscard]] StatusOr<TransferOptions> PlanTransferOptions(const syntax::Export& statement);
// Returns the format that the statement names, or else the format for the suffix of the path: csv,
// tsv, jsonl, jsonl-b64, cells or raw.
[[nodiscard]] StatusOr<std::string> TransferFormat(const syntax::Identifier& format,
                                                   const std::string& path, const Span& span);
// The path of the file. UNSUPPORTED if this session cannot open files.
[[nodiscard]] StatusOr<std::string> TransferPath(const StatementContext& context,
                                                 const syntax::Expr& expr);

}  // namespace sippar::query
