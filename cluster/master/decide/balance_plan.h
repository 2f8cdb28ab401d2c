// Plans which tablets move to even out the load. A tablet's weight combines its calls and its
// bytes. Pure.
//
// A round moves tablets from the heaviest server to the lightest until all servers are within a
// tenth of the mean or `moves_max` is reached. It chooses the heaviest tablet that weighs at most
// half the difference, so that the receiver does not become heavier than the giver; if there is
// none, the lightest that weighs less than the difference. If no move makes a server light enough,
// its tablets whose calls alone weigh at least half of the mean are split. If no row halves a
// tablet's calls, the tablet stays and the server's other tablets leave.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/server_id.h"

namespace sippar::cluster::master {

struct BalanceTablet {
  uint64_t tablet_id = 0;
  uint64_t weight = 0;
  uint64_t calls_weight = 0;  // part of the weight that a split could halve
};

struct BalanceServer {
  ServerId server;
  uint64_t weight = 0;                 // weight of all its tablets
  std::vector<BalanceTablet> movable;  // tablets that may move, in any order
};

struct Move {
  uint64_t tablet_id = 0;
  uint64_t weight = 0;
  ServerId from;
  ServerId to;
  bool operator==(const Move&) const = default;
};

struct BalancePlan {
  std::vector<Move> moves;
  std::vector<uint64_t> splits;
  // Weight of the heaviest server divided by the mean, before and after the moves; 1.0 is even.
  double skew_before = 1;
  double skew_after = 1;
};

// Tablets whose calls weigh less than `split_weight` are not split.
BalancePlan PlanBalance(std::vector<BalanceServer> servers, size_t moves_max,
                        uint64_t split_weight);

}  // namespace sippar::cluster::master
