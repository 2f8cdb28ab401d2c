// IMPORT: every record of a file becomes a mutation of one row. The mutations are written in
// batches, in the order of the file; if IMPORT stops, its error says how many of the first records
// are known to be written.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/execute/bad_records.h"
#include "query/execute/file_rows.h"
#include "query/execute/import_preview.h"
#include "query/execute/import_writer.h"
#include "query/execute/recoded_file.h"
#include "query/execute/record_mapping.h"
#include "query/execute/row_writer.h"
#include "query/execute/transaction.h"
#include "query/execute/transfer.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

constexpr std::string_view kLeaveOut =
    "WITH (ON_ERROR = SKIP), or --on-error skip, leaves such records out";

// Collects the names that `expr` reads; only these members of a jsonl object are decoded.
void CollectNames(const syntax::Expr& expr, std::vector<std::string>* names) {
  if (expr.kind == syntax::ExprKind::kName) names->push_back(expr.name);
  if (expr.kind == syntax::ExprKind::kPattern) names->push_back(Print(expr.pattern));
  for (const syntax::Expr& child : expr.children) CollectNames(child, names);
}

// One run of IMPORT: writes the records, or shows what it would write, and builds the result or the
// error message.
class ImportRun {
 public:
  ImportRun(const StatementContext& context, const syntax::Import& import, std::string path,
            const TransferOptions& options, const engine::TableSchema& schema)
      : context_(context),
        import_(import),
        path_(std::move(path)),
        options_(options),
        writer_(context.client(), schema.name, options.jobs),
        preview_(schema) {}

  Status Run(RecordMapping* mapping, FileRows* file) {
    if (!options_.bad_file.empty()) {
      RETURN_IF_ERROR(bad_.Open(context_.session->files, options_.bad_file));
    }
    Status status = SkipDone(file);
    if (!status.ok()) {
      // SKIP says that an earlier run wrote the first `skip` records. That stays true although this
      // run failed before it had read past all of them.
      written_ = options_.skip;
      return Stopped(status, *file);
    }
    status = WriteAll(mapping, file);
    // Flushes after an error in the file, too: the records before the error are then written, so
    // that SKIP can continue after them.
    Status flushed = writer_.Flush();
    written_ = writer_.has_failed() ? std::max(written_, writer_.written_records()) : done_;
    status = WithLater(status, flushed);
    // Closes the file after an error, too: only this file holds the records that were skipped.
    Status closed = bad_.Close();
    status = WithLater(status, closed);
    if (!status.ok()) return Stopped(status, *file);
    if (options_.dry_run) return EndDryRun(*file);
    context_.summary->tag = Tag(*file);
    return OkStatus();
  }

 private:
  // Reads past the records that an earlier run has written.
  Status SkipDone(FileRows* file) {
    for (Row record; done_ < options_.skip; ++done_) {
      RETURN_IF_ERROR(context_.CheckStop());
      auto more = file->Next(&record);
      if (!more.ok() && !IsBroken(more.status())) return more.status();
      if (more.ok() && !*more) break;
    }
    written_ = done_;
    return OkStatus();
  }

  Status WriteAll(RecordMapping* mapping, FileRows* file) {
    for (Row record;; ++done_) {
      at_record_ = false;
      RETURN_IF_ERROR(context_.CheckStop());
      auto more = file->Next(&record);
      if (more.ok() && !*more) return OkStatus();
      Status status = more.status();
      if (status.ok()) {
        auto mutation = mapping->Mutation(record);
        status = mutation.status();
        if (mutation.ok() && !mutation->entries.empty()) {
          RETURN_IF_ERROR(Take(*std::move(mutation)));
        }
      }
      at_record_ = !status.ok();
      // A dry run continues after a broken record, to find all broken records.
      bool goes_on = options_.skip_errors || options_.dry_run;
      if (at_record_ && (!goes_on || !IsBroken(status))) return status;
      if (at_record_) RETURN_IF_ERROR(bad_.Add(file->line(), status, file->text()));
      ShowProgress(*file);
    }
  }

  Status Take(engine::RowMutation mutation) {
    if (options_.dry_run) {
      preview_.Add(mutation);
      return OkStatus();
    }
    return writer_.Add(std::move(mutation), done_ + 1);
  }

  void ShowProgress(const FileRows& file) const {
    // Reports every 1000th record, so that progress costs little.
    constexpr uint64_t kEach = 1000;
    context_.session->rows_read = done_ + 1;
    if (done_ % kEach != 0 || context_.sink == nullptr) return;
    Progress progress;
    progress.rows_read = done_ + 1;
    progress.share = file.share();
    context_.sink->OnProgress(progress);
  }

  // True for an error of one record alone: it cannot be parsed, or it names an unknown family.
  static bool IsBroken(const Status& status) {
    return status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound;
  }

  // The error of a stopped run: how much is written, and the SKIP option that continues. A second
  // run of the whole file would write new versions of every cell.
  Status Stopped(const Status& status, const FileRows& file) const {
    QueryError error = QueryErrorOf(status);
    error.span = import_.from.span;
    std::string place =
        at_record_ ? fmt::format("{}:{}: ", path_, file.line()) : fmt::format("{}: ", path_);
    error.message = place + error.message + "; " + Done();
    if (std::string how = HowToGoOn(); !how.empty()) error.hint = std::move(how);
    if (at_record_ && IsBroken(status)) {
      error.hint += error.hint.empty() ? "" : "; ";
      error.hint += kLeaveOut;
    }
    return ToStatus(error, status.code());
  }

  std::string Done() const {
    if (options_.dry_run) return "dry run, nothing written";
    return fmt::format("{} of the file done, {}",
                       written_ == 0 ? "no record" : Plural(written_, "record"),
                       KnownDone(writer_.written_rows(), writer_.lacks_outcome()));
  }
  std::string HowToGoOn() const {
    if (options_.dry_run) return "";
    if (written_ > 0) return fmt::format("to go on: WITH (SKIP = {0}), or --skip {0}", written_);
    const bool wrote = writer_.written_rows() > 0 || writer_.lacks_outcome();
    return wrote ? "to go on: run it again" : "";
  }

  // Shows the first cells. Fails if the real import would end at a broken record.
  Status EndDryRun(const FileRows& file) {
    preview_.Give(context_);
    context_.summary->tag = fmt::format("dry run, nothing written: {}", Tag(file));
    std::vector<std::string> reasons = bad_.Reasons(path_);
    if (bad_.count() > 0 && !options_.skip_errors) {
      std::string message = fmt::format("dry run: the import would stop at {}", reasons[0]);
      if (bad_.count() > 1) {
        message += fmt::format("; {} more cannot be taken", Plural(bad_.count() - 1, "record"));
      }
      return ErrorAt("BAD_RECORD", import_.from.span, message, kLeaveOut);
    }
    for (std::string& reason : reasons) context_.summary->notices.push_back(std::move(reason));
    return OkStatus();
  }

  std::string Tag(const FileRows& file) const {
    uint64_t rows = options_.dry_run ? preview_.rows() : writer_.rows();
    uint64_t cells = options_.dry_run ? preview_.cells() : writer_.cells();
    std::string tag = fmt::format(
        "{} read, {}, {} {}", Plural(done_ - std::min(done_, options_.skip), "record"),
        Plural(rows, "row"), Plural(cells, "cell"), options_.dry_run ? "to write" : "written");
    if (bad_.count() > 0 || !options_.bad_file.empty()) tag += ", " + bad_.Summary();
    return tag + fmt::format(", {}", Plural(file.bytes(), "byte"));
  }

  const StatementContext& context_;
  const syntax::Import& import_;
  std::string path_;
  const TransferOptions& options_;
  ImportWriter writer_;
  ImportPreview preview_;
  BadRecords bad_;
  uint64_t done_ = 0;       // records read
  uint64_t written_ = 0;    // number of records, from the first on, that were written or skipped
  bool at_record_ = false;  // the last record read caused the failure
};

// A csv file with another delimiter seems to have one column, whose name is the whole header line.
// The error of the mapping then suggests that delimiter.
Status WithDelimiter(const Status& status, const FileRows& file, const FileRowsOptions& options) {
  if (status.ok() || options.format != "csv" || file.columns().size() != 1) return status;
  for (char other : {';', '\t', '|', ','}) {
    if (other == options.delimiter || file.text().find(other) == std::string::npos) continue;
    QueryError error = QueryErrorOf(status);
    error.hint = fmt::format(
        "the file has one column; if its fields end with '{0}': WITH (DELIMITER = '{0}'), or "
        "--delimiter '{0}'",
        other == '\t' ? "\\t" : std::string(1, other));
    return ToStatus(error, status.code());
  }
  return status;
}

StatusOr<std::unique_ptr<FileRows>> OpenRows(const StatementContext& context,
                                             const std::string& path, const Span& span,
                                             const TransferOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, context.session->files->OpenInput(path));
  if (!options.encoding.empty()) {
    ASSIGN_OR_RETURN(file, Recode(std::move(file), options.encoding));
  }
  auto rows = FileRows::Open(std::move(file), options.file, context.stop);
  if (rows.ok()) return rows;
  QueryError error = QueryErrorOf(rows.status());
  error.span = span;
  error.message = fmt::format("{}: {}", path, error.message);
  return ToStatus(error, rows.status().code());
}

}  // namespace

Status ExecuteImport(const StatementContext& context, const syntax::Import& import) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "IMPORT"));
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, import.table));
  ASSIGN_OR_RETURN(TransferOptions options, PlanTransferOptions(import));
  ASSIGN_OR_RETURN(std::string path, TransferPath(context, import.from));
  FileRowsOptions& file_options = options.file;
  ASSIGN_OR_RETURN(file_options.format, TransferFormat(import.format, path, import.from.span));
  for (const syntax::MapItem& item : import.mapping) CollectNames(item.value, &file_options.wanted);
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows,
                   OpenRows(context, path, import.from.span, options));
  RecordMapping mapping(context, *schema, rows.get());
  RETURN_IF_ERROR(WithDelimiter(mapping.Plan(import), *rows, file_options));
  return ImportRun(context, import, path, options, *schema).Run(&mapping, rows.get());
}

}  // namespace sippar::query
