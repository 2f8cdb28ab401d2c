// Open values. SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/open_values.h"

#include <fmt/format.h>

namespace sippar::fuse {

ValuePtr OpenValues::FindOpen(const std::string& key) {
  auto found = open_.find(key);
  return found == open_.end() ? nullptr : found->second.lock();
}

StatusOr<ValuePtr> OpenValues::Open(const std::string& key, uint64_t size_bytes, int64_t timeout_us,
                                    const std::function<StatusOr<std::string>()>& load) {
  if (size_bytes > budget_bytes_) {
    return Status(StatusCode::kOutOfRange,
                  fmt::format("value of {} bytes is larger than --max-value-memory of {} bytes",
                              size_bytes, budget_bytes_));
  }
  {
    engine::MutexLock lock(&mutex_);
    int64_t deadline_ns = clock_->MonotonicNanos() + timeout_us * 1000;
    while (true) {
      if (ValuePtr value = FindOpen(key); value != nullptr) return value;
      if (held_bytes_ + size_bytes <= budget_bytes_) break;
      int64_t left_us = (deadline_ns - clock_->MonotonicNanos()) / 1000;
      if (left_us <= 0 || waiters_ >= kOpenWaitersMax) {
        return ResourceExhausted(
            fmt::format("open files hold {} of --max-value-memory of {} bytes; no room for {}",
                        held_bytes_, budget_bytes_, size_bytes));
      }
      ++waiters_;
      room_.WaitFor(&mutex_, left_us);
      --waiters_;
    }
    held_bytes_ += size_bytes;
  }
  StatusOr<std::string> loaded = load();
  if (!loaded.ok()) {
    Release("", size_bytes);
    return loaded.status();
  }
  ValuePtr value(new std::string(*std::move(loaded)),
                 [this, key, size_bytes](const std::string* text) {
                   delete text;
                   Release(key, size_bytes);
                 });
  engine::MutexLock lock(&mutex_);
  open_[key] = value;  // another opener may have been faster; both are the same bytes
  return value;
}

void OpenValues::Release(const std::string& key, uint64_t size_bytes) {
  {
    engine::MutexLock lock(&mutex_);
    held_bytes_ -= size_bytes;
    auto found = open_.find(key);
    if (found != open_.end() && found->second.expired()) open_.erase(found);
  }
  room_.NotifyAll();
}

uint64_t OpenValues::held_bytes() {
  engine::MutexLock lock(&mutex_);
  return held_bytes_;
}

}  // namespace sippar::fuse
