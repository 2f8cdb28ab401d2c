// SPDX-License-Identifier: Apache-2.0
#include "query/execute/replay_changes.h"

#include <fmt/format.h>

#include <utility>

namespace sippar::query {

using engine::MutationEntry;
using engine::RowMutation;

void ReplayBatch::Add(std::string_view row, MutationEntry entry) {
  auto found = rows_.find(row);
  if (found == rows_.end()) found = rows_.emplace(std::string(row), RowMutation(row)).first;
  ++entries_;
  // Each stored entry has the row key.
  bytes_ += row.size() + entry.qualifier.size() + entry.value.size() + sizeof(MutationEntry);
  found->second.entries.push_back(std::move(entry));
}

std::vector<RowMutation> ReplayBatch::Take() {
  std::vector<RowMutation> mutations;
  mutations.reserve(rows_.size());
  for (auto& [row, mutation] : rows_) mutations.push_back(std::move(mutation));
  rows_.clear();
  entries_ = 0;
  bytes_ = 0;
  return mutations;
}

StatusOr<std::vector<MutationEntry>> ReplayOf(MutationEntry entry,
                                              const engine::TableSchema& schema) {
  const engine::FamilySchema* family = schema.FindFamily(entry.family);
  if (family == nullptr) {  // it was added after the backup, and dropped again
    return FailedPrecondition(
        fmt::format("family {} has changes, but the backup has no such family", entry.family));
  }
  // A delete of some versions acts on those that the rule has left at the time of the delete, which
  // is now a later one (engine/read/version_history.h). Other rules drop for good what their age
  // part drops, so the later time makes no difference.
  const bool of_versions = entry.kind == MutationEntry::kDeleteColumn && !entry.time.IsAll();
  if (of_versions && family->gc.MixesAgeAndVersions()) {
    return FailedPrecondition(
        fmt::format("family {}: single versions were deleted under the rule GC = {}, and what that "
                    "leaves depends on the time of the delete",
                    family->name, family->gc.Print()));
  }
  std::vector<MutationEntry> entries;
  if (entry.kind == MutationEntry::kSet && engine::IsAggregate(family->type)) {
    // The stream has the state that an addition resulted in. A write can only add to a cell, so the
    // cell is removed first.
    MutationEntry& removed = entries.emplace_back();
    removed.kind = MutationEntry::kDeleteColumn;
    removed.family = entry.family;
    removed.qualifier = entry.qualifier;
    const int64_t time_us = entry.timestamp_us;
    removed.time = {time_us, time_us == engine::kTimeMax ? engine::kTimeMax : time_us + 1};
    entry.kind = MutationEntry::kMerge;
  }
  entries.push_back(std::move(entry));
  return entries;
}

}  // namespace sippar::query
