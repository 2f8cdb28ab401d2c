// Tracks which files of one epoch are perhaps not named by a saved state yet, so that a sweep of
// the directory leaves them alone: the files of flushes and compactions in progress, and of those
// whose state was sent but not confirmed. File ids rise, so the lowest of their ids is enough: the
// sweep leaves alone all files from there on. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "engine/base/thread.h"

namespace sippar::engine {

class UnpublishedFiles {
 public:
  // While it lives, all files with the id it began with, or a higher one, count as unpublished.
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

  // `next_id` returns an id such that no file has it, or a higher one, yet.
  explicit UnpublishedFiles(std::function<uint64_t()> next_id) : next_id_(std::move(next_id)) {}

  // Called before the job makes its first file.
  Job Begin() {
    MutexLock lock(&mutex_);
    return {this, *running_.insert(next_id_())};
  }
  // While it lives, it is not known which files the saved states name, so not even old files may be
  // removed.
  Job KeepAll() {
    MutexLock lock(&mutex_);
    return {this, *running_.insert(0)};
  }
  // Every file with a lower id is named in a saved state or never will be. 0: nothing is known.
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
