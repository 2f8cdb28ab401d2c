// Background work of a store: one thread flushes the largest memtables, one compacts; writers slow
// down before they are stopped. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/store/store.h"

namespace sippar::engine {
namespace {
constexpr int64_t kRetryMicros = 1'000'000;  // after a failed flush or compaction
constexpr int64_t kPollMicros = 200'000;
constexpr int64_t kIdleMicros = 50'000;  // how late a full memtable may be noticed
}  // namespace

void Store::StartBackground() {
  if (!options_.background) return;
  flush_thread_ = Thread("sippar-flush", [this] { FlushLoop(); });
  compact_thread_ = Thread("sippar-compact", [this] { CompactLoop(); });
}

Store::~Store() { (void)Close(); }

Status Store::Close() {
  if (closed_) return OkStatus();
  closed_ = true;
  {
    MutexLock lock(&background_mutex_);
    stopping_ = true;
    background_wake_.NotifyAll();
    writers_wake_.NotifyAll();
  }
  flush_thread_.Join();
  compact_thread_.Join();
  if (log_ == nullptr) return OkStatus();
  Status closed = log_->Close();
  RemoveObsoleteSegments();  // all of them when everything is flushed: the next start reads no log
  return Annotate(closed, "close commit log");
}

Status Store::Admit() {
  if (catalog_in_doubt_) {
    MutexLock lock(&admin_mutex_);
    if (catalog_in_doubt_) {
      RETURN_IF_ERROR(Annotate(SettleCatalog(),
                               "nothing is written after a failed schema change until the catalog "
                               "can be saved"));
    }
  }
  auto budget = static_cast<int64_t>(options_.memtable_budget);
  int64_t used = memtable_bytes_.load();
  if (used < budget || !options_.background) return OkStatus();
  if (used < 2 * budget) {
    // The delay grows with the debt: 0 at the budget, 2 ms a call at twice of it.
    options_.clock->SleepMicros(2000 * (used - budget) / budget);
    return OkStatus();
  }
  metrics_.Get("writer_stops")->Add();
  MutexLock lock(&background_mutex_);
  background_wake_.NotifyAll();
  while (memtable_bytes_.load() >= 2 * budget && !stopping_) {
    if (!flush_status_.ok()) return Annotate(flush_status_, "memtables are full");
    writers_wake_.WaitFor(&background_mutex_, kPollMicros);
  }
  return OkStatus();
}

// A tablet above its size, one that holds back the log, or the largest while over the budget.
std::shared_ptr<Tablet> Store::PickFlush() {
  std::vector<uint64_t> wanted;
  {
    MutexLock lock(&background_mutex_);
    wanted.swap(flush_wanted_);
  }
  std::shared_ptr<Tablet> largest;
  for (const auto& tablet : AllTablets()) {
    auto holds = std::find(wanted.begin(), wanted.end(), tablet->id());
    if (holds != wanted.end()) {
      wanted.erase(holds);
      MutexLock lock(&background_mutex_);
      flush_wanted_ = wanted;
      return tablet;
    }
    if (largest == nullptr || tablet->memtable_bytes() > largest->memtable_bytes()) {
      largest = tablet;
    }
  }
  if (largest == nullptr) return nullptr;
  bool over_budget = memtable_bytes_.load() >= static_cast<int64_t>(options_.memtable_budget) / 2;
  bool too_large = largest->memtable_bytes() >= static_cast<int64_t>(options_.memtable_size);
  return over_budget || too_large ? largest : nullptr;
}

void Store::FlushLoop() {
  RemoveObsoleteSegments();  // many short lives leave many segments, though none fills a memtable
  while (!stopping_) {
    // Also when nothing is flushed for its size: many small memtables hold a long log, too.
    if (log_->closed_segments() > options_.log_segments_max) RemoveObsoleteSegments();
    std::shared_ptr<Tablet> tablet = PickFlush();
    uint64_t redo_before = tablet == nullptr ? 0 : tablet->redo_sequence();
    Status status = tablet == nullptr ? OkStatus() : tablet->Flush();
    if (tablet != nullptr && status.ok()) RemoveObsoleteSegments();
    MutexLock lock(&background_mutex_);
    flush_status_ = status;
    if (tablet != nullptr) {
      ++runs_made_;
      writers_wake_.NotifyAll();
      background_wake_.NotifyAll();
    }
    if (!status.ok()) {
      metrics_.Get("flush_errors")->Add();
      background_wake_.WaitFor(&background_mutex_, kRetryMicros);
    } else if ((tablet == nullptr || tablet->redo_sequence() == redo_before) && !stopping_) {
      background_wake_.WaitFor(&background_mutex_, kIdleMicros);
    }
  }
}

void Store::CompactLoop() {
  uint64_t runs_seen = UINT64_MAX;
  while (!stopping_) {
    bool worked = false;
    for (const auto& tablet : AllTablets()) {
      if (stopping_) break;
      auto compacted = tablet->CompactOnce();
      if (!compacted.ok() && compacted.status().code() != StatusCode::kCancelled) {
        metrics_.Get("compaction_errors")->Add();
      }
      worked |= compacted.ok() && *compacted;
    }
    worked |= !stopping_ && ReshapeOnce();
    MutexLock lock(&background_mutex_);
    // Sleeps until a flush made a new run; a failed compaction is tried again then, too.
    while (!worked && !stopping_ && runs_made_ == runs_seen) {
      background_wake_.WaitFor(&background_mutex_, kPollMicros);
    }
    runs_seen = runs_made_;
  }
}

void Store::RemoveObsoleteSegments() {
  std::map<uint64_t, uint64_t> redo;
  std::vector<uint64_t> holding = log_->RemoveObsolete(
      [&](uint64_t tablet_id) {
        // Collected when the log has settled which segments are closed: a tablet made later cannot
        // have a record in them, so one that is unknown here is gone.
        if (redo.empty()) {
          for (const auto& tablet : AllTablets()) redo[tablet->id()] = tablet->redo_sequence();
        }
        auto found = redo.find(tablet_id);
        return found == redo.end() ? UINT64_MAX : found->second;
      },
      options_.log_segments_max);
  MutexLock lock(&background_mutex_);
  flush_wanted_ = std::move(holding);
}

}  // namespace sippar::engine
