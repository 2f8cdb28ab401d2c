// What is drawn for a history of a cluster. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/sim/sim_transport.h"
#include "tests/sim/sim_world.h"

namespace sippar::sim {

// What the knobs are aimed at, so that several rare events come together. Half of the histories are
// aimed at nothing.
enum class Scene : uint8_t {
  kAny,
  // A write of a log outlasts the lease of its server: others recover the log meanwhile, write, and
  // die in their turn.
  kLateWrites,
  // A tablet is split while the sweep reads METADATA, at the border of two of its tablets.
  kSweeps,
};

// Drawn from the seed. Each kind of trouble is there in a part of the histories, so that one does
// not hide what another would show.
struct ClusterKnobs {
  Scene scene = Scene::kAny;
  engine::TableSchema schema;
  std::vector<std::string> split_keys;
  std::vector<std::string> rows;
  engine::StoreOptions store;
  cluster::master::MasterOptions policy;
  uint64_t servers = 3;
  uint64_t operations_each = 20;
  int64_t lease_us = 200'000;
  int64_t call_us = 500'000;
  uint64_t crash_point_one_in = 0;  // passages of any crash point that kill the machine
  bool server_kills = false;
  bool master_kills = false;
  bool lock_kills = false;
  bool drains = false;
  bool freezes = false;
  bool late_writes = false;  // by a server that was taken for dead meanwhile
  bool clock_jumps = false;
  bool partitions = false;
  bool disk_stops = false;  // full, read-only, hanging
  bool reshapes = false;
  bool alters = false;
  bool deadly_row = false;  // one row ends each server that loads its tablet
  DiskFaults disk;
  NetworkFaults network;

  static ClusterKnobs Draw(engine::Random* random);
  // For people, on a few lines.
  std::string Text() const;

 private:
  void AimAtLateWrites(engine::Random* random);
  void AimAtSweeps(engine::Random* random);
};

}  // namespace sippar::sim
