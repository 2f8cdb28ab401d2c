// What power cuts would leave of a disk. SPDX-License-Identifier: Apache-2.0
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

// Keeps what a power cut would leave of a disk, at each moment that a test asks for it. A thread of
// a server's background may ask while the test goes on, so the test ends the taking. Thread safe.
class PowerCuts {
 public:
  // `fs` outlives it.
  PowerCuts(MemoryFileSystem* fs, uint64_t seed) : fs_(fs), chance_(seed) {}
  // Does nothing if there are `most` already.
  void Take(size_t most = SIZE_MAX) {
    MutexLock lock(&mutex_);
    if (!is_over_ && taken_.size() < most) taken_.push_back(fs_->CrashClone(&chance_));
  }
  // Those since the last call.
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
