// SPDX-License-Identifier: Apache-2.0
#include "query/execute/insert_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/program/calendar.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/insert_select_plan.h"
#include "query/execute/row_writer.h"
#include "query/execute/select.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

// Limit of the bytes of rows that wait to be written until the reader has passed them.
constexpr size_t kWaitingBytesMax = 64 << 20;

// Turns rows of the result into mutations.
class RowMaker {
 public:
  RowMaker(const engine::TableSchema& schema, const InsertSelectPlan& plan, const Span& span)
      : schema_(schema), plan_(plan), span_(span) {}

  StatusOr<engine::RowMutation> Make(const Row& row) const {
    return plan_.cells ? OfCell(row) : OfTuple(row);
  }

 private:
  StatusOr<engine::RowMutation> Start(const Value& key, const Span& span) const {
    if (!key.is_string()) {
      return ErrorAt("BAD_ROW_KEY", span,
                     fmt::format("the row key is {}, not TEXT or BYTES", key.Print()),
                     key.is_null() ? "WHERE … IS NOT NULL leaves such rows out" : "");
    }
    Status valid = engine::ValidateRowKey(key.bytes());
    if (!valid.ok()) return ErrorAt("BAD_ROW_KEY", span, MessageOf(valid));
    return engine::RowMutation(key.bytes());
  }

  static StatusOr<int64_t> Time(const Value& time, const Span& span) {
    if (time.is_null()) return engine::kServerTime;
    if (!engine::IsTime(time)) {
      return ErrorAt("TYPE", span,
                     fmt::format("TIMESTAMP cannot be {}", engine::TypeName(time.type())));
    }
    const int64_t time_us = engine::MicrosOf(time);
    RETURN_IF_ERROR(CheckCellTime(time_us, span));
    return time_us;
  }

  StatusOr<engine::RowMutation> OfTuple(const Row& row) const {
    const InsertColumns& columns = plan_.columns;
    ASSIGN_OR_RETURN(engine::RowMutation mutation,
                     Start(row[columns.row_at], columns.spans[columns.row_at]));
    int64_t time_us = engine::kServerTime;
    if (columns.time_at) {
      ASSIGN_OR_RETURN(time_us, Time(row[*columns.time_at], columns.spans[*columns.time_at]));
    }
    for (size_t i = 0; i < columns.columns.size(); ++i) {
      if (!columns.IsCell(i) || row[i].is_null()) continue;  // NULL writes no cell
      const std::string& family = columns.columns[i].family.text;
      const std::string& qualifier = columns.columns[i].qualifier.text;
      ASSIGN_OR_RETURN(std::string bytes,
                       CellBytes(schema_, family, qualifier, row[i], columns.spans[i]));
      PutCell(schema_, family, qualifier, bytes, time_us, &mutation);
    }
    return mutation;
  }

  StatusOr<engine::RowMutation> OfCell(const Row& row) const {
    ASSIGN_OR_RETURN(engine::RowMutation mutation, Start(row[0], span_));
    const std::string& column = row[1].bytes();
    const size_t colon = column.find(':');
    if (!row[1].is_string() || colon == std::string::npos) {
      return ErrorAt("BAD_COLUMN", span_,
                     fmt::format("column {} is not family:qualifier", row[1].Print()),
                     "family || ':' || qualifier AS column");
    }
    std::string family = column.substr(0, colon), qualifier = column.substr(colon + 1);
    if (schema_.FindFamily(family) == nullptr) return UnknownFamily(schema_, family, span_);
    ASSIGN_OR_RETURN(int64_t time_us, Time(row[2], span_));
    if (row[3].is_null()) return mutation;
    ASSIGN_OR_RETURN(std::string bytes, CellBytes(schema_, family, qualifier, row[3], span_));
    PutCell(schema_, family, qualifier, bytes, time_us, &mutation);
    return mutation;
  }

  const engine::TableSchema& schema_;
  const InsertSelectPlan& plan_;
  const Span span_;  // place of the SELECT
};

// One execution of INSERT … SELECT.
class InsertRun {
 public:
  InsertRun(const StatementContext& context, const engine::TableSchema& schema,
            const InsertSelectPlan& plan, const Span& span)
      : context_(context), plan_(plan), maker_(schema, plan, span), writer_(context, schema.name) {
    waiting_max_ = std::max<size_t>(kWaitingBytesMax, context.session->settings.sort_memory_bytes);
  }

  Status Run() {
    Status status = RunSelect(
        context_, plan_.select,
        [this](const std::vector<Row>& rows) -> StatusOr<bool> {
          for (const Row& row : rows) RETURN_IF_ERROR(Take(row));
          return true;
        },
        &context_.summary->next);
    // After an error of the SELECT, the rows read before it are written, so that the user can
    // continue after these rows. If the statement must stop, or if a write has failed and the
    // writer has dropped the batch of that write, the rows are not written.
    if (!write_failed_ && (status.ok() || context_.CheckStop().ok())) {
      Status written = Finish(status.ok());
      status = WithLater(status, written);
    }
    if (!status.ok()) return Stopped(status);
    context_.summary->tag = WrittenTag(writer_.rows(), writer_.cells());
    return OkStatus();
  }

 private:
  bool reverse() const { return plan_.select.program.read.reverse; }

  Status Take(const Row& row) {
    std::string source;
    if (plan_.source_row_at) source = row[*plan_.source_row_at].bytes();
    if (plan_.source_row_at && source != source_) RETURN_IF_ERROR(EndSourceRow(source));
    auto mutation = maker_.Make(row);
    if (!mutation.ok()) return InRow(mutation.status());
    ++taken_;
    if (mutation->entries.empty()) return OkStatus();
    // Cells of one row are collected and written together.
    const bool joins =
        !pending_.entries.empty() && pending_.row == mutation->row && pending_bytes_ < kBatchBytes;
    if (!joins) {
      RETURN_IF_ERROR(EndPending());
      pending_.row = mutation->row;
    }
    pending_bytes_ += mutation->StoredSize();
    for (engine::MutationEntry& entry : mutation->entries) {
      pending_.entries.push_back(std::move(entry));
    }
    return OkStatus();
  }

  // The error with the key of the source row that caused it.
  Status InRow(const Status& status) const {
    if (!plan_.source_row_at) return status;
    QueryError error = QueryErrorOf(status);
    error.message = fmt::format("row {}: {}", QuoteValue(source_), error.message);
    return ToStatus(error, status.code());
  }

  // Called when the reader has read all of the row `source_` and begins the row `next`.
  Status EndSourceRow(const std::string& next) {
    RETURN_IF_ERROR(EndPending());
    if (taken_ > 0) complete_ = source_;
    complete_taken_ = taken_;
    source_ = next;
    RETURN_IF_ERROR(WritePassed());
    NoteWritten();
    return OkStatus();
  }

  Status EndPending() {
    if (pending_.entries.empty()) return OkStatus();
    engine::RowMutation mutation = std::move(pending_);
    pending_ = {};
    pending_bytes_ = 0;
    if (!IsAhead(mutation.row)) return Write(std::move(mutation));
    waiting_bytes_ += mutation.StoredSize() + sizeof(engine::RowMutation);
    waiting_.emplace(mutation.row, std::move(mutation));
    if (waiting_bytes_ <= waiting_max_) return OkStatus();
    return ErrorAt(
        "TOO_LARGE", {},
        fmt::format("more than {} MiB of rows wait, since the statement still reads "
                    "the part of the table that they lie in",
                    waiting_max_ >> 20),
        "write into another table, read only rows that it does not write (WHERE row < …), or "
        "SET sort_memory",
        StatusCode::kResourceExhausted);
  }

  // True if this statement could still read `row` after writing it, because the reader has not yet
  // passed the row.
  bool IsAhead(const std::string& row) const {
    if (!plan_.reads_what_it_writes) return false;
    if (!plan_.source_row_at) return true;  // the reader's position is unknown
    if (!plan_.select.program.read.rows.Contains(row)) return false;
    return reverse() ? row <= source_ : row >= source_;
  }

  // Writes the rows that the reader has passed.
  Status WritePassed() {
    while (!waiting_.empty()) {
      // waiting_ keeps the writes to one row in their order; lower_bound finds the oldest of them.
      auto next = reverse() ? waiting_.lower_bound(waiting_.rbegin()->first) : waiting_.begin();
      if (IsAhead(next->first)) break;
      RETURN_IF_ERROR(WriteWaiting(next));
    }
    return OkStatus();
  }

  Status WriteWaiting(std::multimap<std::string, engine::RowMutation>::iterator at) {
    engine::RowMutation mutation = std::move(at->second);
    waiting_bytes_ -= mutation.StoredSize() + sizeof(engine::RowMutation);
    waiting_.erase(at);
    return Write(std::move(mutation));
  }

  Status Write(engine::RowMutation mutation) {
    Status added = writer_.Add(std::move(mutation));
    write_failed_ = !added.ok();
    return added;
  }

  // Writes the remaining rows. `whole`: the SELECT has ended, so its last row is complete.
  Status Finish(bool whole) {
    if (whole) {
      RETURN_IF_ERROR(EndSourceRow(source_));
      while (!waiting_.empty()) RETURN_IF_ERROR(WriteWaiting(waiting_.begin()));
    }
    RETURN_IF_ERROR(writer_.Flush());
    NoteWritten();
    return OkStatus();
  }

  void NoteWritten() {
    if (!writer_.IsFlushed() || !waiting_.empty()) return;
    written_ = complete_;
    written_taken_ = complete_taken_;
  }

  Status Stopped(const Status& status) const {
    QueryError error = QueryErrorOf(status);
    const uint64_t rows = writer_.flushed_rows();
    error.message += "; " + KnownDone(rows, writer_.lacks_outcome());
    if (rows > 0 || writer_.lacks_outcome()) {
      error.hint += fmt::format("{}to go on: {}", error.hint.empty() ? "" : "; ", GoOn());
    }
    return ToStatus(error, status.code());
  }

  // Tells the user how to continue, if possible with only the rows that are not written yet: if a
  // row is written again, each of its cells can get a second version.
  std::string GoOn() const {
    if (!plan_.source_row_at) {
      return "run it again, since the order of its rows is not that of a table";
    }
    if (written_.empty()) return "run it again";
    std::string after = fmt::format("AFTER ROW {}", QuoteValue(written_));
    const SelectPlan& select = plan_.select;
    if (select.limit == kNoLimit) return after;
    return fmt::format("LIMIT {} {}{}", select.limit - written_taken_, after,
                       select.offset > 0 ? " without OFFSET" : "");
  }

  const StatementContext& context_;
  const InsertSelectPlan& plan_;
  const RowMaker maker_;
  RowWriter writer_;
  bool write_failed_ = false;
  std::string source_;           // source row that is being read
  uint64_t taken_ = 0;           // rows of the result read so far
  engine::RowMutation pending_;  // cells that `source_` writes to one row
  size_t pending_bytes_ = 0;
  std::multimap<std::string, engine::RowMutation> waiting_;  // rows ahead of the reader, by key
  size_t waiting_bytes_ = 0;
  size_t waiting_max_ = 0;
  // complete_ is the last source row that was read to its end (its rows were given to the writer or
  // are in waiting_), and written_ is the last source row whose rows are all written. Each of the
  // two counts is the number of result rows up to that source row.
  std::string complete_, written_;
  uint64_t complete_taken_ = 0, written_taken_ = 0;
};

}  // namespace

Status InsertFromSelect(const StatementContext& context, const engine::TableSchema& schema,
                        const syntax::Insert& insert) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "INSERT … SELECT"));
  ASSIGN_OR_RETURN(InsertSelectPlan plan, PlanInsertSelect(context, schema, insert));
  for (const std::string& notice : plan.select.notices) {
    context.summary->notices.push_back(notice);
  }
  return InsertRun(context, schema, plan, insert.select->span).Run();
}

}  // namespace sippar::query
