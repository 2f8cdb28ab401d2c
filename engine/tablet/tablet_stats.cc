// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {

// A shared file counts by the share of its bytes in the tablet's rows: an estimate until the
// tablet's first major compaction rewrites it.
void AddFile(const FileRef& file, GroupStats* stats) {
  const FileSummary& whole = file.summary;
  double share = file.IsWhole() ? 1.0
                                : static_cast<double>(file.part_bytes) /
                                      static_cast<double>(std::max<uint64_t>(1, whole.size_bytes));
  auto part = [&](uint64_t count) {
    return file.IsWhole() ? count : static_cast<uint64_t>(static_cast<double>(count) * share);
  };
  ++stats->sstables;
  stats->stored_bytes += file.part_bytes;
  stats->raw_bytes += part(whole.raw_bytes);
  stats->entries += part(whole.entries);
  stats->rows += part(whole.rows);
  for (const auto& [name, bytes] : whole.families) {
    FamilyBytes& family = stats->families[name];
    family.cells += part(bytes.cells);
    family.raw_bytes += part(bytes.raw_bytes);
  }
}

}  // namespace

std::vector<GroupStats> Tablet::Stats() const {
  TabletSnapshot snapshot = body_.TakeSnapshot();
  std::vector<GroupStats> all;
  for (const GroupVersion& group : snapshot.version->groups) {
    GroupStats& stats = all.emplace_back();
    stats.group = group.name;
    stats.memtable_bytes = group.active->raw_bytes();
    stats.entries = group.active->entries();
    for (const auto& memtable : group.frozen) {
      stats.memtable_bytes += memtable->raw_bytes();
      stats.entries += memtable->entries();
    }
    stats.raw_bytes = stats.memtable_bytes;
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) AddFile(file->ref(), &stats);
    }
  }
  return all;
}

uint64_t Tablet::stored_bytes() const {
  uint64_t bytes = 0;
  TabletSnapshot snapshot = body_.TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) bytes += file->ref().part_bytes;
    }
  }
  return bytes;
}

}  // namespace sippar::engine
