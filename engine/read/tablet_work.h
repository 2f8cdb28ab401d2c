// The work that a tablet has caused since it was opened, in nanoseconds of CPU time. It is
// estimated from fixed costs of a call, an entry and a block (those of the point reads of
// tests/bench), and serves to divide a server's CPU time among its tablets. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/model/read_counters.h"
#include "engine/read/read_totals.h"

namespace sippar::engine {

class TabletWork {
 public:
  void AddRead(const ReadCounters& counters) {
    Add(counters.reads * kCallNanos + counters.entries_seen * kEntryNanos +
        counters.blocks_from_disk * kBlockNanos);
  }
  void AddWrite(uint64_t entries) { Add(kCallNanos + entries * kEntryNanos); }
  uint64_t nanos() const {
    uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.nanos.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr uint64_t kCallNanos = 10'000;
  static constexpr uint64_t kEntryNanos = 200;
  static constexpr uint64_t kBlockNanos = 50'000;
  struct alignas(64) Shard {
    std::atomic<uint64_t> nanos{0};
  };

  void Add(uint64_t nanos) {
    shards_[ReadTotals::ThreadShard()].nanos.fetch_add(nanos, std::memory_order_relaxed);
  }

  std::array<Shard, ReadTotals::kShards> shards_;
};

}  // namespace sippar::engine
