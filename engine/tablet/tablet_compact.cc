// Merging and major compactions of one tablet: the policy's choice, carried out beside reads and
// writes. The output replaces its inputs in one saved state; an input file leaves the disk when no
// reader holds it. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/crash_point.h"
#include "engine/compaction/compaction_job.h"
#include "engine/compaction/compaction_policy.h"
#include "engine/read/merging_iterator.h"
#include "engine/tablet/family_filter.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kOutputRawSize = 128 << 20;  // one dictionary serves this much (compression)
constexpr uint64_t kSplitGrain = 8 << 20;

std::vector<RunInfo> DescribeRuns(const GroupVersion& group) {
  std::vector<RunInfo> infos;
  for (const TabletRun& run : group.runs) {
    RunInfo& info = infos.emplace_back();
    for (const auto& file : run.files) {
      info.size_bytes += file->ref().part_bytes;
      info.tombstones += file->summary().tombstones;
      info.entries += file->summary().entries;
    }
  }
  return infos;
}

}  // namespace

// The runs being merged and what surrounds them.
struct Tablet::CompactionInputs {
  std::string group;
  std::vector<TabletRun> runs;         // oldest first, neighbours
  bool from_oldest = false;            // they reach back to the first entry of the group
  std::optional<int64_t> whole_at_us;  // they hold all that arrived before this time
  Snapshot snapshot;
  const std::set<std::string>* families = nullptr;  // only these; null: all

  StatusOr<std::vector<std::string>> Boundaries() const {
    std::vector<std::string> grains;
    for (const TabletRun& run : runs) {
      for (const auto& file : run.files) {
        ASSIGN_OR_RETURN(std::vector<std::string> keys, file->SplitKeys(kSplitGrain));
        std::move(keys.begin(), keys.end(), std::back_inserter(grains));
      }
    }
    std::sort(grains.begin(), grains.end());
    std::vector<std::string> boundaries;
    constexpr size_t kGrains = kOutputRawSize / kSplitGrain;
    for (size_t i = kGrains; i < grains.size(); i += kGrains) boundaries.push_back(grains[i]);
    return boundaries;
  }

  // The runs as one, without a byte copied, when no two files overlap: what is written in key order
  // is never written again for its order alone.
  std::optional<TabletRun> Joined() const {
    TabletRun joined;
    for (const TabletRun& run : runs) {
      joined.files.insert(joined.files.end(), run.files.begin(), run.files.end());
    }
    std::sort(joined.files.begin(), joined.files.end(),
              [](const auto& a, const auto& b) { return a->first_key() < b->first_key(); });
    for (size_t i = 1; i < joined.files.size(); ++i) {
      if (!joined.files[i - 1]->EndsBefore(joined.files[i]->first_key())) {
        return std::nullopt;
      }
    }
    joined.run_id = runs.front().run_id;  // a file's id may stand in another run after a merge
    return joined;
  }

  // Without the rules that a delete outside of the inputs could still soften.
  std::shared_ptr<const FamilyRules> Rules() const {
    if (whole_at_us) return snapshot.rules;
    auto rules = std::make_shared<FamilyRules>(*snapshot.rules);
    for (auto& [family, rule] : *rules) {
      if (rule.gc.MixesAgeAndVersions()) rule.gc = GcPolicy::KeepAll();
    }
    return rules;
  }

  StatusOr<std::string> Sample(std::string_view first, std::string_view limit) const {
    uint64_t raw = 0;
    for (const TabletRun& run : runs) {
      for (const auto& file : run.files) raw += file->summary().raw_bytes;
    }
    size_t wanted = DictionarySampleSize(std::min(raw, kOutputRawSize));
    std::string sample;
    for (const TabletRun& run : runs) {
      for (const auto& file : run.files) {
        auto share = static_cast<size_t>(
            static_cast<double>(wanted) * static_cast<double>(file->summary().raw_bytes) /
            static_cast<double>(std::max<uint64_t>(1, raw)) *
            (raw > kOutputRawSize ? static_cast<double>(raw) / kOutputRawSize : 1.0));
        size_t left = wanted - std::min(wanted, sample.size());
        ASSIGN_OR_RETURN(std::string piece, file->Sample(first, limit, std::min(share, left)));
        sample += piece;
      }
    }
    return sample;
  }
};

StatusOr<bool> Tablet::CompactOnce() {
  MutexLock compaction_lock(&compaction_mutex_);
  if (serving() != Serving::kOpen) return false;
  ASSIGN_OR_RETURN(std::set<std::string> settled, Settle(""));
  if (!settled.empty()) return true;
  Snapshot snapshot = TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    if (PlanSettling(snapshot.version->old_groups, *snapshot.schema, group.name)) continue;
    auto choice = ChooseCompaction(DescribeRuns(group));
    if (!choice.has_value()) continue;
    RETURN_IF_ERROR(Compact(group.name, choice->first, choice->limit, choice->may_join));
    return true;
  }
  return false;
}

Status Tablet::CompactMajor(const std::string& wanted) {
  int64_t now_us = context_->clock->NowMicros();  // what comes behind the flush arrived later
  RETURN_IF_ERROR(Flush());
  MutexLock compaction_lock(&compaction_mutex_);
  RETURN_IF_ERROR(CheckServing());
  std::set<std::string> settled;
  for (;;) {
    ASSIGN_OR_RETURN(std::set<std::string> groups, Settle(wanted));
    if (groups.empty()) break;
    settled.merge(groups);
  }
  Snapshot snapshot = TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    if (!wanted.empty() && group.name != wanted) continue;
    if (group.runs.empty() || settled.contains(group.name)) continue;
    if (PlanSettling(snapshot.version->old_groups, *snapshot.schema, group.name)) continue;
    RETURN_IF_ERROR(Compact(group.name, 0, group.runs.size(), /*may_join=*/false, now_us));
  }
  return OkStatus();
}

// Runs [first, limit) of the group; compaction_mutex_ held, so only flushes change the list, at its
// end.
Status Tablet::Compact(const std::string& group, size_t first, size_t limit, bool may_join,
                       std::optional<int64_t> whole_at_us) {
  CompactionInputs inputs;
  inputs.group = group;
  inputs.snapshot = TakeSnapshot();
  const GroupVersion* version = inputs.snapshot.version->Group(group);
  inputs.from_oldest = first == 0;
  inputs.whole_at_us = whole_at_us;
  inputs.runs.assign(version->runs.begin() + static_cast<std::ptrdiff_t>(first),
                     version->runs.begin() + static_cast<std::ptrdiff_t>(limit));
  Status status;
  if (std::optional<TabletRun> joined; may_join && (joined = inputs.Joined()).has_value()) {
    status = InstallCompaction(inputs, *joined);
    context_->metrics->Get("joined_runs")->Add(inputs.runs.size());
  } else {
    status = Rewrite(inputs);
  }
  return Annotate(status, fmt::format("compaction of tablet {} group {}", id_, group));
}

Status Tablet::Rewrite(const CompactionInputs& inputs) {
  ASSIGN_OR_RETURN(std::vector<FileSummary> files, MergeRuns(inputs));
  context_->metrics->Get("compaction_bytes_written")->Add(StoredBytes(files));
  TabletRun output;
  if (!files.empty()) {
    ASSIGN_OR_RETURN(output, OpenOutput(files));
  }
  RETURN_IF_ERROR(InstallCompaction(inputs, output));
  context_->metrics->Get(inputs.from_oldest ? "major_compactions" : "merging_compactions")->Add();
  return OkStatus();
}

StatusOr<std::vector<FileSummary>> Tablet::MergeRuns(const CompactionInputs& inputs) {
  CompactionRequest request;
  request.fs = context_->fs;
  const LocalityGroupSchema* settings = inputs.snapshot.schema->FindGroup(inputs.group);
  request.options =
      settings != nullptr ? SstableOptions::From(*settings, inputs.from_oldest) : SstableOptions();
  request.next_file_id = context_->next_file_id;
  request.path_of = [this](uint64_t id) { return context_->files->PathOf(id); };
  std::vector<std::unique_ptr<EntryIterator>> sources;
  for (const TabletRun& run : inputs.runs) {
    sources.push_back(NewRunIterator(run.files, ReadAhead::kScan));
  }
  request.entries = NewMergingIterator(std::move(sources));
  if (inputs.families != nullptr) {
    request.entries = NewFamilyFilter(std::move(request.entries), inputs.families);
  }
  request.visibility.now_us = inputs.whole_at_us.value_or(context_->clock->NowMicros());
  request.visibility.mode =
      inputs.from_oldest ? VisibilityMode::kCollectAll : VisibilityMode::kKeepHistory;
  request.visibility.families = inputs.Rules();
  ASSIGN_OR_RETURN(request.boundaries, inputs.Boundaries());
  request.sample = [&inputs](std::string_view first, std::string_view limit) {
    return inputs.Sample(first, limit);
  };
  request.cancel = context_->stopping;
  return RunCompaction(std::move(request), context_->files->directory());
}

// All of `runs`, from the first entry on, as files of `group`.
StatusOr<std::vector<FileSummary>> Tablet::MergeFamilies(const std::string& group,
                                                         const std::set<std::string>& families,
                                                         const std::vector<TabletRun>& runs,
                                                         const Snapshot& snapshot) {
  CompactionInputs inputs;
  inputs.group = group;
  inputs.runs = runs;
  inputs.from_oldest = true;
  inputs.snapshot = snapshot;
  inputs.families = &families;
  return MergeRuns(inputs);
}

// Replaces the inputs by `output` (without files: by nothing), in the saved state first.
Status Tablet::InstallCompaction(const CompactionInputs& inputs, const TabletRun& output) {
  auto replace = [&](auto* runs, auto replacement) {
    auto begin = std::find_if(runs->begin(), runs->end(), [&](const auto& run) {
      return run.run_id == inputs.runs.front().run_id;
    });
    auto at = runs->erase(begin, begin + static_cast<std::ptrdiff_t>(inputs.runs.size()));
    if (!replacement.files.empty()) runs->insert(at, std::move(replacement));
  };
  RunState output_state{output.run_id, {}};
  for (const auto& file : output.files) output_state.files.push_back(file->ref());
  MutexLock state_lock(&state_mutex_);
  if (serving() == Serving::kDropped) return CheckServing();
  TabletState changed = state_;
  replace(&changed.Group(inputs.group)->runs, std::move(output_state));
  CRASH_POINT("compaction.before_state");
  RETURN_IF_ERROR(context_->states->Save(changed));
  CRASH_POINT("compaction.after_state");
  // First the new names: files that stay are never without one.
  context_->files->Name(changed.FileIds());
  context_->files->Unname(state_.FileIds());
  state_ = std::move(changed);
  MutexLock lock(&mutex_);
  auto version = std::make_shared<TabletVersion>(*version_);
  replace(&version->Group(inputs.group)->runs, output);
  version_ = std::move(version);
  return OkStatus();
}

}  // namespace sippar::engine
