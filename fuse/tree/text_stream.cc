// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/text_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {
namespace {

// A cancelled call sends no notification, so waits check its flag this often.
constexpr int64_t kLookAgainUs = 50'000;

}  // namespace

TextStream::~TextStream() { StopWriter(); }

void TextStream::StartWriter() {
  {
    engine::MutexLock lock(&mutex_);
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    parts_.clear();
    begin_ = kept_size_ = position_ = 0;
    is_closed_ = is_ended_ = false;
    result_ = OkStatus();
  }
  thread_ = engine::Thread("fuse-text", [this] { Run(); });
}

void TextStream::StopWriter() {
  {
    engine::MutexLock lock(&mutex_);
    is_closed_ = true;
    if (cancel_ != nullptr) cancel_->store(true);
  }
  changed_.NotifyAll();
  thread_.Join();
}

void TextStream::Run() {
  cluster::CallOptions call;
  call.timeout_us = timeout_us_;
  {
    engine::MutexLock lock(&mutex_);
    call.cancel = cancel_;
  }
  Status status = writer_(call, [this](std::string_view bytes) { return Append(bytes); });
  engine::MutexLock lock(&mutex_);
  is_ended_ = true;
  result_ = status;
  changed_.NotifyAll();
}

// Called by the writer. Waits while the writer is too far ahead of the reader.
bool TextStream::Append(std::string_view bytes) {
  engine::MutexLock lock(&mutex_);
  while (!is_closed_ && !*is_stopping_ && end() - position_ >= kStreamAheadSize) {
    changed_.WaitFor(&mutex_, kLookAgainUs);
  }
  if (is_closed_ || *is_stopping_) return false;
  if (bytes.empty()) return true;
  parts_.emplace_back(bytes);
  kept_size_ += bytes.size();
  changed_.NotifyAll();
  return true;
}

Status TextStream::Wait(const cluster::CallOptions& call) {
  changed_.WaitFor(&mutex_, kLookAgainUs);
  if (call.is_cancelled()) return Cancelled("the read was interrupted");
  if (*is_stopping_) return Cancelled("the mount ends");
  return OkStatus();
}

Status TextStream::Start(const cluster::CallOptions& call) {
  StartWriter();
  engine::MutexLock lock(&mutex_);
  int64_t left_us = call.timeout_us > 0 ? call.timeout_us : timeout_us_;
  for (; kept_size_ == 0 && !is_ended_ && left_us > 0; left_us -= kLookAgainUs) {
    RETURN_IF_ERROR(Wait(call));
  }
  return kept_size_ == 0 ? result_ : OkStatus();
}

StatusOr<std::string> TextStream::Read(uint64_t offset, size_t size,
                                       const cluster::CallOptions& call) {
  engine::MutexLock reading(&read_mutex_);
  bool is_rewound = false;
  {
    engine::MutexLock lock(&mutex_);
    is_rewound = offset == 0 && begin_ > 0;
  }
  if (is_rewound) {
    StopWriter();
    StartWriter();
  }
  engine::MutexLock lock(&mutex_);
  if (offset < begin_) {
    return InvalidArgument(fmt::format(
        "generated file: it cannot be read at byte {}, as the reader has passed byte {}; read it "
        "from the start, or copy it first",
        offset, begin_));
  }
  // The reader has skipped the text before `offset`, so that text is dropped when it is written.
  position_ = std::min(offset, end());
  changed_.NotifyAll();
  while (end() <= offset) {
    if (is_ended_) {
      RETURN_IF_ERROR(result_);
      return std::string();
    }
    RETURN_IF_ERROR(Wait(call));
    position_ = std::min(offset, end());
    Take(position_, 0);
  }
  return Take(offset, size);
}

// Returns the bytes at `offset`, moves the reader after them and drops the text that lies too far
// before the reader.
std::string TextStream::Take(uint64_t offset, size_t size) {
  std::string bytes;
  uint64_t at = begin_;
  for (const std::string& part : parts_) {
    if (bytes.size() >= size) break;
    if (at + part.size() > offset) {
      size_t skipped = offset > at ? static_cast<size_t>(offset - at) : 0;
      bytes.append(part, skipped, size - bytes.size());
    }
    at += part.size();
  }
  position_ = offset + bytes.size();
  while (!parts_.empty() && begin_ + parts_.front().size() + kStreamBehindSize <= position_) {
    begin_ += parts_.front().size();
    kept_size_ -= parts_.front().size();
    parts_.pop_front();
  }
  changed_.NotifyAll();
  return bytes;
}

}  // namespace sippar::fuse
