// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/cell_batches.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/limits.h"
#include "engine/program/value.h"

namespace sippar::cli {
namespace {

// Each batch costs a sync of the log; larger ones would only hold more memory.
constexpr size_t kBatchRows = 1000;
constexpr size_t kBatchBytes = 4 << 20;

}  // namespace

CellBatches::CellBatches(cluster::Client* client, const engine::TableSchema& schema, size_t jobs)
    : client_(client), schema_(schema), jobs_(jobs) {
  for (size_t i = 0; i < jobs; ++i) threads_.emplace_back("restore", [this] { Work(); });
}

CellBatches::~CellBatches() {
  {
    engine::MutexLock lock(&mutex_);
    stopping_ = true;
    waiting_.clear();
    changed_.NotifyAll();
  }
  threads_.clear();
}

Status CellBatches::Add(const engine::Cell& cell) {
  const engine::FamilySchema* family = schema_.FindFamily(cell.family);
  if (family == nullptr) {
    return NotFound(fmt::format("family {}: it is not in CREATE TABLE {}",
                                engine::PrintEscaped(cell.family), schema_.name));
  }
  bool goes_on = !batch_.empty() && batch_.back().row == cell.row &&
                 batch_.back().entries.size() < limits::kMutationEntriesMax;
  if (!goes_on) {
    if (batch_.size() >= kBatchRows) RETURN_IF_ERROR(Send());
    batch_.emplace_back(cell.row);
    bytes_ += cell.row.size();
  }
  engine::RowMutation& mutation = batch_.back();
  if (engine::IsAggregate(family->type)) {
    mutation.Merge(cell.family, cell.qualifier, cell.value, cell.timestamp_us);
  } else {
    mutation.Set(cell.family, cell.qualifier, cell.value, cell.timestamp_us);
  }
  // Counts the row key for each cell, because each stored entry repeats it.
  bytes_ += cell.row.size() + cell.qualifier.size() + cell.value.size();
  return bytes_ < kBatchBytes ? OkStatus() : Send();
}

Status CellBatches::Send() {
  Batch batch = std::exchange(batch_, {});
  bytes_ = 0;
  engine::MutexLock lock(&mutex_);
  while (status_.ok() && waiting_.size() >= jobs_) changed_.Wait(&mutex_);
  RETURN_IF_ERROR(status_);
  waiting_.push_back(std::move(batch));
  changed_.NotifyAll();
  return OkStatus();
}

Status CellBatches::Drain() {
  if (!batch_.empty()) RETURN_IF_ERROR(Send());
  engine::MutexLock lock(&mutex_);
  while (status_.ok() && (!waiting_.empty() || writing_ > 0)) changed_.Wait(&mutex_);
  return status_;
}

void CellBatches::Work() {
  for (;;) {
    Batch batch;
    {
      engine::MutexLock lock(&mutex_);
      while (!stopping_ && waiting_.empty()) changed_.Wait(&mutex_);
      if (stopping_) return;
      batch = std::move(waiting_.front());
      waiting_.pop_front();
      ++writing_;
      changed_.NotifyAll();
    }
    Status written = Write(batch);
    engine::MutexLock lock(&mutex_);
    --writing_;
    if (status_.ok()) status_ = written;
    changed_.NotifyAll();
  }
}

Status CellBatches::Write(const Batch& batch) {
  std::vector<Status> statuses = client_->data()->ApplyBatch(schema_.name, batch);
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) continue;
    return Annotate(statuses[i], fmt::format("row '{}'", engine::PrintEscaped(batch[i].row)));
  }
  return OkStatus();
}

}  // namespace sippar::cli
