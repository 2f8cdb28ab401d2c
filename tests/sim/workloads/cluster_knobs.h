// The options that are drawn for a history of a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/sim/sim_transport.h"
#include "tests/sim/sim_world.h"

namespace sippar::sim {

// A goal that the options serve, so that several rare events come together. Half of the histories
// have none.
enum class Scene : uint8_t {
  kAny,
  // A log write outlasts the lease of its server: meanwhile other servers recover the log, write,
  // and die in turn.
  kLateWrites,
  // A tablet at the border of two METADATA tablets is split while the sweep reads METADATA.
  kSweeps,
};

// Drawn from the seed. Each kind of fault occurs in only a part of the histories, so that one kind
// does not hide what another would show.
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
  uint64_t crash_point_one_in = 0;  // one in so many passages of any crash point kills the machine
  bool server_kills = false;
  bool master_kills = false;
  bool lock_kills = false;
  bool drains = false;
  bool freezes = false;
  bool late_writes = false;  // writes by a server that is already considered dead
  bool clock_jumps = false;
  bool partitions = false;
  bool disk_stops = false;  // disks that are full, read-only or hanging
  bool reshapes = false;
  bool alters = false;
  bool fences = false;      // the master ends servers that it removed by force
  bool deadly_row = false;  // one row ends each server that loads its tablet
  DiskFaults disk;
  NetworkFaults network;

  static ClusterKnobs Draw(engine::Random* random);
  // The options on a few lines, for people.
  std::string Text() const;

 private:
  void AimAtLateWrites(engine::Random* random);
  void AimAtSweeps(engine::Random* random);
};

}  // namespace sippar::sim
