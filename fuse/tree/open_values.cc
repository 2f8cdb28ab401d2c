// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/open_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/printable.h"

namespace sippar::fuse {
namespace {

// A program that reads a value in pieces needs it again within kIdleUs. If the value were dropped
// between two pieces, each piece would read the whole value again. A reader that needs room
// therefore drops only values that were idle for kIdleUs; after it has waited for kPatienceUs, it
// drops any value that no read is using. A waiting reader checks for idle values every
// kLookAgainUs.
constexpr int64_t kIdleUs = 200'000;
constexpr int64_t kPatienceUs = 2'000'000;
constexpr int64_t kLookAgainUs = 50'000;

// The name of the file in error messages.
std::string NameOf(const Node& file) {
  if (file.kind == NodeKind::kText) return "file " + file.qualifier;
  return fmt::format("row '{}', column {}:{}", engine::PrintableBytes(file.row), file.family,
                     engine::PrintableBytes(file.qualifier));
}

}  // namespace

StatusOr<OpenValuePtr> OpenValues::Open(const Node& node, uint64_t size_bytes) {
  if (size_bytes > budget_bytes_) {
    return TooLarge(fmt::format(
        "{}: its {} bytes are more than --max-value-memory ({} bytes); mount with a larger one",
        NameOf(node), size_bytes, budget_bytes_));
  }
  std::string key;
  EncodeNode(node, &key);
  engine::MutexLock lock(&mutex_);
  OpenValue*& value = open_[key];
  if (value == nullptr) value = new OpenValue(key, node, size_bytes);
  ++value->handles_;
  return OpenValuePtr(value, [this](OpenValue* open) { Close(open); });
}

void OpenValues::Close(OpenValue* value) {
  {
    engine::MutexLock lock(&mutex_);
    if (--value->handles_ > 0) return;
    open_.erase(value->key_);
  }
  delete value;
}

// Takes the bytes of the value that was idle for the longest time; returns null if no value was
// idle for `idle_us_min`. The caller must not hold the lock when it releases the bytes, because
// their deleter calls Release, which takes the lock.
ValuePtr OpenValues::TakeIdle(int64_t idle_us_min) {
  OpenValue* oldest = nullptr;
  for (const auto& [key, value] : open_) {
    // A second owner means that a reply still uses these bytes; dropping this reference would free
    // no memory.
    if (value->bytes_ == nullptr || value->bytes_.use_count() > 1) continue;
    if (oldest == nullptr || value->used_at_ns_ < oldest->used_at_ns_) oldest = value;
  }
  bool is_idle =
      oldest != nullptr && clock_->MonotonicNanos() - oldest->used_at_ns_ >= idle_us_min * 1000;
  return is_idle ? std::move(oldest->bytes_) : nullptr;
}

Status OpenValues::Wait(const OpenValue& value, int64_t left_us) {
  if (value.is_loading_ && left_us <= 0) {
    return DeadlineExceeded(fmt::format(
        "{}: another request still reads its {} bytes; try again, or mount with a longer --timeout",
        NameOf(value.node_), value.size_bytes_));
  }
  if (left_us <= 0 || (!value.is_loading_ && waiting_ >= kReadersWaitingMax)) {
    return ResourceExhausted(
        fmt::format("{}: its {} bytes do not fit, as other files use {} of the {} bytes of "
                    "--max-value-memory; try again later, or mount with more",
                    NameOf(value.node_), value.size_bytes_, held_bytes_, budget_bytes_));
  }
  ++waiting_;
  // Waits in short steps: a value that becomes idle sends no notification.
  changed_.WaitFor(&mutex_, std::min(left_us, kLookAgainUs));
  --waiting_;
  return OkStatus();
}

StatusOr<ValuePtr> OpenValues::Bytes(OpenValue* value, int64_t timeout_us,
                                     const std::function<StatusOr<std::string>()>& load) {
  int64_t start_ns = clock_->MonotonicNanos();
  int64_t patience_us = std::min(kPatienceUs, timeout_us / 2);
  for (bool has_room = false; !has_room;) {
    ValuePtr idle;  // declared before the lock, so destroyed after it: the deleter takes the mutex
    engine::MutexLock lock(&mutex_);
    int64_t now_ns = clock_->MonotonicNanos();
    int64_t waited_us = (now_ns - start_ns) / 1000;
    value->used_at_ns_ = now_ns;
    if (value->bytes_ != nullptr) return value->bytes_;
    has_room = !value->is_loading_ && held_bytes_ + value->size_bytes_ <= budget_bytes_;
    if (has_room) {
      // The bytes are reserved before the load, so that concurrent loads cannot exceed the budget
      // together.
      held_bytes_ += value->size_bytes_;
      value->is_loading_ = true;
      continue;
    }
    if (!value->is_loading_) idle = TakeIdle(waited_us < patience_us ? kIdleUs : 0);
    if (idle == nullptr) RETURN_IF_ERROR(Wait(*value, timeout_us - waited_us));
  }
  return Load(value, load);
}

StatusOr<ValuePtr> OpenValues::Load(OpenValue* value,
                                    const std::function<StatusOr<std::string>()>& load) {
  uint64_t size_bytes = value->size_bytes_;
  StatusOr<std::string> loaded = load();
  Status status = loaded.status();
  ValuePtr bytes;
  if (status.ok()) {
    bytes =
        // The bytes count against the budget until their last owner releases them. The last owner
        // may be a reply that still uses the bytes after the file was closed.
        ValuePtr(new std::string(*std::move(loaded)), [this, size_bytes](const std::string* text) {
          delete text;
          Release(size_bytes);
        });
  } else {
    Release(size_bytes);
  }
  {
    engine::MutexLock lock(&mutex_);
    value->is_loading_ = false;
    value->bytes_ = bytes;
  }
  changed_.NotifyAll();
  if (!status.ok()) return status;
  return bytes;
}

void OpenValues::Release(uint64_t size_bytes) {
  {
    engine::MutexLock lock(&mutex_);
    held_bytes_ -= size_bytes;
  }
  changed_.NotifyAll();
}

uint64_t OpenValues::held_bytes() {
  engine::MutexLock lock(&mutex_);
  return held_bytes_;
}

}  // namespace sippar::fuse
