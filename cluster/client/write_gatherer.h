// Gathers concurrent writes to one tablet into one call, where calls are dear: the first writer
// calls at once, those who come meanwhile go together in the next call. Nobody waits for company.
// Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "cluster/location/location_cache.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class WriteGatherer {
 public:
  [[nodiscard]] Status Apply(const TabletLocation& tablet, const RowMutation& mutation);

 private:
  struct Write {
    const RowMutation* mutation = nullptr;
    Status status;
    bool done = false;
  };
  struct Queue {
    std::vector<Write*> waiting;
    bool calling = false;  // by one of its writers
  };
  using Key = std::pair<uint64_t, uint64_t>;  // tablet id, epoch

  void CallFor(const TabletLocation& tablet, const std::vector<Write*>& writes);

  engine::Mutex mutex_;
  engine::CondVar answered_;
  std::map<Key, Queue> queues_ GUARDED_BY(mutex_);  // of tablets being called
};

}  // namespace sippar::cluster
