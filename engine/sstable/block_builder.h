// Builds the raw bytes of one block (FORMAT.md "Blocks"): entries whose keys share a prefix with
// the previous key, and restart points with whole keys for binary search. Used by SstableWriter.
// Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sippar::engine {

class BlockBuilder {
 public:
  // A restart point follows after this many entries or bytes. A search walks from a restart point
  // to its key, and with large values each step is a cache miss.
  static constexpr int kRestartInterval = 16;
  static constexpr size_t kRestartBytes = 1024;

  // Requires that `key` is above the previous key (SstableWriter::Add checks it).
  void Add(std::string_view key, std::string_view value);
  // Appends the restart array. The view is valid until Reset.
  std::string_view Finish();
  void Reset();

  bool empty() const { return restarts_.empty(); }
  size_t size() const { return buffer_.size() + 4 * restarts_.size() + 4; }
  uint64_t entries() const { return entries_; }
  const std::string& last_key() const { return last_key_; }

 private:
  std::string buffer_;
  std::vector<uint32_t> restarts_;
  std::string last_key_;
  uint64_t entries_ = 0;
  int since_restart_ = 0;
};

}  // namespace sippar::engine
