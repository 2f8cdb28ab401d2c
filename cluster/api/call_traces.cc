// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/call_traces.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace sippar::cluster {

CallTraces* CallTraces::OfProcess() {
  static auto* const traces = new CallTraces(engine::Clock::System(), {});
  return traces;
}

void CallTraces::SetRules(const TraceRules& rules) {
  one_in_ = rules.one_in;
  slow_nanos_ = rules.slow_nanos;
  engine::MutexLock lock(&mutex_);
  rules_ = rules;
  DropOld();
}

void CallTraces::DropOld() {
  const int64_t now_nanos = clock_->MonotonicNanos();
  while (!kept_.empty() &&
         (kept_.front().until_nanos <= now_nanos || kept_.size() > rules_.entries_max)) {
    kept_.pop_front();
  }
}

void CallTraces::Keep(CallTraceInfo trace) {
  trace.part = engine::TraceId::New().low;
  engine::MutexLock lock(&mutex_);
  kept_.push_back({clock_->MonotonicNanos() + rules_.kept_us * 1000, std::move(trace)});
  DropOld();
}

std::vector<CallTraceInfo> CallTraces::List(const std::string& table) {
  engine::MutexLock lock(&mutex_);
  DropOld();
  std::vector<CallTraceInfo> all;
  for (const Kept& kept : kept_) {
    if (table.empty() || kept.trace.table == table) all.push_back(kept.trace);
  }
  return all;
}

CallTraceInfo InfoOf(const engine::CallNotes& notes) {
  CallTraceInfo info;
  info.trace = notes.trace.ToHex();
  info.table = notes.table.text();
  info.row = notes.row.text();
  info.work.row_lock_us = notes.row_lock_nanos / 1000;
  info.work.log_us = notes.log_nanos / 1000;
  info.work.sync_us = notes.sync_nanos / 1000;
  info.work.cache_us = notes.cache_nanos / 1000;
  info.work.disk_us = notes.disk_nanos / 1000;
  info.work.blocks_from_disk = notes.blocks_from_disk;
  info.work.blocks_cached = notes.blocks_cached;
  info.work.cells_returned = notes.cells_returned;
  return info;
}

void MergeTraces(std::vector<CallTraceInfo> more, std::vector<CallTraceInfo>* all) {
  std::unordered_set<uint64_t> known;
  for (const CallTraceInfo& trace : *all) known.insert(trace.part);
  std::erase_if(more, [&](const CallTraceInfo& trace) { return known.contains(trace.part); });
  all->insert(all->end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

void SortTraces(std::vector<CallTraceInfo>* all) {
  constexpr size_t kListedMax = 10'000;
  std::sort(all->begin(), all->end(), [](const CallTraceInfo& a, const CallTraceInfo& b) {
    return std::tie(a.start_us, a.part) < std::tie(b.start_us, b.part);
  });
  if (all->size() > kListedMax) {
    all->erase(all->begin(), all->end() - static_cast<std::ptrdiff_t>(kListedMax));
  }
}

}  // namespace sippar::cluster
