// Tracks the files of one epoch that perhaps no saved state names yet, so that a sweep of the
// directory keeps them: the files of flushes and compactions that are in progress, or whose state
// was sent but not confirmed. File ids rise, so only the lowest id of these files is tracked: the
// sweep keeps every file from that id on. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "engine/base/thread.h"

namespace sippar::engine {

class UnpublishedFiles {
 public:
  // While a job lives, every file whose id is first_ or higher counts as unpublished. Begin sets
  // first_ above the ids of all files that exist when it is called; KeepAll sets first_ to 0.
  class Job {
   public:
    Job() = default;
    Job(Job&& other) noexcept
        : files_(std::exchange(other.files_, nullptr)), first_(other.first_) {}
    Job& operator=(Job&& other) noexcept {
      std::swap(files_, other.files_);
      std::swap(first_, other.first_);
      return *this;
    }
    ~Job() {
      if (files_ != nullptr) files_->End(first_);
    }
    bool runs() const { return files_ != nullptr; }

   private:
    friend class UnpublishedFiles;
    Job(UnpublishedFiles* files, uint64_t first) : files_(files), first_(first) {}
    UnpublishedFiles* files_ = nullptr;
    uint64_t first_ = 0;
  };

  // `next_id` returns an id above the ids of all files so far.
  explicit UnpublishedFiles(std::function<uint64_t()> next_id) : next_id_(std::move(next_id)) {}

  // Called before the job makes its first file.
  Job Begin() {
    MutexLock lock(&mutex_);
    return {this, *running_.insert(next_id_())};
  }
  // While this job lives, it is unknown which files the saved states name, so not even old files
  // may be removed.
  Job KeepAll() {
    MutexLock lock(&mutex_);
    return {this, *running_.insert(0)};
  }
  // Returns the lowest id that an unpublished file can have; 0: any file can be unpublished. A file
  // with a lower id can be removed if no saved state names it, because no later state will name it.
  uint64_t First() const {
    MutexLock lock(&mutex_);
    return FirstLocked();
  }

 private:
  uint64_t FirstLocked() const REQUIRES(mutex_) {
    return running_.empty() ? next_id_() : *running_.begin();
  }
  void End(uint64_t first) {
    MutexLock lock(&mutex_);
    running_.erase(running_.find(first));
  }

  const std::function<uint64_t()> next_id_;
  mutable Mutex mutex_;
  std::multiset<uint64_t> running_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
