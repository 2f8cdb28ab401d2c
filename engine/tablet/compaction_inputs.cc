// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/compaction_inputs.h"

#include <algorithm>

#include "engine/sstable/sstable_options.h"

namespace sippar::engine {
namespace {
// An output file is cut after about this many raw bytes, so that one compression dictionary suits
// all its content.
constexpr uint64_t kOutputRawSize = 128 << 20;
// Spacing, in raw bytes, of the keys taken from the inputs' block indexes to choose those cuts.
constexpr uint64_t kSplitGrain = 8 << 20;
}  // namespace

RunInfo DescribeRun(const TabletRun& run) {
  RunInfo info;
  info.made_us = run.made_us;
  info.major = run.major;
  info.run_id = run.run_id;
  info.time_min_us = kTimeMax;
  for (const auto& file : run.files) {
    info.size_bytes += file->ref().part_bytes;
    // A file that is shared since a split also holds rows and deletes of other tablets, and stays
    // on the disk until each of these tablets has rewritten its part. So a run with such a file
    // does not count as made by a major compaction.
    info.major &= file->ref().IsWhole();
    info.tombstones += file->summary().tombstones;
    info.entries += file->summary().entries;
    info.time_min_us = std::min(info.time_min_us, file->summary().time_min_us);
  }
  return info;
}

uint64_t CompactionInputs::StoredSize() const {
  uint64_t bytes = 0;
  for (const TabletRun& run : runs) bytes += DescribeRun(run).size_bytes;
  return bytes;
}

int64_t CompactionInputs::OldestMade() const {
  int64_t made_us = kTimeMax;
  for (const TabletRun& run : runs) {
    if (!run.major) made_us = std::min(made_us, run.made_us);
  }
  return made_us == kTimeMax ? runs.front().made_us : made_us;
}

StatusOr<std::vector<std::string>> CompactionInputs::Boundaries() const {
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

std::optional<TabletRun> CompactionInputs::Joined() const {
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
  // The id of a run is usually the id of its first file. A joined run takes the id of its first
  // input, because after a merge of tablets the id of the first file may belong to another run.
  joined.run_id = runs.front().run_id;
  joined.made_us = OldestMade();
  return joined;
}

std::shared_ptr<const FamilyRules> CompactionInputs::ActingRules() const {
  auto acting = std::make_shared<FamilyRules>(*rules);
  for (auto& [family, rule] : *acting) {
    // Each delete of newer versions lowers a version's rank, so a delete outside the inputs may
    // decide what such a rule drops.
    const bool needs_all = rule.gc.MixesAgeAndVersions();
    rule.acts_at_end = (whole_at_us.has_value() || !needs_all) && rule.Since() <= rest_from;
  }
  return acting;
}

StatusOr<std::string> CompactionInputs::Sample(std::string_view first,
                                               std::string_view limit) const {
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
          // Each output samples only its own part of the file, so a file's share grows with the
          // number of outputs.
          (raw > kOutputRawSize ? static_cast<double>(raw) / kOutputRawSize : 1.0));
      size_t left = wanted - std::min(wanted, sample.size());
      ASSIGN_OR_RETURN(std::string piece, file->Sample(first, limit, std::min(share, left)));
      sample += piece;
    }
  }
  return sample;
}

}  // namespace sippar::engine
