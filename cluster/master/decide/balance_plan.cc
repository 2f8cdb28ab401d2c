// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/balance_plan.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace sippar::cluster::master {
namespace {

using ByWeight = std::set<std::pair<uint64_t, size_t>>;  // weight and index of each server

double Skew(const ByWeight& order, uint64_t mean) {
  return mean == 0 ? 1 : static_cast<double>(order.rbegin()->first) / static_cast<double>(mean);
}

// Returns the index of the tablet to move between two servers whose weights differ by `gap`; size()
// if no move makes the difference smaller. `tablets` are sorted by weight. A tablet of half the gap
// makes the two servers equal; a tablet of the whole gap or more would only exchange their roles.
size_t ChooseTablet(const std::vector<BalanceTablet>& tablets, uint64_t gap) {
  auto above = std::upper_bound(
      tablets.begin(), tablets.end(), gap / 2,
      [](uint64_t half, const BalanceTablet& tablet) { return half < tablet.weight; });
  if (above != tablets.begin()) return static_cast<size_t>(above - tablets.begin()) - 1;
  if (above != tablets.end() && above->weight < gap) {
    return static_cast<size_t>(above - tablets.begin());
  }
  return tablets.size();
}

void SetWeight(ByWeight* order, BalanceServer* server, size_t index, uint64_t weight) {
  order->erase({server->weight, index});
  server->weight = weight;
  order->insert({weight, index});
}

// Returns the tablets to split: those whose calls weigh at least `tablet_weight`, on servers that
// are heavier than `server_weight` although no move makes them lighter.
std::vector<uint64_t> ChooseSplits(const std::vector<BalanceServer>& servers,
                                   uint64_t server_weight, uint64_t tablet_weight) {
  std::vector<uint64_t> splits;
  for (const BalanceServer& server : servers) {
    if (server.weight <= server_weight) continue;
    for (const BalanceTablet& tablet : server.movable) {
      if (tablet.calls_weight >= tablet_weight) splits.push_back(tablet.tablet_id);
    }
  }
  return splits;
}

}  // namespace

BalancePlan PlanBalance(std::vector<BalanceServer> servers, size_t moves_max,
                        uint64_t split_weight) {
  BalancePlan plan;
  if (servers.size() < 2) return plan;
  ByWeight order;
  uint64_t total = 0;
  for (size_t i = 0; i < servers.size(); ++i) {
    order.insert({servers[i].weight, i});
    total += servers[i].weight;
  }
  const uint64_t mean = total / servers.size();
  const uint64_t tolerance = mean / 10;
  plan.skew_before = Skew(order, mean);
  std::vector<bool> sorted(servers.size());
  ByWeight givers = order;  // servers that may still have a tablet whose move helps
  while (plan.moves.size() < moves_max && !givers.empty()) {
    auto [high, from] = *givers.rbegin();
    auto [low, to] = *order.begin();
    bool uneven = high > mean + tolerance || low + tolerance < mean;
    if (!uneven || high <= low) break;
    BalanceServer& giver = servers[from];
    if (!sorted[from]) {
      std::sort(giver.movable.begin(), giver.movable.end(), [](const auto& a, const auto& b) {
        return std::tie(a.weight, a.tablet_id) < std::tie(b.weight, b.tablet_id);
      });
      sorted[from] = true;
    }
    size_t chosen = ChooseTablet(giver.movable, high - low);
    givers.erase(std::prev(givers.end()));
    if (chosen == giver.movable.size()) continue;
    BalanceTablet tablet = giver.movable[chosen];
    giver.movable.erase(giver.movable.begin() + static_cast<std::ptrdiff_t>(chosen));
    plan.moves.push_back({tablet.tablet_id, tablet.weight, giver.server, servers[to].server});
    // A tablet that was received in this round does not move again in this round, so only the
    // receiver's earlier tablets are considered later.
    if (givers.erase({low, to}) > 0) givers.insert({low + tablet.weight, to});
    SetWeight(&order, &servers[to], to, low + tablet.weight);
    SetWeight(&order, &giver, from, high - tablet.weight);
    givers.insert({giver.weight, from});
  }
  plan.skew_after = Skew(order, mean);
  // If moves_max was reached, more moves in the next round may suffice without a split.
  if (plan.moves.size() < moves_max) {
    plan.splits = ChooseSplits(servers, mean + tolerance, std::max(split_weight, mean / 2));
  }
  return plan;
}

}  // namespace sippar::cluster::master
