// FirstRows: caches where the rows of .first/<n> end, for the freshness time, so that the lookups
// in such a directory do not count rows each time. Used by selected_rows. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/base/thread.h"
#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {

class FirstRows {
 public:
  explicit FirstRows(int64_t freshness_us) : freshness_ns_(freshness_us * 1000) {}

  // Returns the limit of the directory's rows; "": they end where the table ends; std::nullopt: not
  // known, or too old. `directory` is the result of EncodeNode.
  std::optional<std::string> Find(const std::string& directory, int64_t now_ns) {
    engine::MutexLock lock(&mutex_);
    auto found = ends_.find(directory);
    if (found == ends_.end() || now_ns - found->second.read_at_ns >= freshness_ns_) {
      return std::nullopt;
    }
    return found->second.limit;
  }

  void Note(const std::string& directory, const std::string& limit, int64_t read_at_ns) {
    engine::MutexLock lock(&mutex_);
    // All entries expire within a second, so dropping all of them costs little.
    if (ends_.size() >= kFirstRowsMax) ends_.clear();
    ends_[directory] = {limit, read_at_ns};
  }

 private:
  struct End {
    std::string limit;
    int64_t read_at_ns = 0;
  };

  const int64_t freshness_ns_;
  engine::Mutex mutex_;
  std::unordered_map<std::string, End> ends_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
