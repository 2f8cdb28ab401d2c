// The bytes that the in-memory groups of a server may keep pinned. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace sippar::engine {

class PinBudget {
 public:
  explicit PinBudget(uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  // Returns false, and counts a refusal, when fewer than `bytes` are left.
  bool Take(uint64_t bytes) {
    uint64_t used = used_bytes_.load();
    do {
      if (bytes > capacity_bytes_ - used) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    } while (!used_bytes_.compare_exchange_weak(used, used + bytes));
    return true;
  }
  void Give(uint64_t bytes) { used_bytes_ -= bytes; }

  uint64_t used_bytes() const { return used_bytes_.load(); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  const uint64_t capacity_bytes_;
  std::atomic<uint64_t> used_bytes_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace sippar::engine
