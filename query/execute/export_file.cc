// EXPORT writes the rows of a SELECT, or all cells of a table, into a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/execute/select.h"
#include "query/execute/transaction.h"
#include "query/execute/transfer.h"
#include "query/format/format.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

constexpr size_t kChunkBytes = 1 << 20;  // bytes to collect before a write to the file

// The tree of SELECT CELLS * FROM table VERSIONS ALL.
syntax::Select WholeTable(const syntax::Identifier& table) {
  syntax::Select select;
  select.cells = true;
  select.items.emplace_back().star = true;
  syntax::Source source;
  source.table = table;
  select.from = std::move(source);
  select.read.versions_all = true;
  return select;
}

}  // namespace

syntax::Select ExportedRows(const syntax::Export& statement) {
  return statement.select ? *statement.select : WholeTable(statement.table);
}

Status ExecuteExport(const StatementContext& context, const syntax::Export& statement) {
  ASSIGN_OR_RETURN(TransferOptions options, PlanTransferOptions(statement));
  ASSIGN_OR_RETURN(std::string path, TransferPath(context, statement.to));
  ASSIGN_OR_RETURN(std::string format, TransferFormat(statement.format, path, statement.to.span));
  syntax::Select select = ExportedRows(statement);
  ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, select));
  FormatOptions format_options;
  format_options.header = options.file.header;
  ASSIGN_OR_RETURN(auto formatter, NewFormatter(format, format_options));
  std::string out;
  Status fits = formatter->Begin(ColumnNames(plan), &out);
  if (!fits.ok()) return ErrorAt("BAD_FORMAT", statement.format.span, MessageOf(fits));
  // Opened last, since opening replaces the file: a statement with an error must not empty it.
  ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, context.session->files->OpenOutput(path));
  uint64_t count = 0;
  auto write = [&](const std::vector<Row>& rows) -> StatusOr<bool> {
    for (const Row& row : rows) {
      formatter->Add(row, &out);
      if (out.size() < kChunkBytes) continue;
      RETURN_IF_ERROR(file->Write(out));
      out.clear();
    }
    count += rows.size();
    return true;
  };
  std::string next;
  StatementContext reading = context;
  reading.tablets_max = options.jobs;
  RETURN_IF_ERROR(RunSelect(reading, plan, write, &next));
  formatter->End({}, &out);
  RETURN_IF_ERROR(file->Write(out));
  RETURN_IF_ERROR(file->Close());
  context.summary->tag = fmt::format("{} written", Plural(count, select.cells ? "cell" : "row"));
  return OkStatus();
}

}  // namespace sippar::query
