// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/run_claims.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::engine {
namespace {

// The smallest age at which a GC rule of the group drops cells; 0: no rule drops cells by age.
int64_t ExpireAfter(const TableSchema& schema, const std::string& group) {
  int64_t least = 0;
  for (const FamilySchema& family : schema.families) {
    int64_t age_us = family.gc.AgeMin();
    if (age_us == 0 || schema.GroupOf(family.name).name != group) continue;
    least = least == 0 ? age_us : std::min(least, age_us);
  }
  return least;
}

// True while a moved family connects the group to another one. If the group were compacted alone,
// it could drop a delete that hides a cell in the other group.
bool AwaitsSettling(const TabletSnapshot& snapshot, const std::string& group) {
  return PlanSettling(snapshot.version->old_groups, *snapshot.schema, group).has_value();
}

uint64_t UnflushedFrom(const TabletBody& body) {
  MutexLock state_lock(&body.state_mutex);
  return body.state.redo_sequence + 1;
}

}  // namespace

void RunClaims::Pause() {
  MutexLock lock(&mutex_);
  while (paused_ || !taken_.empty()) released_.Wait(&mutex_);
  paused_ = true;
}

void RunClaims::Resume() {
  MutexLock lock(&mutex_);
  paused_ = false;
  released_.NotifyAll();
}

void RunClaims::AddCandidates(std::vector<CompactionCandidate>* candidates) const {
  MutexLock lock(&mutex_);
  if (!MayBegin()) return;
  const TabletSnapshot snapshot = body_->TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    if (group.runs.empty() || AwaitsSettling(snapshot, group.name)) continue;
    CompactionCandidate& candidate = candidates->emplace_back();
    candidate.tablet_id = body_->id;
    candidate.group = group.name;
    candidate.expire_after_us = ExpireAfter(*snapshot.schema, group.name);
    for (const TabletRun& run : group.runs) {
      candidate.runs.push_back(DescribeRun(run));
      candidate.runs.back().busy = taken_.contains(run.run_id);
    }
  }
}

// The choice was made from a list of runs that may have changed since, so it is carried out only if
// exactly these runs are still neighbours and idle.
bool RunClaims::Take(const CompactionCandidate& candidate, const CompactionChoice& choice,
                     CompactionInputs* inputs) {
  const uint64_t unflushed_from = UnflushedFrom(*body_);
  MutexLock lock(&mutex_);
  const TabletSnapshot snapshot = body_->TakeSnapshot();
  const GroupVersion* group = snapshot.version->Group(candidate.group);
  if (!MayBegin() || group == nullptr) return false;
  const size_t count = choice.limit - choice.first;
  size_t at = 0;
  while (at < group->runs.size() && group->runs[at].run_id != candidate.runs[choice.first].run_id) {
    ++at;
  }
  if (at + count > group->runs.size()) return false;
  for (size_t i = 0; i < count; ++i) {
    uint64_t id = group->runs[at + i].run_id;
    if (id != candidate.runs[choice.first + i].run_id || taken_.contains(id)) return false;
  }
  auto first = group->runs.begin() + static_cast<std::ptrdiff_t>(at);
  inputs->runs.assign(first, first + static_cast<std::ptrdiff_t>(count));
  inputs->from_oldest = at == 0;
  inputs->may_join = choice.may_join;
  inputs->reason = choice.reason;
  Claim(candidate.group, snapshot, unflushed_from, inputs);
  return true;
}

Status RunClaims::TakeAll(const std::string& name, CompactionInputs* inputs) {
  const uint64_t unflushed_from = UnflushedFrom(*body_);
  MutexLock lock(&mutex_);
  // Keeps new compactions from starting; otherwise a busy group might never be idle.
  ++waiting_;
  TabletSnapshot snapshot = body_->TakeSnapshot();
  while (paused_ || AnyTaken(snapshot.version->Group(name)->runs)) {
    snapshot = {};  // releases the files of the runs that are being replaced
    released_.Wait(&mutex_);
    snapshot = body_->TakeSnapshot();
  }
  --waiting_;
  if (!serving_->is_open()) return OkStatus();
  if (AwaitsSettling(snapshot, name)) {
    return Aborted(
        fmt::format("families of group {} of tablet {} were moved during the compaction; try again",
                    name, body_->id));
  }
  inputs->runs = snapshot.version->Group(name)->runs;
  inputs->from_oldest = true;
  Claim(name, snapshot, unflushed_from, inputs);
  return OkStatus();
}

void RunClaims::Release(const CompactionInputs& inputs) {
  MutexLock lock(&mutex_);
  for (const TabletRun& run : inputs.runs) taken_.erase(run.run_id);
  released_.NotifyAll();
}

bool RunClaims::AnyTaken(const std::vector<TabletRun>& runs) const {
  for (const TabletRun& run : runs) {
    if (taken_.contains(run.run_id)) return true;
  }
  return false;
}

void RunClaims::Claim(const std::string& group, const TabletSnapshot& snapshot,
                      uint64_t unflushed_from, CompactionInputs* inputs) {
  for (const TabletRun& run : inputs->runs) taken_.insert(run.run_id);
  inputs->group = group;
  inputs->schema = snapshot.schema;
  inputs->rules = snapshot.rules;
  inputs->rest_from = unflushed_from;
  const std::vector<TabletRun>& runs = snapshot.version->Group(group)->runs;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->run_id == inputs->runs.back().run_id) break;
    for (const auto& file : run->files) {
      inputs->rest_from = std::min(inputs->rest_from, file->summary().sequence_min);
    }
  }
}

}  // namespace sippar::engine
