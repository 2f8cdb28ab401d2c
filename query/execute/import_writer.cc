// SPDX-License-Identifier: Apache-2.0
#include "query/execute/import_writer.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/limits.h"
#include "engine/program/value.h"
#include "query/execute/row_writer.h"

namespace sippar::query {
ImportWriter::ImportWriter(cluster::Client* client, std::string table)
    : client_(client), table_(std::move(table)), thread_("import", [this] { Work(); }) {}

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
  bytes_ += mutation.StoredSize();
  batch_.records = records;
  if (at == rows.size()) {
    ++rows_;
    index_.emplace(mutation.row, at);
    rows.push_back(std::move(mutation));
  } else {
    for (engine::MutationEntry& entry : mutation.entries) {
      rows[at].entries.push_back(std::move(entry));
    }
  }
  return rows.size() < kBatchRows && bytes_ < kBatchBytes ? OkStatus() : Send();
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
  index_.clear();
  bytes_ = 0;
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
    Outcome outcome = Write(batch);
    engine::MutexLock lock(&mutex_);
    outcome_ = std::move(outcome);
    changed_.NotifyAll();
  }
}

ImportWriter::Outcome ImportWriter::Write(const Batch& batch) const {
  Outcome outcome;
  std::vector<Status> statuses = client_->data()->ApplyBatch(table_, batch.rows);
  for (size_t i = 0; i < statuses.size(); ++i) {
    // Each row of a batch fails or succeeds alone; the first failure is reported.
    if (statuses[i].ok()) ++outcome.rows;
    if (!outcome.status.ok()) continue;
    outcome.status =
        Annotate(statuses[i], fmt::format("row '{}'", engine::PrintEscaped(batch.rows[i].row)));
  }
  return outcome;
}

}  // namespace sippar::query
