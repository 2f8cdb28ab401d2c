// Sums of ReadCounters over all reads of a table. Each thread adds to one of a few shards, so that
// concurrent point reads do not contend for one cache line. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/model/read_counters.h"

namespace sippar::engine {

class ReadTotals {
 public:
  static constexpr size_t kShards = 8;
  // The shard of the calling thread, assigned round robin at its first call.
  static size_t ThreadShard() {
    static std::atomic<size_t> next{0};
    thread_local const size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kShards;
    return mine;
  }

  void Add(const ReadCounters& counters) {
    Shard& shard = shards_[ThreadShard()];
    for (size_t i = 0; i < kReadCounterFields.size(); ++i) {
      uint64_t n = counters.*kReadCounterFields[i].field;
      if (n != 0) shard.sums[i].fetch_add(n, std::memory_order_relaxed);
    }
  }
  ReadCounters Sum() const {
    ReadCounters sum;
    for (const Shard& shard : shards_) {
      for (size_t i = 0; i < kReadCounterFields.size(); ++i) {
        sum.*kReadCounterFields[i].field += shard.sums[i].load(std::memory_order_relaxed);
      }
    }
    return sum;
  }

 private:
  struct alignas(64) Shard {
    std::array<std::atomic<uint64_t>, kReadCounterFields.size()> sums{};
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace sippar::engine
