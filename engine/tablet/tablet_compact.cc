// Merging and major compactions of one tablet: carries out the policy's choice while reads and
// writes continue. One saved state replaces the inputs by the output; an input file leaves the disk
// once no reader holds it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"
#include "engine/compaction/compaction_job.h"
#include "engine/compaction/compaction_policy.h"
#include "engine/read/merging_iterator.h"
#include "engine/tablet/compaction_inputs.h"
#include "engine/tablet/family_filter.h"
#include "engine/tablet/run_output.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {

// The smallest age at which a GC rule of the group drops cells; 0: no rule goes by age.
int64_t ExpireAfter(const TableSchema& schema, const std::string& group) {
  int64_t least = 0;
  for (const FamilySchema& family : schema.families) {
    int64_t age_us = family.gc.AgeMin();
    if (age_us == 0 || schema.GroupOf(family.name).name != group) continue;
    least = least == 0 ? age_us : std::min(least, age_us);
  }
  return least;
}

}  // namespace

void Tablet::AddCompactionCandidates(std::vector<CompactionCandidate>* candidates) const {
  MutexLock lock(&body_.mutex);
  if (!serving_.is_open() || paused_ || majors_waiting_ > 0) return;
  for (const GroupVersion& group : body_.version->groups) {
    if (group.runs.empty()) continue;
    // Compacted alone, the group could drop a delete that hides a cell in another group.
    if (PlanSettling(body_.version->old_groups, *body_.schema, group.name)) continue;
    CompactionCandidate& candidate = candidates->emplace_back();
    candidate.tablet_id = body_.id;
    candidate.group = group.name;
    candidate.expire_after_us = ExpireAfter(*body_.schema, group.name);
    for (const TabletRun& run : group.runs) {
      candidate.runs.push_back(DescribeRun(run));
      candidate.runs.back().busy = busy_runs_.contains(run.run_id);
    }
  }
}

StatusOr<bool> Tablet::CompactOnce(CompactionPolicyOptions options) {
  ASSIGN_OR_RETURN(bool settled, SettleOnce());
  if (settled) return true;
  std::vector<CompactionCandidate> candidates;
  AddCompactionCandidates(&candidates);
  options.now_us = body_.context->clock->NowMicros();
  auto chosen = ScheduleCompaction(candidates, options, /*large_allowed=*/true);
  if (!chosen.has_value()) return false;
  return Compact(candidates[chosen->candidate], chosen->choice, nullptr);
}

StatusOr<bool> Tablet::Compact(const CompactionCandidate& candidate, const CompactionChoice& choice,
                               RateLimiter* limiter) {
  if (!choice.is_debt) {  // wanted for what it removes, so every run takes part
    RETURN_IF_ERROR(CompactWhole(candidate.group, choice.reason, limiter));
    return true;
  }
  CompactionInputs inputs;
  if (!TakeRuns(candidate, choice, &inputs)) return false;
  Status status = CarryOut(inputs);
  ReleaseRuns(inputs);
  RETURN_IF_ERROR(status);
  return true;
}

Status Tablet::CompactMajor(const std::string& wanted) {
  std::set<std::string> settled;
  // One round settles one set of connected groups; others may remain.
  for (;;) {
    ASSIGN_OR_RETURN(std::set<std::string> moved, SettleAlone(wanted));
    if (moved.empty()) break;
    settled.merge(moved);
  }
  std::vector<std::string> groups;
  TabletSnapshot snapshot = body_.TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    if (!wanted.empty() && group.name != wanted) continue;
    if (settled.contains(group.name)) continue;
    if (PlanSettling(snapshot.version->old_groups, *snapshot.schema, group.name)) continue;
    groups.push_back(group.name);
  }
  for (const std::string& group : groups) {
    RETURN_IF_ERROR(CompactWhole(group, "major: asked for", nullptr));
  }
  return OkStatus();
}

// Merges the memtables and all runs of the group into one run: the only compaction that may apply
// every GC rule.
Status Tablet::CompactWhole(const std::string& group, const std::string& reason,
                            RateLimiter* limiter) {
  // The time is taken before the wait: a writer takes its time under its row's lock, so every write
  // that the flush below misses has a later time than now_us, and the result may be marked as whole
  // up to it.
  int64_t now_us = body_.context->clock->NowMicros();
  body_.context->row_locks->WaitForHolders();
  RETURN_IF_ERROR(flusher_.Flush());
  CompactionInputs inputs;
  inputs.reason = reason;
  inputs.limiter = limiter;
  inputs.whole_at_us = now_us;
  RETURN_IF_ERROR(TakeAllRuns(group, &inputs));
  if (inputs.runs.empty()) return serving_.Check();
  Status status = CarryOut(inputs);
  ReleaseRuns(inputs);
  return status;
}

// The choice was made from a list of runs that may have changed since, so it is carried out only if
// exactly these runs are still neighbours and idle.
bool Tablet::TakeRuns(const CompactionCandidate& candidate, const CompactionChoice& choice,
                      CompactionInputs* inputs) {
  MutexLock lock(&body_.mutex);
  const GroupVersion* group = body_.version->Group(candidate.group);
  if (!serving_.is_open() || paused_ || majors_waiting_ > 0 || group == nullptr) {
    return false;
  }
  uint64_t first_id = candidate.runs[choice.first].run_id;
  size_t at = 0;
  while (at < group->runs.size() && group->runs[at].run_id != first_id) ++at;
  size_t count = choice.limit - choice.first;
  if (at + count > group->runs.size()) return false;
  for (size_t i = 0; i < count; ++i) {
    uint64_t id = group->runs[at + i].run_id;
    if (id != candidate.runs[choice.first + i].run_id || busy_runs_.contains(id)) return false;
  }
  for (size_t i = 0; i < count; ++i) {
    busy_runs_.insert(group->runs[at + i].run_id);
    inputs->runs.push_back(group->runs[at + i]);
  }
  inputs->group = candidate.group;
  inputs->from_oldest = at == 0;
  inputs->may_join = choice.may_join;
  inputs->reason = choice.reason;
  inputs->schema = body_.schema;
  inputs->rules = body_.rules;
  return true;
}

// Waits for the compactions of the group that are running. kAborted: a family has moved since the
// group was chosen, so its deletes may be needed for cells in another group.
Status Tablet::TakeAllRuns(const std::string& name, CompactionInputs* inputs) {
  MutexLock lock(&body_.mutex);
  // Keeps new compactions from starting; otherwise a busy group might never be idle.
  ++majors_waiting_;
  auto busy = [this, &name]() SIPPAR_TSA(no_thread_safety_analysis) {
    const std::vector<TabletRun>& runs = body_.version->Group(name)->runs;
    return std::any_of(runs.begin(), runs.end(),
                       [this](const TabletRun& run) SIPPAR_TSA(no_thread_safety_analysis) {
                         return busy_runs_.contains(run.run_id);
                       });
  };
  while (paused_ || busy()) compaction_ended_.Wait(&body_.mutex);
  --majors_waiting_;
  if (!serving_.is_open()) return OkStatus();
  if (PlanSettling(body_.version->old_groups, *body_.schema, name)) {
    return Aborted(fmt::format("families of group {} of tablet {} were moved meanwhile; ask again",
                               name, body_.id));
  }
  inputs->runs = body_.version->Group(name)->runs;
  for (const TabletRun& run : inputs->runs) busy_runs_.insert(run.run_id);
  inputs->group = name;
  inputs->from_oldest = true;
  inputs->schema = body_.schema;
  inputs->rules = body_.rules;
  return OkStatus();
}

void Tablet::ReleaseRuns(const CompactionInputs& inputs) {
  MutexLock lock(&body_.mutex);
  for (const TabletRun& run : inputs.runs) busy_runs_.erase(run.run_id);
  compaction_ended_.NotifyAll();
}

// The inputs are marked busy, so concurrently only flushes and compactions of other runs change the
// list.
Status Tablet::CarryOut(const CompactionInputs& inputs) {
  // A join only changes the state and writes no file. It drops no garbage either, so it is never a
  // major compaction.
  std::optional<TabletRun> joined;
  if (inputs.may_join) joined = inputs.Joined();
  bool major = inputs.from_oldest && !joined.has_value();
  uint64_t history_id = body_.context->compactions->Begin(
      {inputs.schema->name, body_.id, inputs.group,
       major ? CompactionKind::kMajor : CompactionKind::kMerging,
       inputs.reason + (joined.has_value() ? ", joined without a copy" : ""), inputs.runs.size(),
       inputs.StoredSize()});
  Status status;
  uint64_t bytes_out = 0;
  if (joined.has_value()) {
    status = InstallCompaction(inputs, *joined);
    body_.context->metrics->Get("joined_runs")->Add(inputs.runs.size());
  } else {
    status = Rewrite(inputs, &bytes_out);
  }
  body_.context->compactions->End(history_id, status, bytes_out);
  return Annotate(status, fmt::format("compaction of tablet {} group {}", body_.id, inputs.group));
}

Status Tablet::Rewrite(const CompactionInputs& inputs, uint64_t* bytes_out) {
  // Until the state names the outputs, a sweep of the directory must take them for files in use.
  UnpublishedFiles::Job job = body_.context->unpublished->Begin();
  ASSIGN_OR_RETURN(std::vector<FileSummary> files, MergeRuns(inputs));
  *bytes_out = StoredBytes(files);
  body_.context->metrics->Get("compaction_bytes_written")->Add(*bytes_out);
  TabletRun output;
  if (!files.empty()) {
    ASSIGN_OR_RETURN(output, OpenOutput(*body_.context, files));
  }
  output.major = inputs.whole_at_us.has_value();
  output.made_us = inputs.whole_at_us.value_or(inputs.OldestMade());
  RETURN_IF_ERROR(InstallCompaction(inputs, output));
  body_.context->metrics->Get(inputs.from_oldest ? "major_compactions" : "merging_compactions")
      ->Add();
  return OkStatus();
}

StatusOr<std::vector<FileSummary>> Tablet::MergeRuns(const CompactionInputs& inputs) {
  CompactionRequest request = NewCompactionRequest(*body_.context, *inputs.schema, inputs.group,
                                                   /*is_final=*/inputs.from_oldest);
  std::vector<std::unique_ptr<EntryIterator>> sources;
  for (const TabletRun& run : inputs.runs) {
    sources.push_back(NewRunIterator(run.files, ReadAhead::kScan));
  }
  request.entries = NewMergingIterator(std::move(sources));
  if (inputs.families != nullptr) {
    request.entries = NewFamilyFilter(std::move(request.entries), inputs.families);
  }
  request.visibility.now_us = inputs.whole_at_us.value_or(body_.context->clock->NowMicros());
  request.visibility.mode =
      inputs.from_oldest ? VisibilityMode::kCollectAll : VisibilityMode::kKeepHistory;
  if (SEEDED_BUG("tombstone-dropped-early")) request.visibility.mode = VisibilityMode::kCollectAll;
  request.visibility.families = inputs.ActingRules();
  ASSIGN_OR_RETURN(request.boundaries, inputs.Boundaries());
  request.sample = [&inputs](std::string_view first, std::string_view limit) {
    return inputs.Sample(first, limit);
  };
  request.cancel = body_.context->stopping;
  request.limiter = inputs.limiter;
  return RunCompaction(std::move(request), body_.context->files->directory());
}

// Merges all of `runs`, which reach back to the first entry, into files of `group`.
StatusOr<std::vector<FileSummary>> Tablet::MergeFamilies(const std::string& group,
                                                         const std::set<std::string>& families,
                                                         const std::vector<TabletRun>& runs,
                                                         const TabletSnapshot& snapshot) {
  CompactionInputs inputs;
  inputs.group = group;
  inputs.runs = runs;
  inputs.from_oldest = true;
  inputs.schema = snapshot.schema;
  inputs.rules = snapshot.rules;
  inputs.families = &families;
  return MergeRuns(inputs);
}

// Replaces the inputs by `output`, or by nothing if it has no files. The saved state changes first:
// after a crash between the two, the state on disk names the output and the inputs are orphans.
Status Tablet::InstallCompaction(const CompactionInputs& inputs, const TabletRun& output) {
  auto replace = [&](auto* runs, auto replacement) {
    auto begin = std::find_if(runs->begin(), runs->end(), [&](const auto& run) {
      return run.run_id == inputs.runs.front().run_id;
    });
    auto at = runs->erase(begin, begin + static_cast<std::ptrdiff_t>(inputs.runs.size()));
    if (!replacement.files.empty()) runs->insert(at, std::move(replacement));
  };
  MutexLock state_lock(&body_.state_mutex);
  if (serving_.is_dropped()) return serving_.Check();
  TabletState changed = body_.state;
  const std::vector<RunState>& present = changed.Group(inputs.group)->runs;
  auto same = [](const RunState& run, const TabletRun& input) {
    return run.run_id == input.run_id;
  };
  // Inputs that are gone mean that the tablet was released (Release clears the groups), so its rows
  // are another tablet's now and the output is of no use.
  if (std::search(present.begin(), present.end(), inputs.runs.begin(), inputs.runs.end(), same) ==
      present.end()) {
    return Aborted("the runs it merged are not the tablet's any more");
  }
  replace(&changed.Group(inputs.group)->runs, StateOf(output));
  CRASH_POINT("compaction.before_state");
  RETURN_IF_ERROR(body_.SaveState(std::move(changed)));
  CRASH_POINT("compaction.after_state");
  MutexLock lock(&body_.mutex);
  auto version = std::make_shared<TabletVersion>(*body_.version);
  replace(&version->Group(inputs.group)->runs, output);
  body_.version = std::move(version);
  return OkStatus();
}

}  // namespace sippar::engine
