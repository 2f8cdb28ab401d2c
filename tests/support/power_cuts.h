// Snapshots of what power cuts would leave on a disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::engine {

// Takes a snapshot of what a power cut would leave on a disk, whenever the test asks for one. A
// server's background thread may ask at any time, so the test must call End. Thread safe.
class PowerCuts {
 public:
  // `fs` must outlive this object.
  PowerCuts(MemoryFileSystem* fs, uint64_t seed) : fs_(fs), chance_(seed) {}
  // Takes a snapshot, unless there are already `most`.
  void Take(size_t most = SIZE_MAX) {
    MutexLock lock(&mutex_);
    if (!is_over_ && taken_.size() < most) taken_.push_back(fs_->CrashClone(&chance_));
  }
  // Returns the snapshots since the last call.
  std::vector<std::unique_ptr<MemoryFileSystem>> Taken() {
    MutexLock lock(&mutex_);
    return std::exchange(taken_, {});
  }
  std::vector<std::unique_ptr<MemoryFileSystem>> End() {
    MutexLock lock(&mutex_);
    is_over_ = true;
    return std::exchange(taken_, {});
  }

 private:
  MemoryFileSystem* const fs_;
  Mutex mutex_;
  Random chance_ GUARDED_BY(mutex_);
  bool is_over_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<MemoryFileSystem>> taken_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
