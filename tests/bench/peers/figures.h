// The figures of the comparison, their targets, and the table of medians.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/bench/peers/peer.h"

namespace sippar::bench {

struct Figure {
  // Name of the case that measures it, with ".part" if the case measures several figures.
  const char* id;
  const char* what;
  bool lower_is_better = false;
  // Least ratio of Sippar to the better peer, above 1 is better; 0: no target.
  double ratio_min = 0;
  bool rocksdb_only = false;
  double value_max = 0;  // absolute target, independent of the peers
};

class Figures {
 public:
  void Add(const std::string& id, int peer, double value);
  // Prints one line for each measured figure; returns the number of missed targets.
  int Print(const std::string& title) const;

 private:
  std::map<std::string, std::vector<double>> samples_[kPeers];
};

}  // namespace sippar::bench
