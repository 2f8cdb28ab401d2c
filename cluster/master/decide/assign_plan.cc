// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/assign_plan.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace sippar::cluster::master {

std::vector<Placement> PlanAssignment(std::vector<ServerLoad> servers,
                                      std::vector<TabletToPlace> tablets) {
  std::vector<Placement> placements;
  if (servers.empty()) return placements;
  std::sort(tablets.begin(), tablets.end(), [](const auto& a, const auto& b) {
    if (a.of_metadata != b.of_metadata) return a.of_metadata;
    return a.weight != b.weight ? a.weight > b.weight : a.tablet_id < b.tablet_id;
  });
  // The lightest server is on top; among equal servers the first by name, so that the plan is
  // deterministic.
  auto heavier = [&servers](size_t a, size_t b) {
    return std::tie(servers[a].weight, servers[a].server) >
           std::tie(servers[b].weight, servers[b].server);
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(heavier)> lightest(heavier);
  for (size_t i = 0; i < servers.size(); ++i) lightest.push(i);
  placements.reserve(tablets.size());
  for (const TabletToPlace& tablet : tablets) {
    size_t chosen = lightest.top();
    lightest.pop();
    if (servers[chosen].server == tablet.refused_by && !lightest.empty()) {
      size_t second = lightest.top();
      lightest.pop();
      lightest.push(chosen);
      chosen = second;
    }
    placements.push_back({tablet.tablet_id, servers[chosen].server});
    servers[chosen].weight += tablet.weight;
    lightest.push(chosen);
  }
  return placements;
}

}  // namespace sippar::cluster::master
