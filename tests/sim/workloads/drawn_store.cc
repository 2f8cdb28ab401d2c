// Draws the tables and stores that all workloads share.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/drawn_store.h"

#include <fmt/format.h>

namespace sippar::sim {

using std::string_literals::operator""s;

engine::TableSchema DrawRowSchema(engine::Random* random) {
  engine::TableSchema schema;
  schema.name = "t";
  auto versions = engine::GcPolicy::MaxVersions(static_cast<uint32_t>(1 + random->Uniform(3)));
  schema.families.push_back(
      {"a", engine::FamilyType::kBytes, random->OneIn(2) ? engine::GcPolicy::KeepAll() : versions});
  auto newest = engine::GcPolicy::MaxVersions(1);
  schema.families.push_back({"s", engine::FamilyType::kBytes, newest});
  schema.families.push_back({"sn", engine::FamilyType::kCounter, newest});
  for (const engine::FamilySchema& family : schema.families) {
    std::string name = fmt::format("g{}", random->Uniform(2));
    if (schema.FindGroup(name) == nullptr) {
      engine::LocalityGroupSchema& group = schema.groups.emplace_back();
      group.name = name;
      group.block_size = 1024;
      group.compression =
          random->OneIn(8) ? engine::Compression::kZstd : engine::Compression::kNone;
      group.bloom = static_cast<engine::BloomKind>(random->Uniform(3));
      group.in_memory = random->OneIn(8);
    }
    schema.FindGroup(name)->families.push_back(family.name);
  }
  schema.Normalize();
  return schema;
}

std::vector<std::string> DrawRows(engine::Random* random, size_t least) {
  std::vector<std::string> rows = {"a", "a\0"s,     "a\0\0"s, "a\1"s, "ab",
                                   "b", "b\0\xff"s, "c",      "d",    "\xff\xff"s};
  rows.resize(least + random->Uniform(rows.size() - least + 1));
  return rows;
}

std::vector<std::string> DrawSplitKeys(engine::Random* random) {
  return random->OneIn(2) ? std::vector<std::string>{"a\0"s, "b"} : std::vector<std::string>();
}

engine::StoreOptions DrawStoreOptions(engine::Random* random) {
  engine::StoreOptions store;
  store.memtable_size = 4096ull << random->Uniform(3);
  store.memtable_budget = store.memtable_size << (1 + random->Uniform(3));
  store.block_cache_size = 1ull << (14 + random->Uniform(6));
  store.pinned_blocks_size = 1ull << (12 + random->Uniform(6));
  store.memory_limit = 0;
  store.log_segment_size = 512ull << random->Uniform(5);
  store.log_segments_max = 1 + random->Uniform(6);
  store.split_size = random->OneIn(2) ? 4096ull << random->Uniform(3) : 1u << 30;
  store.major_cycle_us = random->OneIn(2) ? 0 : int64_t{20'000} << random->Uniform(6);
  store.background_rate = random->OneIn(4) ? 100'000 : 0;
  return store;
}

std::string TextOf(const engine::StoreOptions& store) {
  return fmt::format(
      "store: memtables {} of {} B, cache {} B, pinned {} B, log segments {} of {} B, split {} B, "
      "major cycle {} us, background {} B/s",
      store.memtable_size, store.memtable_budget, store.block_cache_size, store.pinned_blocks_size,
      store.log_segments_max, store.log_segment_size, store.split_size, store.major_cycle_us,
      store.background_rate);
}

}  // namespace sippar::sim
