// Batches concurrent writes to one tablet where calls cost (Transport::LosesAnswers). The first
// writer sends at once; writers that arrive during that call share the next one. No write waits for
// a batch to fill.
//
// A call ends at the last of its writers' deadlines: one that ended at the first would leave the
// other writes with an unknown outcome. So a writer may wait past its own deadline, and a cancel
// flag is not looked at while a call is in flight. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "cluster/api/call_time.h"
#include "cluster/location/location_cache.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class WriteGatherer {
 public:
  [[nodiscard]] Status Apply(const TabletLocation& tablet, const RowMutation& mutation,
                             const CallTime& time);

 private:
  struct Write {
    const RowMutation* mutation = nullptr;
    const CallTime* time = nullptr;
    Status status;
    bool done = false;
  };
  struct Queue {
    std::vector<Write*> waiting;
    bool calling = false;  // one of the queue's writers has a call in flight
  };
  using Key = std::pair<uint64_t, uint64_t>;  // tablet id, epoch

  void CallFor(const TabletLocation& tablet, const std::vector<Write*>& writes);

  engine::Mutex mutex_;
  engine::CondVar answered_;
  std::map<Key, Queue> queues_ GUARDED_BY(mutex_);  // queues of the tablets with a call in flight
};

}  // namespace sippar::cluster
