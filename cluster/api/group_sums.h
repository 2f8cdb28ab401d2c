// Adds up the sizes of each locality group over the tablets of a table. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/admin_api.h"

namespace sippar::cluster {

class GroupSums {
 public:
  void Add(const GroupStats& part) {
    GroupStats& sum = by_group_[part.group];
    sum.group = part.group;
    sum.sstables += part.sstables;
    sum.stored_bytes += part.stored_bytes;
    sum.raw_bytes += part.raw_bytes;
    sum.entries += part.entries;
    sum.rows += part.rows;
    for (const auto& [name, bytes] : part.families) {
      sum.families[name].cells += bytes.cells;
      sum.families[name].raw_bytes += bytes.raw_bytes;
    }
    sum.memtable_bytes += part.memtable_bytes;
  }

  // Returns the sums sorted by group name, and resets them.
  std::vector<GroupStats> Take() {
    std::vector<GroupStats> all;
    for (auto& [name, sum] : by_group_) all.push_back(std::move(sum));
    by_group_.clear();
    return all;
  }

 private:
  std::map<std::string, GroupStats> by_group_;
};

}  // namespace sippar::cluster
