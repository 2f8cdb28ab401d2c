// TextStream: the text of a generated file. A thread writes the text while it is read, at most
// kStreamAheadSize ahead of the reader, so memory is bounded. Reads go forward; the last
// kStreamBehindSize bytes can be read again. A read at offset 0 generates the text again if its
// first bytes are no longer kept. Created by TreeView, read by the kernel layer. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "fuse/tree/answers.h"

namespace sippar::fuse {

class TextStream {
 public:
  // Writes the whole text; ends early if the sink returns false or the call is cancelled.
  using Writer = std::function<Status(const cluster::CallOptions&, const ByteSink&)>;

  // `is_stopping` is set when the mount ends, so that no read waits any more.
  TextStream(Writer writer, int64_t timeout_us,
             std::shared_ptr<const std::atomic<bool>> is_stopping)
      : writer_(std::move(writer)), timeout_us_(timeout_us), is_stopping_(std::move(is_stopping)) {}
  ~TextStream();

  // Starts the writer and waits for its first bytes, so that an error of the writer becomes an
  // error of the open. Waits no longer than the call's timeout; a later read continues to wait.
  [[nodiscard]] Status Start(const cluster::CallOptions& call) EXCLUDES(mutex_);
  // Returns the available bytes at `offset`, at most `size`; waits for the first byte. No bytes:
  // the end of the text.
  [[nodiscard]] StatusOr<std::string> Read(uint64_t offset, size_t size,
                                           const cluster::CallOptions& call) EXCLUDES(mutex_);

 private:
  void Run();
  void StartWriter();
  void StopWriter() EXCLUDES(mutex_);
  bool Append(std::string_view bytes) EXCLUDES(mutex_);
  Status Wait(const cluster::CallOptions& call) REQUIRES(mutex_);
  std::string Take(uint64_t offset, size_t size) REQUIRES(mutex_);
  uint64_t end() const REQUIRES(mutex_) { return begin_ + kept_size_; }

  const Writer writer_;
  const int64_t timeout_us_;
  const std::shared_ptr<const std::atomic<bool>> is_stopping_;
  engine::Mutex read_mutex_;  // allows one read at a time: two would take each other's bytes
  engine::Thread thread_;     // used by Start, by Read under read_mutex_, and by the destructor
  engine::Mutex mutex_;
  engine::CondVar changed_;
  cluster::CancelFlag cancel_ GUARDED_BY(mutex_);
  std::deque<std::string> parts_ GUARDED_BY(mutex_);  // the text of [begin_, end())
  uint64_t begin_ GUARDED_BY(mutex_) = 0;
  size_t kept_size_ GUARDED_BY(mutex_) = 0;
  uint64_t position_ GUARDED_BY(mutex_) = 0;  // position of the reader
  bool is_closed_ GUARDED_BY(mutex_) = false;
  bool is_ended_ GUARDED_BY(mutex_) = false;  // the writer has ended with result_
  Status result_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
