// Batches concurrent writes to one tablet where calls go over a network (Transport::LosesAnswers).
// One call of a tablet is in flight at a time; writers that arrive meanwhile share the next one. No
// write waits for a batch to fill.
//
// The deadline of a call is the latest deadline of its writers: an earlier one would leave the
// other writes with an unknown outcome. So a writer may wait past its own deadline, and its cancel
// flag has no effect while the call waits or is in flight. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
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
  // Writes that travel together. The first writer of a call waits for its turn and sends it.
  struct Call {
    std::vector<const RowMutation*> batch;
    std::vector<const CallTime*> times;  // time limits of the writes, in the same order
    std::vector<Status> answers;         // set when the call is over
    bool is_over = false;
    engine::CondVar turn;      // the first writer of the call waits here for its turn
    engine::CondVar answered;  // the other writers wait here for their answers
  };
  struct Queue {
    std::deque<std::shared_ptr<Call>> waiting;
    bool is_calling = false;  // a call is in flight
  };
  using Key = std::pair<uint64_t, uint64_t>;  // tablet id, epoch

  static std::vector<Status> Send(const TabletLocation& tablet, const Call& call);

  engine::Mutex mutex_;
  std::map<Key, Queue> queues_ GUARDED_BY(mutex_);  // queues of tablets with writes under way
};

}  // namespace sippar::cluster
