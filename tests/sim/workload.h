// Workload: the programs that run in a world, and the invariants that must hold. A seed and a
// workload determine one history.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sippar::sim {

struct HistoryResult {
  std::string violation;  // "": no violation
  uint64_t hash = 0;      // hash of all events; equal for equal seeds
  uint64_t operations = 0;
  uint64_t unknown = 0;  // number of operations without a known outcome
  uint64_t kills = 0;
};

struct Workload {
  const char* name;
  const char* what;
  HistoryResult (*run)(uint64_t seed, bool trace);
  std::string (*drawn)(uint64_t seed);  // the options of that history, as text for people
};

// Each history needs its own process: the memory of killed machines is not freed.
HistoryResult RunOneServer(uint64_t seed, bool trace);
HistoryResult RunCluster(uint64_t seed, bool trace);
std::string DrawnForOneServer(uint64_t seed);
std::string DrawnForCluster(uint64_t seed);

inline constexpr Workload kWorkloads[] = {
    {"one-server", "clients of one process with a directory, which crashes and restarts",
     RunOneServer, DrawnForOneServer},
    {"cluster", "servers, masters, the lock service and clients over a network", RunCluster,
     DrawnForCluster},
};

}  // namespace sippar::sim
