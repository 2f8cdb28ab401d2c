// IMPORT: every record of a file becomes a mutation of one row. The mutations are written in
// batches, in the order of the file; if IMPORT stops, its error says how many of the first records
// are known to be written. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/execute/file_rows.h"
#include "query/execute/record_mapping.h"
#include "query/execute/transaction.h"
#include "query/execute/transfer.h"
#include "query/execute/write.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

constexpr size_t kSkippedLinesShown = 10;  // line numbers listed in the result

// Collects the names that `expr` reads; only these members of a jsonl object are decoded.
void CollectNames(const syntax::Expr& expr, std::vector<std::string>* names) {
  if (expr.kind == syntax::ExprKind::kName) names->push_back(expr.name);
  if (expr.kind == syntax::ExprKind::kPattern) names->push_back(Print(expr.pattern));
  for (const syntax::Expr& child : expr.children) CollectNames(child, names);
}

// One run of IMPORT: writes the records and words the result or the error.
class ImportRun {
 public:
  ImportRun(const StatementContext& context, const syntax::Import& import, std::string path,
            const TransferOptions& options)
      : context_(context), import_(import), path_(std::move(path)), options_(options) {}

  Status Run(RecordMapping* mapping, FileRows* file, RowWriter* writer) {
    Status status = SkipDone(file);
    if (!status.ok()) {
      // SKIP says that an earlier run wrote the first `skip` records. That stays true although this
      // run failed before it had read past all of them.
      written_ = options_.skip;
      return Stopped(status, *file, *writer);
    }
    status = WriteAll(mapping, file, writer);
    // Also after an error in the file: the records before it are written, so that SKIP can continue
    // after them. After a failed write there is nothing to flush: the writer has dropped the batch.
    if (!write_failed_) {
      Status flushed = writer->Flush();
      if (flushed.ok()) written_ = done_;
      if (status.ok()) status = flushed;
    }
    if (!status.ok()) return Stopped(status, *file, *writer);
    context_.summary->tag = Tag(*writer, file->bytes());
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

  Status WriteAll(RecordMapping* mapping, FileRows* file, RowWriter* writer) {
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
          Status added = writer->Add(*std::move(mutation));
          write_failed_ = !added.ok();
          RETURN_IF_ERROR(added);
        }
      }
      at_record_ = !status.ok();
      if (at_record_ && (!options_.skip_errors || !IsBroken(status))) return status;
      if (at_record_ && ++skipped_count_ <= kSkippedLinesShown) skipped_.push_back(file->line());
      if (writer->IsFlushed()) written_ = done_ + 1;
      ShowProgress(*file);
    }
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

  // An error of the record alone: it cannot be parsed, or it names an unknown family.
  static bool IsBroken(const Status& status) {
    return status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound;
  }

  // The error of a stopped run: how much is written, and the SKIP option that continues. A second
  // run of the whole file would write new versions of every cell.
  Status Stopped(const Status& status, const FileRows& file, const RowWriter& writer) const {
    QueryError error = QueryErrorOf(status);
    error.span = import_.from.span;
    std::string place =
        at_record_ ? fmt::format("{}:{}: ", path_, file.line()) : fmt::format("{}: ", path_);
    error.message = fmt::format("{}{}; {} of the file done, {} written", place, error.message,
                                written_ == 0 ? "no record" : Plural(written_, "record"),
                                Plural(writer.flushed_rows(), "row"));
    if (written_ > 0) error.hint = fmt::format("to go on: WITH (SKIP = {})", written_);
    if (at_record_ && IsBroken(status)) {
      error.hint += error.hint.empty() ? "" : "; ";
      error.hint += "WITH (ON_ERROR = SKIP) leaves such records out";
    }
    return ToStatus(error, status.code());
  }

  std::string Tag(const RowWriter& writer, uint64_t bytes) const {
    std::string lines;
    for (uint64_t line : skipped_) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", line);
    if (skipped_count_ > skipped_.size()) lines += ", …";
    std::string tag = fmt::format("{} read, {}, {} written",
                                  Plural(done_ - std::min(done_, options_.skip), "record"),
                                  Plural(writer.rows(), "row"), Plural(writer.cells(), "cell"));
    if (skipped_count_ > 0) tag += fmt::format(", {} skipped (lines {})", skipped_count_, lines);
    return tag + fmt::format(", {}", Plural(bytes, "byte"));
  }

  const StatementContext& context_;
  const syntax::Import& import_;
  std::string path_;
  const TransferOptions& options_;
  uint64_t done_ = 0;       // records read
  uint64_t written_ = 0;    // length of the prefix of records that are written or were skipped
  bool at_record_ = false;  // the last record read was the failure
  bool write_failed_ = false;
  uint64_t skipped_count_ = 0;
  std::vector<uint64_t> skipped_;
};

}  // namespace

Status ExecuteImport(const StatementContext& context, const syntax::Import& import) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "IMPORT"));
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, import.table));
  ASSIGN_OR_RETURN(TransferOptions options, PlanTransferOptions(import.options));
  ASSIGN_OR_RETURN(std::string path, TransferPath(context, import.from));
  FileRowsOptions& file_options = options.file;
  ASSIGN_OR_RETURN(file_options.format, TransferFormat(import.format, path, import.from.span));
  for (const syntax::MapItem& item : import.mapping) CollectNames(item.value, &file_options.wanted);
  ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, context.session->files->OpenInput(path));
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows,
                   FileRows::Open(std::move(file), file_options, context.stop));
  RecordMapping mapping(context, *schema, rows.get());
  RETURN_IF_ERROR(mapping.Plan(import));
  RowWriter writer(context, schema->name);
  return ImportRun(context, import, path, options).Run(&mapping, rows.get(), &writer);
}

}  // namespace sippar::query
