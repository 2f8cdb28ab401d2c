// Settling compaction: moves the older cells of families that ALTER moved to their new locality
// group. All runs of the connected groups are merged from the first entry on and written again by
// group; one saved state replaces the runs and forgets the moves.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/crash_point.h"
#include "engine/tablet/run_output.h"
#include "engine/tablet/tablet_compactor.h"

namespace sippar::engine {

// Settles moved families while no other compaction runs, since all runs of several groups are
// inputs. Returns the groups merged.
StatusOr<std::set<std::string>> TabletCompactor::SettleAlone(const std::string& group) {
  Pause();
  auto settle = [&]() -> StatusOr<std::set<std::string>> {
    RETURN_IF_ERROR(serving_->Check());
    return Settle(group);
  };
  StatusOr<std::set<std::string>> settled = settle();
  Resume();
  return settled;
}

StatusOr<bool> TabletCompactor::SettleOnce() {
  if (!serving_->is_open() || body_->TakeSnapshot().version->old_groups.empty()) return false;
  ASSIGN_OR_RETURN(std::set<std::string> settled, SettleAlone(""));
  return !settled.empty();
}

// Requires: compactions are paused.
StatusOr<std::set<std::string>> TabletCompactor::Settle(const std::string& group) {
  std::set<std::string> none;
  TabletSnapshot before = body_->TakeSnapshot();
  std::optional<SettlingPlan> plan =
      PlanSettling(before.version->old_groups, *before.schema, group);
  if (!plan.has_value()) return none;
  // Cells from before the move may still be in memtables of the old groups. The flush makes them
  // part of the inputs; otherwise the move could not be forgotten.
  RETURN_IF_ERROR(flusher_->Flush());
  TabletSnapshot snapshot = body_->TakeSnapshot();
  // The plan was made from the earlier schema; by now a family may belong in another group.
  if (snapshot.schema != before.schema) {
    return Aborted(
        fmt::format("the schema of tablet {} changed during the compaction; try again", body_->id));
  }
  Status status = SettleGroups(*plan, snapshot);
  RETURN_IF_ERROR(Annotate(status, fmt::format("settling compaction of tablet {}", body_->id)));
  body_->context->metrics->Get("settling_compactions")->Add();
  return plan->groups;
}

Status TabletCompactor::SettleGroups(const SettlingPlan& plan, const TabletSnapshot& snapshot) {
  std::vector<TabletRun> inputs;
  int64_t made_us = body_->context->clock->NowMicros();
  for (const std::string& name : plan.groups) {
    const GroupVersion* group = snapshot.version->Group(name);
    if (group == nullptr) continue;
    inputs.insert(inputs.end(), group->runs.begin(), group->runs.end());
    // The age of the oldest input: this is not a major compaction, so each output may still hold
    // garbage of that age.
    for (const TabletRun& run : group->runs) made_us = std::min(made_us, run.made_us);
  }
  UnpublishedFiles::Job job = body_->context->unpublished->Begin();
  std::map<std::string, TabletRun> outputs;
  if (!inputs.empty()) {
    for (const auto& [name, families] : plan.families) {
      ASSIGN_OR_RETURN(std::vector<FileSummary> files,
                       MergeFamilies(name, families, inputs, snapshot));
      body_->context->metrics->Get("compaction_bytes_written")->Add(StoredBytes(files));
      if (files.empty()) continue;
      ASSIGN_OR_RETURN(outputs[name], OpenOutput(*body_->context, files));
      outputs[name].made_us = made_us;
    }
  }
  return InstallSettled(plan, snapshot, outputs);
}

Status TabletCompactor::InstallSettled(const SettlingPlan& plan, const TabletSnapshot& snapshot,
                                       const std::map<std::string, TabletRun>& outputs) {
  // The inputs are the oldest runs of each group: while compactions were paused, only flushes
  // changed the lists of runs, by appending to them.
  auto replace = [&](const std::string& name, auto* runs, auto make) {
    const GroupVersion* merged = snapshot.version->Group(name);
    auto count = static_cast<std::ptrdiff_t>(merged == nullptr ? 0 : merged->runs.size());
    runs->erase(runs->begin(), runs->begin() + count);
    auto output = outputs.find(name);
    if (output != outputs.end()) runs->insert(runs->begin(), make(output->second));
  };
  MutexLock state_lock(&body_->state_mutex);
  if (serving_->is_dropped()) return serving_->Check();
  TabletState changed = body_->state;
  for (const std::string& name : plan.groups) {
    replace(name, &changed.Group(name)->runs, StateOf);
  }
  changed.old_groups =
      AfterSettling(std::move(changed.old_groups), snapshot.version->old_groups, plan);
  CRASH_POINT("settling.before_state");
  RETURN_IF_ERROR(body_->SaveState(std::move(changed)));
  CRASH_POINT("settling.after_state");
  MutexLock lock(&body_->mutex);
  auto version = std::make_shared<TabletVersion>(*body_->version);
  for (const std::string& name : plan.groups) {
    GroupVersion* group = version->Group(name);
    if (group != nullptr) replace(name, &group->runs, [](const TabletRun& run) { return run; });
  }
  version->old_groups =
      AfterSettling(std::move(version->old_groups), snapshot.version->old_groups, plan);
  body_->version = std::move(version);
  return OkStatus();
}

}  // namespace sippar::engine
