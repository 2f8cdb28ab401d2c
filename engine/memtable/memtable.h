// The memtable of one locality group of one tablet (paper section 5.3): entries under their cell
// keys. It allows one writer at a time (the thread that leads the log's group commit) and any
// number of concurrent readers, which take no lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/memtable/arena.h"
#include "engine/memtable/skip_list.h"
#include "engine/model/cell_iterator.h"

namespace sippar::engine {

class Memtable {
 public:
  Memtable() : list_(&arena_) {}

  // Copies the entry; readers see it when this returns. `sequence` is the entry's sequence number.
  void Add(std::string_view key, std::string_view value, uint64_t sequence);
  // The iterator must not outlive the memtable. Entries added after its creation may or may not
  // appear in it.
  std::unique_ptr<EntryIterator> NewIterator() const;

  bool empty() const { return entries() == 0; }
  uint64_t entries() const { return entries_.load(std::memory_order_relaxed); }
  uint64_t raw_bytes() const { return raw_bytes_.load(std::memory_order_relaxed); }
  size_t memory_bytes() const { return arena_.memory_bytes(); }
  uint64_t sequence_max() const { return sequence_max_.load(std::memory_order_relaxed); }
  // A sample for the compression dictionary: pieces of 8 KiB at even distances, `size_max` bytes at
  // most.
  std::string Sample(size_t size_max) const;

 private:
  Arena arena_;
  SkipList list_;
  std::atomic<uint64_t> entries_{0};
  std::atomic<uint64_t> raw_bytes_{0};
  std::atomic<uint64_t> sequence_max_{0};
};

}  // namespace sippar::engine
