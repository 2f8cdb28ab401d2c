// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/garbage_plan.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace sippar::cluster::master {

FileListing Collectable(const FileListing& listed, const std::vector<Creator>& creators) {
  std::map<uint64_t, const Creator*> by_epoch;
  for (const Creator& creator : creators) by_epoch[creator.server.epoch] = &creator;
  FileListing collectable;
  for (uint64_t file : listed.files) {
    // The upper half of a file's number is the epoch of the server that made it. A server that is
    // not in `creators` has ended and was recovered, so it adds no more names to METADATA.
    auto creator = by_epoch.find(file >> 32);
    if (creator == by_epoch.end() || file < creator->second->first_unpublished_file) {
      collectable.files.push_back(file);
    }
  }
  for (const ServerId& log : listed.logs) {
    if (!by_epoch.contains(log.epoch)) collectable.logs.push_back(log);
  }
  return collectable;
}

FileListing Unnamed(const FileListing& candidates, const FileListing& named) {
  FileListing unnamed;
  std::set_difference(candidates.files.begin(), candidates.files.end(), named.files.begin(),
                      named.files.end(), std::back_inserter(unnamed.files));
  std::set_difference(candidates.logs.begin(), candidates.logs.end(), named.logs.begin(),
                      named.logs.end(), std::back_inserter(unnamed.logs));
  return unnamed;
}

}  // namespace sippar::cluster::master
