// Background work of a server: one thread flushes memtables, one or two threads compact, and one of
// these also calls `reshape`. Also slows writers down, smoothly, before it stops them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/cpu_time.h"
#include "engine/base/store_error.h"
#include "engine/base/tablet_scope.h"
#include "engine/store/memory_share.h"
#include "engine/store/tablet_host.h"
#include "engine/store/write_delay.h"

namespace sippar::engine {
namespace {
// Before a process ends, it still runs compactions with at most this many bytes of input.
constexpr uint64_t kSmallCompaction = 1 << 20;
// Pause after a failed flush, and between searches for a compaction while none is due.
constexpr int64_t kRetryMicros = 1'000'000;
constexpr int64_t kPollMicros = 200'000;        // how often a stopped writer looks for room
constexpr int64_t kStopMicrosMax = 10'000'000;  // longest time that one writer is stopped
constexpr size_t kCompactThreadsMax = 2;
constexpr int64_t kIdleMicros = 50'000;             // delay before a full memtable is noticed
constexpr int64_t kSampleNanos = 60'000'000'000;    // interval of samples of the tablets' work
constexpr int64_t kOldWritesNanos = 1'000'000'000;  // interval of checks for old writes

}  // namespace

void TabletHost::StartBackground(const std::function<bool()>& reshape) {
  if (!options_.store.background) return;
  flush_thread_ = Thread("sippar-flush", [this] { FlushLoop(); });
  for (size_t i = 0; i < std::min(kCompactThreadsMax, HardwareThreads()); ++i) {
    compact_threads_.emplace_back(
        "sippar-compact", [this, reshape = i == 0 ? reshape : nullptr] { CompactLoop(reshape); });
  }
}

Status TabletHost::Admit(size_t rows) {
  ShareMemory();
  if (!options_.store.background) return OkStatus();
  auto budget = static_cast<int64_t>(options_.store.memtable_budget);
  int64_t used = memtable_bytes_.load();
  if (used >= 2 * budget) return StopUntilFlushed(budget);
  int64_t delay_us =
      WriteDelayMicros({used, budget, most_runs_.load(), CompactionPolicyOptions().runs_max}, rows);
  if (delay_us == 0) return OkStatus();
  writer_delay_us_->Add(static_cast<uint64_t>(delay_us));
  clock_->SleepMicros(delay_us);
  return OkStatus();
}

void TabletHost::ShareMemory() {
  const StoreOptions& store = options_.store;
  if (store.memory_limit == 0) return;
  uint64_t used = static_cast<uint64_t>(memtable_bytes_.load()) + cache_.pins()->used_bytes();
  cache_.SetCapacity(CacheShare(store.memory_limit, store.block_cache_size, used));
}

Status TabletHost::StopUntilFlushed(int64_t budget) {
  writer_stops_->Add();
  MutexLock lock(&background_mutex_);
  background_wake_.NotifyAll();
  int64_t start_us = clock_->MonotonicNanos() / 1000;
  while (memtable_bytes_.load() >= 2 * budget && !stopping_) {
    // A flush misses its own file when a master that takes this server for dead has swept it.
    if (!flush_status_.ok()) return Annotate(AsStoreError(flush_status_), "memtables are full");
    if (clock_->MonotonicNanos() / 1000 - start_us >= kStopMicrosMax) {
      metrics_.Get("writers_refused")->Add();
      return ResourceExhausted(
          fmt::format("memtables are full: {} bytes of {}, and no flush has made room for {} s; "
                      "SHOW COMPACTIONS tells which compaction hangs; try again later",
                      memtable_bytes_.load(), 2 * budget, kStopMicrosMax / 1'000'000));
    }
    writers_wake_.WaitFor(&background_mutex_, kPollMicros);
  }
  return OkStatus();
}

// Picks the tablet to flush: one that holds back the log, else the one with the largest memtables
// if they exceed memtable_size or if all memtables exceed half their budget, else one whose oldest
// write has waited for a whole major cycle. Null if there is none.
std::shared_ptr<Tablet> TabletHost::PickFlush(int64_t* next_old_writes_nanos) {
  std::vector<uint64_t> wanted;
  {
    MutexLock lock(&background_mutex_);
    wanted.swap(flush_wanted_);
  }
  // Most calls end here, at a cost that does not depend on the number of tablets.
  const int64_t now_nanos = clock_->MonotonicNanos();
  const uint64_t smallest =
      std::min(options_.store.memtable_size, options_.store.memtable_budget / 2);
  bool is_small = memtable_bytes_.load() < static_cast<int64_t>(smallest);
  if (wanted.empty() && is_small && now_nanos < *next_old_writes_nanos) return nullptr;
  *next_old_writes_nanos =
      now_nanos + std::min(kOldWritesNanos, options_.store.major_cycle_us * 1000 / 16);
  std::shared_ptr<Tablet> largest;
  std::shared_ptr<Tablet> oldest;
  int64_t due_us = clock_->NowMicros() - options_.store.major_cycle_us;
  for (const auto& tablet : All()) {
    auto holds = std::find(wanted.begin(), wanted.end(), tablet->id());
    if (holds != wanted.end()) {
      wanted.erase(holds);
      MutexLock lock(&background_mutex_);
      // The other ids wait for the next pick. Ids of tablets that are no longer served are dropped
      // by the first pick that finds no other id.
      flush_wanted_.insert(flush_wanted_.end(), wanted.begin(), wanted.end());
      return tablet;
    }
    if (largest == nullptr || tablet->memtable_bytes() > largest->memtable_bytes()) {
      largest = tablet;
    }
    int64_t since_us = tablet->flusher().oldest_write_us();
    if (options_.store.major_cycle_us > 0 && since_us != 0 && since_us <= due_us) oldest = tablet;
  }
  if (largest == nullptr) return nullptr;
  bool over_budget =
      memtable_bytes_.load() >= static_cast<int64_t>(options_.store.memtable_budget) / 2;
  bool too_large = largest->memtable_bytes() >= static_cast<int64_t>(options_.store.memtable_size);
  return over_budget || too_large ? largest : oldest;
}

void TabletHost::SampleWork() {
  std::vector<HotTablets::Work> work;
  for (const auto& tablet : All()) {
    work.push_back({tablet->schema()->name, tablet->id(), tablet->range(), tablet->work_nanos()});
  }
  const int64_t cpu_us = options_.store.counts_own_cpu ? cpu_.Micros() : ProcessCpuMicros();
  hot_tablets_.Sample(clock_->NowMicros(), cpu_us, std::move(work));
}

void TabletHost::FlushIfLogRests(uint64_t* bytes_seen) {
  const uint64_t bytes = log_->bytes_written();
  const bool rests = bytes == *bytes_seen;
  *bytes_seen = bytes;
  if (!rests || log_->closed_segments() == 0) return;
  for (const auto& tablet : All()) WantFlush(tablet->id());
}

void TabletHost::FlushLoop() {
  const CpuScope cpu(&cpu_, CpuScope::kEach);
  // Short-lived processes may have left more segments than log_segments_max, though none of them
  // filled a memtable. This call then requests flushes of the tablets that need the oldest segment.
  RemoveObsoleteSegments();
  int64_t next_sample_nanos = 0;
  int64_t next_old_writes_nanos = 0;
  uint64_t log_bytes_seen = UINT64_MAX;
  while (!stopping_) {
    if (int64_t now_nanos = clock_->MonotonicNanos(); now_nanos >= next_sample_nanos) {
      next_sample_nanos = now_nanos + kSampleNanos;
      SampleWork();
      FlushIfLogRests(&log_bytes_seen);
    }
    ShareMemory();  // memtables and pinned blocks have grown or shrunk
    // Checked even without a flush, because many small memtables can hold back a long log, too.
    if (log_->closed_segments() > options_.store.log_segments_max) RemoveObsoleteSegments();
    std::shared_ptr<Tablet> tablet = PickFlush(&next_old_writes_nanos);
    const TabletScope scope(tablet == nullptr ? 0 : tablet->id());
    uint64_t redo_before = tablet == nullptr ? 0 : tablet->flusher().redo_sequence();
    Status status = tablet == nullptr ? OkStatus() : tablet->Flush();
    if (tablet != nullptr && status.ok()) RemoveObsoleteSegments();
    // CompactionCandidates updates most_runs_, which determines how long writers are delayed.
    if (tablet != nullptr) (void)CompactionCandidates();
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
    } else if ((tablet == nullptr || tablet->flusher().redo_sequence() == redo_before) &&
               !stopping_) {
      background_wake_.WaitFor(&background_mutex_, kIdleMicros);
    }
  }
}

// The candidates of all tablets. Also updates what delays writers (most_runs_) and the rate limit:
// with too many runs even compactions that no caller waits for must run at full speed.
std::vector<CompactionCandidate> TabletHost::CompactionCandidates() {
  std::vector<CompactionCandidate> candidates;
  for (const auto& tablet : All()) tablet->compactor().AddCandidates(&candidates);
  MutexLock lock(&schedule_mutex_);
  for (CompactionCandidate& candidate : candidates) {
    auto failure = failures_.find({candidate.tablet_id, candidate.group});
    if (failure != failures_.end()) candidate.retry_at_us = failure->second.retry_at_us;
  }
  most_runs_ = MostRuns(candidates);
  limiter_.SetRate(
      most_runs_ > CompactionPolicyOptions().runs_max ? 0 : options_.store.background_rate);
  return candidates;
}

// Runs the next compaction of at most `bytes_max` input; true if there was one.
bool TabletHost::CompactNext(uint64_t bytes_max) {
  CompactionPolicyOptions options;
  options.now_us = clock_->NowMicros();
  options.cycle_us = options_.store.major_cycle_us;
  std::vector<CompactionCandidate> candidates = CompactionCandidates();
  std::optional<ScheduledCompaction> next;
  bool large = false;
  {
    MutexLock lock(&schedule_mutex_);
    next = ScheduleCompaction(candidates, options, !large_running_);
    if (!next.has_value() || next->bytes_in > bytes_max) return false;
    large = next->bytes_in > kLargeCompaction;
    large_running_ |= large;
  }
  const CompactionCandidate& candidate = candidates[next->candidate];
  for (const auto& tablet : All()) {
    if (tablet->id() != candidate.tablet_id) continue;
    const TabletScope scope(tablet->id());
    auto compacted = tablet->compactor().Compact(candidate, next->choice,
                                                 next->choice.is_debt ? nullptr : &limiter_);
    AfterCompaction(candidate, compacted.status());
  }
  MutexLock lock(&schedule_mutex_);
  if (large) large_running_ = false;
  return true;
}

void TabletHost::WantFlush(uint64_t tablet_id) {
  MutexLock lock(&background_mutex_);
  flush_wanted_.push_back(tablet_id);
  background_wake_.NotifyAll();
}

void TabletHost::CompactSmall() {
  while (CompactNext(kSmallCompaction)) {
  }
}

void TabletHost::AfterCompaction(const CompactionCandidate& candidate, const Status& status) {
  // Close ended the compaction, or the tablet changed meanwhile: neither is a reason to back off.
  if (status.code() == StatusCode::kCancelled || status.code() == StatusCode::kAborted) return;
  MutexLock lock(&schedule_mutex_);
  if (status.ok()) {
    failures_.erase({candidate.tablet_id, candidate.group});
    return;
  }
  metrics_.Get("compaction_errors")->Add();
  Failure& failure = failures_[{candidate.tablet_id, candidate.group}];
  failure.retry_at_us = clock_->NowMicros() + CompactionBackoffMicros(++failure.failures);
}

bool TabletHost::SettleFamilies() {
  for (const auto& tablet : All()) {
    if (stopping_) return false;
    const TabletScope scope(tablet->id());
    auto settled = tablet->compactor().SettleOnce();
    if (settled.ok() && *settled) return true;
    bool failed = !settled.ok() && settled.status().code() != StatusCode::kCancelled;
    if (failed && !IsMoved(settled.status())) metrics_.Get("compaction_errors")->Add();
  }
  return false;
}

// The loop of a compaction thread. Only the thread that got `reshape` also settles moved families
// and splits tablets.
void TabletHost::CompactLoop(const std::function<bool()>& reshape) {
  const CpuScope cpu(&cpu_, CpuScope::kEach);
  while (!stopping_) {
    uint64_t runs_seen = 0;
    {
      MutexLock lock(&background_mutex_);
      runs_seen = runs_made_;
    }
    bool worked = CompactNext(UINT64_MAX);
    if (reshape) worked |= SettleFamilies();
    if (reshape) worked |= !stopping_ && reshape();
    MutexLock lock(&background_mutex_);
    // With nothing to do, waits until a flush makes a run, another thread ends a compaction, or the
    // time makes a compaction due. runs_seen was read before the search, so a run that was made
    // since then is not missed.
    if (worked) background_wake_.NotifyAll();
    if (!worked && !stopping_ && runs_made_ == runs_seen) {
      background_wake_.WaitFor(&background_mutex_, kRetryMicros);
    }
  }
}

void TabletHost::RemoveObsoleteSegments() {
  std::map<uint64_t, uint64_t> redo;
  std::vector<uint64_t> holding = log_->RemoveObsolete(
      [&](uint64_t tablet_id) {
        // Lists the served tablets only now, when the log has fixed the set of closed segments. A
        // tablet that opens later has no records in these segments. So a tablet that is not in
        // the list is not served any more, and needs no records.
        if (redo.empty()) {
          for (const auto& tablet : All()) redo[tablet->id()] = tablet->flusher().redo_sequence();
        }
        auto found = redo.find(tablet_id);
        return found == redo.end() ? UINT64_MAX : found->second;
      },
      options_.store.log_segments_max);
  MutexLock lock(&background_mutex_);
  for (uint64_t id : holding) {
    bool known = std::find(flush_wanted_.begin(), flush_wanted_.end(), id) != flush_wanted_.end();
    if (!known) flush_wanted_.push_back(id);
  }
}

}  // namespace sippar::engine
