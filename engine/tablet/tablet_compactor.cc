// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_compactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"
#include "engine/compaction/compaction_job.h"
#include "engine/compaction/compaction_policy.h"
#include "engine/read/merging_iterator.h"
#include "engine/tablet/family_filter.h"
#include "engine/tablet/run_output.h"

namespace sippar::engine {

StatusOr<bool> TabletCompactor::CompactOnce(CompactionPolicyOptions options) {
  ASSIGN_OR_RETURN(bool settled, SettleOnce());
  if (settled) return true;
  std::vector<CompactionCandidate> candidates;
  AddCandidates(&candidates);
  options.now_us = body_->context->clock->NowMicros();
  auto chosen = ScheduleCompaction(candidates, options, /*large_allowed=*/true);
  if (!chosen.has_value()) return false;
  return Compact(candidates[chosen->candidate], chosen->choice, nullptr);
}

StatusOr<bool> TabletCompactor::Compact(const CompactionCandidate& candidate,
                                        const CompactionChoice& choice, RateLimiter* limiter) {
  // A choice that is not debt is made to remove garbage, and needs all runs of the group as inputs.
  if (!choice.is_debt) {
    RETURN_IF_ERROR(CompactWhole(candidate.group, choice.reason, limiter));
    return true;
  }
  CompactionInputs inputs;
  if (!claims_.Take(candidate, choice, &inputs)) return false;
  Status status = CarryOut(inputs);
  claims_.Release(inputs);
  RETURN_IF_ERROR(status);
  return true;
}

Status TabletCompactor::CompactMajor(const std::string& wanted) {
  std::set<std::string> settled;
  // One round settles one set of connected groups; others may remain.
  for (;;) {
    ASSIGN_OR_RETURN(std::set<std::string> moved, SettleAlone(wanted));
    if (moved.empty()) break;
    settled.merge(moved);
  }
  std::vector<std::string> groups;
  TabletSnapshot snapshot = body_->TakeSnapshot();
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
Status TabletCompactor::CompactWhole(const std::string& group, const std::string& reason,
                                     RateLimiter* limiter) {
  // Takes the time before the wait. A writer takes its time under its row's lock, so every write
  // that the flush below misses has a later time than now_us. So the runs hold all writes before
  // now_us (CompactionInputs::whole_at_us).
  int64_t now_us = body_->context->clock->NowMicros();
  body_->context->row_locks->WaitForHolders();
  RETURN_IF_ERROR(flusher_->Flush());
  CompactionInputs inputs;
  inputs.reason = reason;
  inputs.limiter = limiter;
  inputs.whole_at_us = now_us;
  RETURN_IF_ERROR(claims_.TakeAll(group, &inputs));
  if (inputs.runs.empty()) return serving_->Check();
  Status status = CarryOut(inputs);
  claims_.Release(inputs);
  return status;
}

// The inputs are claimed, so meanwhile only flushes, compactions of other runs and
// TabletServing::Release change the list of runs.
Status TabletCompactor::CarryOut(const CompactionInputs& inputs) {
  // A join only changes the state and writes no file. It drops no garbage either, so it is never a
  // major compaction.
  std::optional<TabletRun> joined;
  if (inputs.may_join) joined = inputs.Joined();
  bool major = inputs.from_oldest && !joined.has_value();
  uint64_t history_id = body_->context->compactions->Begin(
      {inputs.schema->name, body_->id, inputs.group,
       major ? CompactionKind::kMajor : CompactionKind::kMerging,
       inputs.reason + (joined.has_value() ? ", joined without a copy" : ""), inputs.runs.size(),
       inputs.StoredSize()});
  Status status;
  uint64_t bytes_out = 0;
  if (joined.has_value()) {
    status = Install(inputs, *joined);
    body_->context->metrics->Get("joined_runs")->Add(inputs.runs.size());
  } else {
    status = Rewrite(inputs, &bytes_out);
  }
  body_->context->compactions->End(history_id, status, bytes_out);
  return Annotate(status, fmt::format("compaction of tablet {} group {}", body_->id, inputs.group));
}

Status TabletCompactor::Rewrite(const CompactionInputs& inputs, uint64_t* bytes_out) {
  // Until the saved state names the outputs, the job keeps a sweep of the directory from removing
  // them.
  UnpublishedFiles::Job job = body_->context->unpublished->Begin();
  ASSIGN_OR_RETURN(std::vector<FileSummary> files, MergeRuns(inputs));
  *bytes_out = StoredBytes(files);
  body_->context->metrics->Get("compaction_bytes_written")->Add(*bytes_out);
  TabletRun output;
  if (!files.empty()) {
    ASSIGN_OR_RETURN(output, OpenOutput(*body_->context, files));
  }
  output.major = inputs.whole_at_us.has_value();
  output.made_us = inputs.whole_at_us.value_or(inputs.OldestMade());
  RETURN_IF_ERROR(Install(inputs, output));
  body_->context->metrics->Get(inputs.from_oldest ? "major_compactions" : "merging_compactions")
      ->Add();
  return OkStatus();
}

StatusOr<std::vector<FileSummary>> TabletCompactor::MergeRuns(const CompactionInputs& inputs) {
  CompactionRequest request = NewCompactionRequest(*body_->context, *inputs.schema, inputs.group,
                                                   /*is_final=*/inputs.from_oldest);
  std::vector<std::unique_ptr<EntryIterator>> sources;
  for (const TabletRun& run : inputs.runs) {
    sources.push_back(NewRunIterator(run.files, ReadAhead::kScan));
  }
  request.entries = NewMergingIterator(std::move(sources));
  if (inputs.families != nullptr) {
    request.entries = NewFamilyFilter(std::move(request.entries), inputs.families);
  }
  request.visibility.now_us = inputs.whole_at_us.value_or(body_->context->clock->NowMicros());
  request.visibility.mode =
      inputs.from_oldest ? VisibilityMode::kCollectAll : VisibilityMode::kKeepHistory;
  if (SEEDED_BUG("tombstone-dropped-early")) request.visibility.mode = VisibilityMode::kCollectAll;
  request.visibility.families = inputs.ActingRules();
  ASSIGN_OR_RETURN(request.boundaries, inputs.Boundaries());
  request.sample = [&inputs](std::string_view first, std::string_view limit) {
    return inputs.Sample(first, limit);
  };
  request.cancel = body_->context->stopping;
  request.limiter = inputs.limiter;
  return RunCompaction(std::move(request), body_->context->files->directory());
}

// Merges all of `runs`, which reach back to the first entry, into files of `group`.
StatusOr<std::vector<FileSummary>> TabletCompactor::MergeFamilies(
    const std::string& group, const std::set<std::string>& families,
    const std::vector<TabletRun>& runs, const TabletSnapshot& snapshot) {
  CompactionInputs inputs;
  inputs.group = group;
  inputs.runs = runs;
  inputs.from_oldest = true;
  inputs.schema = snapshot.schema;
  inputs.rules = snapshot.rules;
  inputs.families = &families;
  return MergeRuns(inputs);
}

// Replaces the inputs by `output`, or by nothing if it has no files. Saves the tablet's state on
// disk before it changes the runs in memory: after a crash between these two steps, the state names
// the output, and the inputs are orphans.
Status TabletCompactor::Install(const CompactionInputs& inputs, const TabletRun& output) {
  auto replace = [&](auto* runs, auto replacement) {
    auto begin = std::find_if(runs->begin(), runs->end(), [&](const auto& run) {
      return run.run_id == inputs.runs.front().run_id;
    });
    auto at = runs->erase(begin, begin + static_cast<std::ptrdiff_t>(inputs.runs.size()));
    if (!replacement.files.empty()) runs->insert(at, std::move(replacement));
  };
  MutexLock state_lock(&body_->state_mutex);
  if (serving_->is_dropped()) return serving_->Check();
  TabletState changed = body_->state;
  const std::vector<RunState>& present = changed.Group(inputs.group)->runs;
  auto same = [](const RunState& run, const TabletRun& input) {
    return run.run_id == input.run_id;
  };
  // If the inputs are gone, the tablet was released (Release clears the groups): its rows belong to
  // another tablet now, and the output is of no use.
  if (std::search(present.begin(), present.end(), inputs.runs.begin(), inputs.runs.end(), same) ==
      present.end()) {
    return Aborted(
        "the tablet was split or merged meanwhile, so the result of the compaction is not used");
  }
  replace(&changed.Group(inputs.group)->runs, StateOf(output));
  CRASH_POINT("compaction.before_state");
  RETURN_IF_ERROR(body_->SaveState(std::move(changed)));
  CRASH_POINT("compaction.after_state");
  MutexLock lock(&body_->mutex);
  auto version = std::make_shared<TabletVersion>(*body_->version);
  replace(&version->Group(inputs.group)->runs, output);
  body_->version = std::move(version);
  return OkStatus();
}

}  // namespace sippar::engine
