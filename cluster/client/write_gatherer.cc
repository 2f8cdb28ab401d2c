// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/write_gatherer.h"

#include <algorithm>

namespace sippar::cluster {
namespace {
constexpr size_t kWritesMax = 1000;  // most writes in one call
}  // namespace

void WriteGatherer::CallFor(const TabletLocation& tablet, const std::vector<Write*>& writes) {
  std::vector<const RowMutation*> batch;
  CallOptions options;
  bool is_limited = true;
  for (const Write* write : writes) {
    batch.push_back(write->mutation);
    is_limited = is_limited && write->time->is_limited();
    options.timeout_us = std::max(options.timeout_us, write->time->Left().timeout_us);
  }
  if (!is_limited) options.timeout_us = 0;
  std::vector<Status> statuses =
      PartsOf(tablet.service->Do(calls::ApplyRows<TabletAddress>{tablet.address, batch}, options),
              batch.size());
  for (size_t i = 0; i < writes.size(); ++i) writes[i]->status = std::move(statuses[i]);
}

Status WriteGatherer::Apply(const TabletLocation& tablet, const RowMutation& mutation,
                            const CallTime& time) {
  Write own;
  own.mutation = &mutation;
  own.time = &time;
  engine::MutexLock lock(&mutex_);
  // The reference stays valid while this write waits in the queue or its thread sends the call. As
  // soon as the write is done, another writer may have erased the queue, so the loop below must
  // test own.done first.
  auto found = queues_.try_emplace({tablet.address.tablet_id, tablet.address.tablet_epoch}).first;
  Queue& queue = found->second;
  queue.waiting.push_back(&own);
  while (!own.done && queue.calling) answered_.Wait(&mutex_);
  if (own.done) return std::move(own.status);
  queue.calling = true;
  // This thread sends calls only until its own write is done; then one of the waiting writers takes
  // over, so that no writer serves the others without end.
  while (!own.done) {
    size_t count = std::min(queue.waiting.size(), kWritesMax);
    auto end = queue.waiting.begin() + static_cast<ptrdiff_t>(count);
    std::vector<Write*> writes(queue.waiting.begin(), end);
    queue.waiting.erase(queue.waiting.begin(), end);
    mutex_.Unlock();
    CallFor(tablet, writes);
    mutex_.Lock();
    for (Write* write : writes) write->done = true;
  }
  queue.calling = false;
  if (queue.waiting.empty()) queues_.erase(found);
  answered_.NotifyAll();
  return std::move(own.status);
}

}  // namespace sippar::cluster
