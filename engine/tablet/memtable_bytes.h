// Memory of one tablet's memtables, frozen ones included, and of its change tail. The same bytes
// are added to a sum over all tablets of the server; writers are delayed when that sum is high.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sippar::engine {

class MemtableBytes {
 public:
  explicit MemtableBytes(std::atomic<int64_t>* of_all_tablets) : of_all_(of_all_tablets) {}
  ~MemtableBytes() { *of_all_ -= bytes_.load(); }
  MemtableBytes(const MemtableBytes&) = delete;
  MemtableBytes& operator=(const MemtableBytes&) = delete;

  void Add(int64_t bytes) {
    bytes_ += bytes;
    *of_all_ += bytes;
  }
  void Free(int64_t bytes) {
    // The first block of a memtable is freed with it, but nobody adds it. So more bytes may be
    // freed than were added. The sum must not become negative.
    bytes = std::min(bytes, bytes_.load());
    bytes_ -= bytes;
    *of_all_ -= bytes;
  }
  int64_t bytes() const { return bytes_.load(); }

 private:
  std::atomic<int64_t>* const of_all_;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace sippar::engine
