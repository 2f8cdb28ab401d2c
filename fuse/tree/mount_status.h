// MountStatus: the errors that the mount reported and the tables that it follows, for .status.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/thread.h"

namespace sippar::fuse {

class MountStatus {
 public:
  struct Errors {
    uint64_t count = 0;
    std::string last;  // "" if there was no error
  };

  // Counts an error and keeps its text, on one line: .status has one line for each field.
  void NoteError(std::string text) EXCLUDES(mutex_) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    engine::MutexLock lock(&mutex_);
    ++errors_.count;
    errors_.last = std::move(text);
  }
  Errors errors() EXCLUDES(mutex_) {
    engine::MutexLock lock(&mutex_);
    return errors_;
  }

  void SetFollowed(std::string text) EXCLUDES(mutex_) {
    engine::MutexLock lock(&mutex_);
    followed_ = std::move(text);
  }
  std::string followed() EXCLUDES(mutex_) {
    engine::MutexLock lock(&mutex_);
    return followed_;
  }

 private:
  engine::Mutex mutex_;
  Errors errors_ GUARDED_BY(mutex_);
  std::string followed_ GUARDED_BY(mutex_);  // "": no look at the tables yet, or no --follow
};

}  // namespace sippar::fuse
