// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::engine {
namespace {

using Runs = std::vector<RunInfo>;

// Chooses the newest runs of like size if there are at least tier_width of them. Otherwise, if the
// group has more than runs_max runs, chooses enough of the newest runs to reduce the number of runs
// to runs_max. Chooses no run before index `begin`.
std::optional<CompactionChoice> ChooseMerging(const Runs& runs, size_t begin,
                                              const CompactionPolicyOptions& options) {
  if (runs.size() < begin + 2) return std::nullopt;
  size_t first = runs.size() - 1;
  uint64_t sum = runs[first].size_bytes;
  while (first > begin && static_cast<double>(runs[first - 1].size_bytes) <=
                              options.size_ratio * static_cast<double>(sum)) {
    sum += runs[--first].size_bytes;
  }
  size_t like = runs.size() - first;
  CompactionChoice choice;
  choice.limit = runs.size();
  choice.may_join = true;
  choice.is_debt = true;
  // The urgency exceeds 3 if the group has more than runs_max runs, and is at most 2 otherwise: the
  // merge of a group with too many runs is always more urgent than that of a group without.
  double share = static_cast<double>(runs.size()) / static_cast<double>(options.runs_max);
  choice.urgency = share > 1 ? 2 + share : 1 + share;
  if (like >= options.tier_width) {
    choice.first = first;
    choice.reason = fmt::format("merging: {} runs of like size, {} bytes", like, sum);
    return choice;
  }
  if (runs.size() <= options.runs_max) return std::nullopt;
  // Merging n runs leaves one run, so removing k runs takes a merge of k + 1.
  size_t excess = runs.size() - options.runs_max + 1;
  size_t width = std::min(runs.size() - begin, std::max(excess, like));
  choice.first = runs.size() - width;
  choice.reason =
      fmt::format("merging: {} runs, at most {} are allowed", runs.size(), options.runs_max);
  return choice;
}

// Chooses a major compaction if more than half of the entries are tombstones: it removes them and
// the cells that they hide.
std::optional<CompactionChoice> ChooseForTombstones(const Runs& runs) {
  uint64_t tombstones = 0;
  uint64_t entries = 0;
  bool all_major = true;
  for (const RunInfo& run : runs) {
    tombstones += run.tombstones;
    entries += run.entries;
    all_major &= run.major;
  }
  // Tombstones that a major compaction kept are still needed. Another major compaction would keep
  // them too, and would be chosen again for ever.
  if (all_major || tombstones * 2 <= entries) return std::nullopt;
  CompactionChoice choice;
  choice.limit = runs.size();
  choice.reason = fmt::format("major: {} of {} entries are tombstones", tombstones, entries);
  choice.urgency = static_cast<double>(tombstones) / static_cast<double>(entries);
  return choice;
}

std::optional<CompactionChoice> ChooseForCycle(const Runs& runs,
                                               const CompactionPolicyOptions& options) {
  if (options.cycle_us <= 0) return std::nullopt;
  std::optional<int64_t> since = GarbageSince(runs, options);
  if (!since.has_value() || options.now_us - *since < options.cycle_us) return std::nullopt;
  int64_t age_us = options.now_us - *since;
  CompactionChoice choice;
  choice.limit = runs.size();
  choice.reason = fmt::format("major: garbage for {} s, at most {} s are allowed",
                              age_us / 1'000'000, options.cycle_us / 1'000'000);
  // The urgency is 1 at the end of the cycle. After twice the cycle it exceeds that of every
  // merging compaction of a group with at most runs_max runs.
  choice.urgency = static_cast<double>(age_us) / static_cast<double>(options.cycle_us);
  return choice;
}

}  // namespace

const char* CompactionKindName(CompactionKind kind) {
  constexpr const char* kNames[] = {"minor", "merging", "major"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<int64_t> GarbageSince(const std::vector<RunInfo>& runs,
                                    const CompactionPolicyOptions& options) {
  std::optional<int64_t> since;
  for (const RunInfo& run : runs) {
    int64_t from = run.made_us;
    if (run.major) {
      // The run was clean when it was made, but cells may have expired since.
      if (options.expire_after_us <= 0 || run.entries == run.tombstones) continue;
      if (run.time_min_us > options.now_us - options.expire_after_us) continue;
      from = std::max(from, run.time_min_us + options.expire_after_us);
    }
    since = std::min(since.value_or(from), from);
  }
  return since;
}

std::optional<CompactionChoice> ChooseCompaction(const std::vector<RunInfo>& runs,
                                                 const CompactionPolicyOptions& options) {
  size_t begin = runs.size();
  while (begin > 0 && !runs[begin - 1].busy) --begin;
  std::optional<CompactionChoice> merging = ChooseMerging(runs, begin, options);
  if (begin > 0) return merging;
  std::optional<CompactionChoice> cycle = ChooseForCycle(runs, options);
  if (merging.has_value()) {
    return cycle.has_value() && cycle->urgency > merging->urgency ? cycle : merging;
  }
  return cycle.has_value() ? cycle : ChooseForTombstones(runs);
}

}  // namespace sippar::engine
