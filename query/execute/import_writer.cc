// SPDX-License-Identifier: Apache-2.0
#include "query/execute/import_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/api/outcome.h"
#include "engine/base/limits.h"
#include "engine/base/parallel.h"
#include "engine/program/value.h"
#include "query/execute/row_writer.h"

namespace sippar::query {

size_t ImportBatchRows(size_t jobs) { return jobs * kBatchRows; }

size_t ImportBatchBytes(size_t jobs) {
  // The limit whatever the number of jobs, because two batches are in memory.
  constexpr size_t kBytesMax = 32 << 20;
  return std::min(jobs * kBatchBytes, kBytesMax);
}

ImportWriter::ImportWriter(cluster::Client* client, std::string table, size_t jobs)
    : client_(client),
      table_(std::move(table)),
      jobs_(jobs),
      thread_("import", [this] { Work(); }) {}

ImportWriter::~ImportWriter() {
  {
    engine::MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

Status ImportWriter::Add(engine::RowMutation mutation, uint64_t records) {
  cells_ += mutation.entries.size();
  std::vector<engine::RowMutation>& rows = batch_.rows;
  // Often the previous record has the same row. Then the mutation is found without the index.
  size_t at = rows.size();
  if (!rows.empty() && rows.back().row == mutation.row) {
    at = rows.size() - 1;
  } else if (auto found = index_.find(mutation.row); found != index_.end()) {
    at = found->second;
  }
  // One mutation may not exceed the server's limit.
  bool full = at < rows.size() &&
              rows[at].entries.size() + mutation.entries.size() > limits::kMutationEntriesMax;
  if (full) {
    RETURN_IF_ERROR(Send());
    at = 0;
  }
  batch_.bytes += mutation.StoredSize();
  batch_.records = records;
  if (at == rows.size()) {
    // The row may have begun in the batch that was just sent.
    if (rows.empty()) batch_.goes_on = full || mutation.row == last_row_sent_;
    if (!rows.empty() || !batch_.goes_on) ++rows_;
    index_.emplace(mutation.row, at);
    rows.push_back(std::move(mutation));
  } else {
    for (engine::MutationEntry& entry : mutation.entries) {
      rows[at].entries.push_back(std::move(entry));
    }
  }
  const bool has_room =
      rows.size() < ImportBatchRows(jobs_) && batch_.bytes < ImportBatchBytes(jobs_);
  return has_room ? OkStatus() : Send();
}

Status ImportWriter::Flush() {
  if (failed_) return OkStatus();
  if (!batch_.rows.empty()) RETURN_IF_ERROR(Send());
  return Await();
}

Status ImportWriter::Send() {
  RETURN_IF_ERROR(Await());
  in_flight_ = true;
  records_in_flight_ = batch_.records;
  last_row_sent_ = batch_.rows.back().row;
  index_.clear();
  engine::MutexLock lock(&mutex_);
  waiting_ = std::exchange(batch_, {});
  changed_.NotifyAll();
  return OkStatus();
}

Status ImportWriter::Await() {
  if (!in_flight_) return OkStatus();
  Outcome outcome;
  {
    engine::MutexLock lock(&mutex_);
    while (!outcome_) changed_.Wait(&mutex_);
    outcome = *std::exchange(outcome_, std::nullopt);
  }
  in_flight_ = false;
  written_rows_ += outcome.rows;
  failed_ = !outcome.status.ok();
  lacks_outcome_ = outcome.lacks_outcome;
  if (!failed_) written_records_ = records_in_flight_;
  return outcome.status;
}

void ImportWriter::Work() {
  for (;;) {
    Batch batch;
    {
      engine::MutexLock lock(&mutex_);
      while (!stopping_ && !waiting_) changed_.Wait(&mutex_);
      // The batch that was handed over is written even if the import is ending.
      if (!waiting_) return;
      batch = *std::exchange(waiting_, std::nullopt);
    }
    Outcome outcome = Write(std::move(batch));
    engine::MutexLock lock(&mutex_);
    outcome_ = std::move(outcome);
    changed_.NotifyAll();
  }
}

size_t ImportWriter::CountParts(const Batch& batch) const {
  // A smaller part is not worth a call of its own.
  constexpr size_t kPartRows = 100;
  constexpr size_t kPartBytes = 256 << 10;
  const size_t worth = std::max(batch.rows.size() / kPartRows, batch.bytes / kPartBytes);
  return std::clamp<size_t>(worth, 1, std::min(jobs_, batch.rows.size()));
}

// Cuts the rows into parts of about the same number and writes these at once. The error is that of
// the first part that failed, as if the parts were written one after another.
ImportWriter::Outcome ImportWriter::Write(Batch batch) const {
  const size_t count = CountParts(batch);
  std::vector<engine::RowMutation>& rows = batch.rows;
  if (count == 1) return WritePart(rows, !batch.goes_on);
  std::vector<std::vector<engine::RowMutation>> parts(count);
  for (size_t i = 0; i < rows.size(); ++i) {
    parts[i * count / rows.size()].push_back(std::move(rows[i]));
  }
  std::vector<Outcome> outcomes(count);
  engine::RunParallel(
      count, count, [&](size_t i) { outcomes[i] = WritePart(parts[i], i > 0 || !batch.goes_on); });
  Outcome all;
  for (Outcome& part : outcomes) {
    all.rows += part.rows;
    all.lacks_outcome |= part.lacks_outcome;
    if (all.status.ok()) all.status = std::move(part.status);
  }
  return all;
}

ImportWriter::Outcome ImportWriter::WritePart(const std::vector<engine::RowMutation>& rows,
                                              bool counts_first) const {
  Outcome outcome;
  std::vector<Status> statuses = client_->data()->ApplyBatch(table_, rows);
  for (size_t i = 0; i < statuses.size(); ++i) {
    // Each row of a batch fails or succeeds alone; the first failure is reported.
    if (statuses[i].ok() && (i > 0 || counts_first)) ++outcome.rows;
    outcome.lacks_outcome |= cluster::LacksOutcome(statuses[i]);
    if (!outcome.status.ok()) continue;
    outcome.status =
        Annotate(statuses[i], fmt::format("row '{}'", engine::PrintEscaped(rows[i].row)));
  }
  return outcome;
}

}  // namespace sippar::query
