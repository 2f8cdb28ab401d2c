// The figures of the comparison, their targets, and the table of medians.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/bench/peers/peer.h"

namespace sippar::bench {

struct Figure {
  const char* id;  // of the case that measures it, with ".part" when that measures several
  const char* what;
  bool lower_is_better = false;
  double ratio_min = 0;  // ours to the better peer, above 1 is better; 0: no target
  bool rocksdb_only = false;
  double value_max = 0;  // a target of its own, whatever the peers do
};

class Figures {
 public:
  void Add(const std::string& id, int peer, double value);
  // One line a figure that was measured; the number of targets missed.
  int Print(const std::string& title) const;

 private:
  std::map<std::string, std::vector<double>> samples_[kPeers];
};

}  // namespace sippar::bench
