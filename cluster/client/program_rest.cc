// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/program_rest.h"

#include <algorithm>
#include <utility>

#include "engine/base/checksum.h"

namespace sippar::cluster {
namespace {

uint64_t Mix(uint64_t digest, const engine::Row& row) {
  std::string bytes;
  for (const engine::Value& value : row) value.Encode(&bytes);
  return engine::Checksum(bytes, digest);
}

}  // namespace

ProgramRest::ProgramRest(engine::Program program, engine::ProgramSink* sink)
    : left_(std::move(program)),
      sink_(sink),
      in_order_(!left_.aggregate && left_.order_by.empty()) {}

bool ProgramRest::Emit(engine::ProgramBatch batch) {
  if (!in_order_) {
    // Batches without rows only report progress, which counts even if this try fails.
    if (batch.rows.empty()) return sink_->Emit(std::move(batch));
    held_.push_back(std::move(batch));
    return true;
  }
  if (to_drop_ > 0 && !DropGiven(&batch.rows)) return false;
  if (batch.last_row.empty()) {
    for (const engine::Row& row : batch.rows) digest_ = Mix(digest_, row);
    given_ += batch.rows.size();
  } else if (to_drop_ > 0) {
    is_changed_ = true;  // the row ended, but yields fewer results than were passed on before
    return false;
  } else {
    marked_ += std::exchange(given_, 0) + batch.rows.size();
    digest_ = 0;
    mark_ = batch.last_row;
  }
  return sink_->Emit(std::move(batch));
}

bool ProgramRest::DropGiven(std::vector<engine::Row>* rows) {
  size_t count = static_cast<size_t>(std::min<uint64_t>(to_drop_, rows->size()));
  for (size_t i = 0; i < count; ++i) dropped_digest_ = Mix(dropped_digest_, (*rows)[i]);
  rows->erase(rows->begin(), rows->begin() + static_cast<ptrdiff_t>(count));
  to_drop_ -= count;
  is_changed_ = to_drop_ == 0 && dropped_digest_ != digest_;
  return !is_changed_;
}

Status ProgramRest::End(const Status& ended) {
  if (is_changed_ || (ended.ok() && to_drop_ > 0)) {
    return Aborted("a row changed while it was read and its tablet moved; read again");
  }
  if (!ended.ok()) return ended;
  for (engine::ProgramBatch& batch : std::exchange(held_, {})) {
    if (!sink_->Emit(std::move(batch))) break;
  }
  return OkStatus();
}

bool ProgramRest::GoOn() {
  held_.clear();
  bool has_moved = !mark_.empty();
  Narrow();
  to_drop_ = given_;
  dropped_digest_ = 0;
  return has_moved;
}

void ProgramRest::Narrow() {
  // The limit was reached before the try failed: an empty range ends the run without another try.
  if (left_.limit != 0 && in_order_ && marked_ + given_ >= left_.limit) left_.read.rows = {};
  if (mark_.empty()) return;
  // The limit counts given_ rows again, because the next try yields them again to be dropped.
  if (left_.limit != 0) left_.limit -= std::min(left_.limit, marked_);
  engine::RowRange rest;
  if (left_.read.reverse) {
    rest.limit = mark_;
  } else {
    rest.start = engine::RowSuccessor(mark_);
  }
  left_.read.rows = left_.read.rows.Intersection(engine::RowSet(rest));
  mark_.clear();
  marked_ = 0;
}

}  // namespace sippar::cluster
