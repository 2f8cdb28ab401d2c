// Draws the options of a cluster history.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/cluster_knobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/workloads/drawn_faults.h"
#include "tests/sim/workloads/drawn_store.h"

namespace sippar::sim {
namespace {

cluster::master::MasterOptions DrawPolicy(engine::Random* random, uint64_t split_size) {
  cluster::master::MasterOptions policy;
  auto micros = [random](int64_t least, uint64_t doublings) {
    return least << random->Uniform(doublings);
  };
  policy.poll_us = micros(50'000, 4);
  policy.report_us = micros(100'000, 4);
  policy.balance_us = micros(100'000, 6);
  // Half of the histories have several reports between two sweeps, the others have many sweeps.
  policy.garbage_us =
      random->OneIn(2) ? policy.report_us << (1 + random->Uniform(4)) : micros(10'000, 6);
  policy.trash_us = micros(100'000, 6);
  policy.retry_min_us = 2'000;
  policy.retry_max_us = micros(50'000, 3);
  policy.unanswered_fence_us = micros(500'000, 4);
  policy.silent_fence_us = micros(1'000'000, 4);
  policy.lone_fence_us = 4 * policy.silent_fence_us;  // draws nothing, like deadly_row below
  policy.answer_us = 2'000'000;
  policy.split_size = split_size;
  policy.loads_max = 1 + random->Uniform(8);
  policy.scan_page = 1 + random->Uniform(20);
  return policy;
}

}  // namespace

ClusterKnobs ClusterKnobs::Draw(engine::Random* random) {
  ClusterKnobs knobs;
  auto sometimes = [random](uint64_t least) {  // 0 in half of the histories
    return random->OneIn(2) ? 0 : least << random->Uniform(5);
  };
  knobs.schema = DrawRowSchema(random);
  knobs.split_keys = DrawSplitKeys(random);
  knobs.rows = DrawRows(random);
  knobs.store = DrawStoreOptions(random);
  knobs.policy = DrawPolicy(random, knobs.store.split_size);
  knobs.servers = 3 + random->Uniform(3);
  knobs.operations_each = 10 + random->Uniform(30);
  knobs.lease_us = int64_t{50'000} << random->Uniform(5);
  knobs.call_us = int64_t{100'000} << random->Uniform(5);
  knobs.server_kills = random->OneIn(2);
  knobs.master_kills = random->OneIn(3);
  knobs.lock_kills = random->OneIn(6);
  knobs.drains = random->OneIn(3);
  knobs.freezes = random->OneIn(2);
  knobs.clock_jumps = random->OneIn(3);
  knobs.partitions = random->OneIn(3);
  knobs.disk_stops = random->OneIn(6);
  knobs.late_writes = random->OneIn(3);
  knobs.reshapes = random->OneIn(2);
  knobs.alters = random->OneIn(3);
  knobs.crash_point_one_in = random->OneIn(2) ? 0 : sometimes(64);
  knobs.disk.fail_one_in = random->OneIn(3) ? sometimes(200) : 0;
  knobs.disk.slow_sync_one_in = random->OneIn(3) ? sometimes(60) : 0;
  knobs.network.lose_request_one_in = random->OneIn(3) ? sometimes(50) : 0;
  knobs.network.lose_answer_one_in = random->OneIn(3) ? sometimes(50) : 0;
  knobs.network.delay_one_in = random->OneIn(3) ? sometimes(50) : 0;
  knobs.network.repeat_one_in = random->OneIn(3) ? sometimes(4) : 0;
  knobs.scene = static_cast<Scene>(random->OneIn(2) ? 0 : 1 + random->Uniform(2));
  // This option draws no random number, so that the histories of existing seeds stay the same.
  knobs.deadly_row =
      knobs.policy.sets_aside && knobs.scene == Scene::kAny && knobs.operations_each % 5 == 0;
  // Draws nothing, like deadly_row, and leaves the histories of scenes as they were.
  knobs.fences = knobs.scene == Scene::kAny && knobs.operations_each % 3 == 0;
  if (knobs.scene == Scene::kLateWrites) knobs.AimAtLateWrites(random);
  if (knobs.scene == Scene::kSweeps) knobs.AimAtSweeps(random);
  return knobs;
}

// Recovery ends before the calls to the sleeping server time out, and the contents of its log are
// not flushed soon.
void ClusterKnobs::AimAtLateWrites(engine::Random* random) {
  late_writes = true;
  freezes = false;
  reshapes = reshapes && random->OneIn(2);
  partitions = false;
  lease_us = int64_t{50'000} << random->Uniform(2);
  call_us = int64_t{800'000} << random->Uniform(2);
  policy.poll_us = 50'000;
  store.memtable_size = 64 << 10;
  store.memtable_budget = 256 << 10;
  store.log_segments_max = 1000;
  store.major_cycle_us = 0;
  store.split_size = 1 << 30;
}

// One tablet lies across the border of two tablets of METADATA, and another tablet lies before it.
// It has many files, which the master learns soon.
void ClusterKnobs::AimAtSweeps(engine::Random* random) {
  reshapes = true;
  master_kills = false;
  lock_kills = false;
  rows = DrawRows(random, 8);
  split_keys = {*std::min_element(rows.begin() + 1, rows.end())};
  store.memtable_size = 4096;
  store.split_size = 1 << 30;
  policy.report_us = 20'000;
  policy.garbage_us = policy.report_us << (1 + random->Uniform(3));
}

std::string ClusterKnobs::Text() const {
  constexpr const char* kScenes[] = {"any", "late writes", "sweeps"};
  std::string trouble;
  auto add = [&trouble](bool is_on, const char* name) { trouble += is_on ? name : ""; };
  add(server_kills, " server-kills");
  add(master_kills, " master-kills");
  add(lock_kills, " lock-kills");
  add(drains, " drains");
  add(freezes, " freezes");
  add(late_writes, " late-writes");
  add(clock_jumps, " clock-jumps");
  add(partitions, " partitions");
  add(disk_stops, " disk-stops");
  add(reshapes, " reshapes");
  add(alters, " alters");
  add(deadly_row, " deadly-row");
  add(fences, " fences");
  return fmt::format(
      "scene: {}; {} servers, {} operations a client on {} rows, {} split keys; lease {} us, calls "
      "{} us\n  master: {}\n  {}\n  trouble:{}; crash points 1 in {}; {}; {}",
      kScenes[static_cast<int>(scene)], servers, operations_each, rows.size(), split_keys.size(),
      lease_us, call_us,
      fmt::format("poll {} us, report {} us, balance {} us, garbage {} us, trash {} us, fence "
                  "unanswered {} us, silent {} us, loads {}, scan page {}",
                  policy.poll_us, policy.report_us, policy.balance_us, policy.garbage_us,
                  policy.trash_us, policy.unanswered_fence_us, policy.silent_fence_us,
                  policy.loads_max, policy.scan_page),
      TextOf(store), trouble, crash_point_one_in, TextOf(disk), TextOf(network));
}

}  // namespace sippar::sim
