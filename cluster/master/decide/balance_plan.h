// Which tablets move to even out the load, by calls and bytes (both are in a weight). Pure.
//
// A round takes from the heaviest server and gives to the lightest until all are within a tenth of
// the mean, or `moves_max` is reached. Of the heaviest's tablets the one moves that comes nearest
// to half the difference from below: the hottest that does not make the receiver the next problem.
// Where no move evens a server out, tablets whose calls alone are more than half of what a server
// should have are split. If no row halves their calls they stay, and the others leave.
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
  uint64_t calls_weight = 0;  // the part of it that a split may halve
};

struct BalanceServer {
  ServerId server;
  uint64_t weight = 0;                 // of all its tablets
  std::vector<BalanceTablet> movable;  // in any order
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
  // Heaviest server over mean, before and after: 1.0 is even.
  double skew_before = 1;
  double skew_after = 1;
};

// No tablet is split whose calls weigh less than `split_weight`.
BalancePlan PlanBalance(std::vector<BalanceServer> servers, size_t moves_max,
                        uint64_t split_weight);

}  // namespace sippar::cluster::master
