// Random records for tests of METADATA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cluster/api/tablet_record.h"
#include "engine/base/random.h"

namespace sippar::cluster {

inline TabletRecord NewRecord(uint64_t table_id, const engine::RowRange& range,
                              uint64_t tablet_id) {
  TabletRecord record;
  record.table_id = table_id;
  record.range = range;
  record.tablet_id = tablet_id;
  record.tablet_epoch = 1;
  record.phase = TabletPhase::kAssigned;
  record.server = {"a", 7};
  record.state.table_id = table_id;
  record.state.tablet_id = tablet_id;
  record.state.range = range;
  return record;
}

inline std::string RandomBytes(engine::Random* random, size_t size_max) {
  std::string bytes(random->Uniform(size_max + 1), '\0');
  for (char& c : bytes) c = static_cast<char>(random->Uniform(random->OneIn(2) ? 3 : 256));
  return bytes;
}

inline engine::TabletState RandomState(engine::Random* random, const TabletRecord& record) {
  engine::TabletState state = record.state;
  state.redo_sequence = random->Next() >> 20;
  state.last_time_us = static_cast<int64_t>(random->Next() >> 12);
  if (random->OneIn(2)) state.family_births["f"] = random->Uniform(1000);
  if (random->OneIn(3)) state.old_groups["f"]["g"] = random->Uniform(1000);
  for (uint64_t group = random->Uniform(4); group > 0; --group) {
    engine::GroupState& added = *state.Group(fmt::format("group{}", group));
    for (uint64_t run = random->Uniform(3); run > 0; --run) {
      engine::RunState& made = added.runs.emplace_back();
      made.run_id = random->Next();
      made.made_us = static_cast<int64_t>(random->Uniform(1'000'000));
      made.major = random->OneIn(2);
      engine::FileSummary summary;
      summary.file_id = random->Next();
      summary.size_bytes = random->Uniform(1 << 30);
      summary.first_key = RandomBytes(random, 20);
      summary.last_key = summary.first_key + RandomBytes(random, 20);
      made.files.emplace_back(summary);
      if (random->OneIn(2)) made.files.back().rows = {RandomBytes(random, 4), ""};
    }
  }
  return state;
}

inline TabletSuspicion RandomSuspicion(engine::Random* random) {
  TabletSuspicion suspicion;
  suspicion.set_aside = random->OneIn(3);
  for (uint64_t deaths = random->Uniform(3); deaths > 0; --deaths) {
    suspicion.deaths.push_back({{"s-1", deaths}, static_cast<int64_t>(random->Next() >> 12)});
  }
  return suspicion;
}

inline TabletRecord RandomRecord(engine::Random* random) {
  std::string start = RandomBytes(random, 6);
  std::string limit = random->OneIn(4) ? "" : start + "\x05" + RandomBytes(random, 6);
  TabletRecord record =
      NewRecord(2 + random->Uniform(1000), {start, limit}, (5ull << 32) + random->Uniform(1000));
  record.tablet_epoch = random->Next();
  record.change = random->Uniform(1 << 20);
  record.phase = static_cast<TabletPhase>(random->Uniform(4));
  if (random->OneIn(4)) record.server = {};
  record.state = RandomState(random, record);
  for (uint64_t logs = random->Uniform(3); logs > 0; --logs) record.logs.push_back({"b-2", logs});
  if (random->OneIn(4)) {
    std::string middle = start + "\x04";
    SplitRecord split{RandomState(random, record), RandomState(random, record)};
    split.left.tablet_id += 1;
    split.left.range.limit = middle;
    split.right.tablet_id += 2;
    split.right.range.start = middle;
    record.split = std::move(split);
  }
  record.suspicion = RandomSuspicion(random);
  return record;
}

}  // namespace sippar::cluster
