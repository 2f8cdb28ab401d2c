// SPDX-License-Identifier: Apache-2.0
#include "query/execute/row_writer.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/api/outcome.h"
#include "engine/base/limits.h"
#include "query/execute/gathered_rows.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"

namespace sippar::query {

std::string WrittenTag(uint64_t rows, uint64_t cells) {
  return fmt::format("{}, {} written", Plural(rows, "row"), Plural(cells, "cell"));
}

std::string KnownDone(uint64_t rows, bool lacks_outcome, std::string_view done) {
  if (rows == 0) return fmt::format("no row is {}{}", lacks_outcome ? "known to be " : "", done);
  return fmt::format("{}{} {}", lacks_outcome ? "at least " : "", Plural(rows, "row"), done);
}

Status WithRowsDone(const Status& status, const RowWriter& writer, std::string_view done) {
  const uint64_t rows = writer.flushed_rows();
  if (status.ok() || (rows == 0 && !writer.lacks_outcome())) return status;
  QueryError error = QueryErrorOf(status);
  error.message += "; " + KnownDone(rows, writer.lacks_outcome(), done);
  if (!error.hint.empty()) error.hint += "; ";
  if (!cluster::LacksOutcome(status)) {
    error.hint += fmt::format("what is {0} stays {0}", done);
  } else if (done == "written") {
    error.hint += "to go on: run it again; the rows that are in are then written twice";
  } else {
    error.hint += "to go on: run it again";
  }
  return ToStatus(error, status.code());
}

Status WithLater(const Status& first, const Status& later) {
  if (first.ok() || later.ok()) return first.ok() ? later : first;
  QueryError error = QueryErrorOf(first);
  error.message += "; then " + QueryErrorOf(later).message;
  return ToStatus(error, first.code());
}

Status RowWriter::Add(engine::RowMutation mutation, const Span& span) {
  RETURN_IF_ERROR(CheckTransactionRow(context_, table_, mutation.row, span));
  cells_ += mutation.entries.size();
  if (context_.session->transaction && !only_counts()) {
    // In a transaction the writer batches no mutations. Here `index_` only serves to count each row
    // once.
    if (index_.emplace(mutation.row, 0).second) ++rows_;
    return WriteInTransaction(context_, mutation);
  }
  // Entries of one row are joined into one mutation, which may not exceed the server's limit.
  auto present = index_.find(mutation.row);
  if (present != index_.end() && batch_[present->second].entries.size() + mutation.entries.size() >
                                     limits::kMutationEntriesMax) {
    RETURN_IF_ERROR(Flush());
  }
  bytes_ += mutation.StoredSize();
  auto [found, is_new] = index_.emplace(mutation.row, batch_.size());
  if (is_new) {
    // A row whose entries fill several batches counts as one row.
    if (mutation.row != last_row_) ++rows_;
    last_row_ = mutation.row;
    batch_.push_back(std::move(mutation));
  } else {
    auto& entries = batch_[found->second].entries;
    for (engine::MutationEntry& entry : mutation.entries) entries.push_back(std::move(entry));
  }
  if (batch_.size() < kBatchRows && bytes_ < kBatchBytes) return OkStatus();
  return Flush();
}

void RowWriter::CountCalls() {
  for (const engine::RowRange& tablet : tablets_) {
    auto first = index_.lower_bound(tablet.start);
    if (first != index_.end() && tablet.Contains(first->first)) ++calls_;
  }
}

Status RowWriter::Flush() {
  if (batch_.empty()) return OkStatus();
  ++batches_;
  if (context_.session->gathered != nullptr && !only_counts()) {
    index_.clear();
    bytes_ = 0;
    Status taken = context_.session->gathered->Take(table_, std::exchange(batch_, {}));
    lacks_outcome_ |= taken.ok();  // the rows are written later, with those of other statements
    return taken;
  }
  std::vector<Status> statuses(batch_.size());
  if (only_counts()) {
    CountCalls();
  } else {
    RETURN_IF_ERROR(context_.CheckStop());
    statuses = context_.client()->data()->ApplyBatch(table_, batch_, context_.CallOptions());
  }
  Status first;
  for (size_t i = 0; i < statuses.size(); ++i) {
    // Each row of a batch fails or succeeds alone; the first failure is reported.
    if (statuses[i].ok()) {
      if (i > 0 || batch_[i].row != last_flushed_) ++flushed_rows_;  // as Add counts rows_
      continue;
    }
    lacks_outcome_ = lacks_outcome_ || cluster::LacksOutcome(statuses[i]);
    if (!first.ok()) continue;
    first = Annotate(statuses[i], fmt::format("row '{}'", engine::PrintEscaped(batch_[i].row)));
  }
  last_flushed_ = std::move(batch_.back().row);
  batch_.clear();
  index_.clear();
  bytes_ = 0;
  return first;
}

}  // namespace sippar::query
