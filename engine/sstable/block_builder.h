// Builds the raw bytes of one block (FORMAT.md "Blocks"): entries whose keys share a prefix with
// the key before, restart points with whole keys for binary search. Used by SstableWriter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sippar::engine {

class BlockBuilder {
 public:
  // A restart point after so many entries or bytes: a search walks from one to its key, and with
  // large values each step is a cache miss.
  static constexpr int kRestartInterval = 16;
  static constexpr size_t kRestartBytes = 1024;

  // Requires: `key` > the key before (the caller checks; see SstableWriter::Add).
  void Add(std::string_view key, std::string_view value);
  // Appends the restart array; the view lives until Reset.
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
