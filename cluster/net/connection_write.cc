// The writing half of Connection. The first thread that sends while no other thread writes also
// writes the frames that other threads queue during its write. If the socket takes no more bytes,
// the loop waits until it does and then continues to write.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/net/connection.h"
#include "cluster/net/failure.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

// Bytes that are encrypted before each write, so that the peer decrypts one step while this end
// encrypts the next.
constexpr size_t kCipherStep = 32 << 10;
constexpr int64_t kGoodbyeMaxMicros = 1'000'000;
// Bytes that one write takes from the queue. A request that remains in the queue can still be
// withdrawn, and its time in the queue is still subtracted from its deadline.
constexpr size_t kTakenMax = 1 << 20;
// A thread that came to send one frame takes frames of other threads from the queue at most this
// many times. Then the loop's thread continues.
constexpr int kRoundsMax = 16;
constexpr int kRestReadsMax = 64;  // reads of 128 KiB each, together more than a socket's buffer

}  // namespace

bool Connection::Send(Frame frame, bool has_company) {
  {
    engine::MutexLock lock(&mutex_);
    if (is_closed_ || is_leaving_) return false;
    queue_.Push(std::move(frame));
    if (corks_ > 0 || is_writing_) return true;
    is_writing_ = true;
    // With TLS, the loop writes if other threads send as well: it also decrypts, and would have to
    // wait for a thread that encrypts under the same lock. Until the loop runs, the frames of the
    // other threads are queued, too.
    if (has_company && tls_ != nullptr) {
      loop_->Post([self = shared_from_this()] { self->DriveWrites(); });
      return true;
    }
  }
  DriveWrites();
  return true;
}

bool Connection::Withdraw(uint64_t call) {
  engine::MutexLock lock(&mutex_);
  return queue_.Withdraw(call);
}

bool Connection::has_ended() const {
  engine::MutexLock lock(&mutex_);
  return is_closed_ || is_leaving_;
}

bool Connection::has_unsent() const {
  engine::MutexLock lock(&mutex_);
  return is_writing_ || !queue_.empty();
}

size_t Connection::queued_bytes() const {
  engine::MutexLock lock(&mutex_);
  return queue_.bytes();
}

void Connection::Cork() {
  engine::MutexLock lock(&mutex_);
  ++corks_;
}

void Connection::Uncork() {
  {
    engine::MutexLock lock(&mutex_);
    if (--corks_ > 0 || is_writing_ || is_closed_ || queue_.empty()) return;
    is_writing_ = true;
  }
  DriveWrites();
}

// Also sends messages of TLS itself, such as those of the handshake.
void Connection::Flush() {
  {
    engine::MutexLock lock(&mutex_);
    if (is_writing_ || is_closed_ || (tls_ == nullptr && queue_.empty())) return;
    is_writing_ = true;
  }
  DriveWrites();
}

void Connection::DriveWrites() {
  for (int round = 0;;) {
    const bool is_out = chunk_ == chunks_.size() && cipher_at_ == cipher_.size();
    if (is_out && ++round > kRoundsMax) {
      return loop()->Post([self = shared_from_this()] { self->DriveWrites(); });
    }
    if (is_out && !FillOut()) return;
    bool is_blocked = false;
    Status written = WriteOut(&is_blocked);
    if (!written.ok()) {
      // is_writing_ stays set, so that no other thread tries to write to the broken connection.
      std::shared_ptr<Loop> home = loop();
      return home->Post(
          [self = shared_from_this(), home, written] { self->ReadRest(home, written); });
    }
    if (!is_blocked) continue;
    engine::MutexLock lock(&mutex_);
    is_blocked_ = true;
    loop_->Post([self = shared_from_this()] { self->AwaitLine(); });
    return;
  }
}

// After a failed write, reads what the other end sent before it ended the connection. These bytes
// may contain answers, or the reason for the end.
void Connection::ReadRest(const std::shared_ptr<Loop>& here, const Status& why) {
  std::shared_ptr<Loop> home = loop();
  if (home != here) {
    return home->Post([self = shared_from_this(), home, why] { self->ReadRest(home, why); });
  }
  Cork();
  for (int round = 0; round < kRestReadsMax && phase_ == Phase::kOpen; ++round) {
    if (moves_to_ != nullptr) break;
    auto read = socket_->Read(home->scratch().data(), home->scratch().size());
    if (!read.ok() || *read == 0) break;
    if (!Consume({home->scratch().data(), *read}).ok()) break;
  }
  Uncork();
  Close(why);
}

void Connection::AwaitLine() {
  engine::MutexLock lock(&mutex_);
  if (is_blocked_) watch_->AwaitWritable(shared_from_this());
}

void Connection::OnWritable() {
  {
    engine::MutexLock lock(&mutex_);
    if (!std::exchange(is_blocked_, false) || is_closed_) return;
    // A peer that takes bytes is alive, even if it sends nothing: it may be receiving a large
    // request.
    heard_nanos_ = engine::Clock::System()->MonotonicNanos();
  }
  DriveWrites();
}

// Fills chunks_ or cipher_ with the next bytes to write. False: nothing is left, and this thread
// has ended its turn as the writer.
bool Connection::FillOut() {
  std::vector<Frame> frames;
  bool resumes = false;
  bool leaves = false;
  chunks_.clear();
  chunk_ = chunk_at_ = 0;
  {
    engine::MutexLock lock(&mutex_);
    if (is_closed_) return false;
    frames = queue_.Take(kTakenMax);
    if (frames.empty() && !DrainTls()) {
      is_writing_ = false;
      leaves = is_leaving_;
      if (!leaves) return false;
    }
    resumes = std::exchange(is_paused_, false);
    if (resumes) loop_->Post([self = shared_from_this()] { self->ReadOn(); });
  }
  if (leaves) {
    // Shuts only the sending direction: the other end closes the connection when it has read the
    // goodbye. If this end closed the connection, bytes that still arrive here would reset it, and
    // the other end would lose what it has not read yet.
    socket_->ShutWrites();
    return false;
  }
  if (sends_traces_.load(std::memory_order_relaxed)) {
    for (Frame& frame : frames) PutTrace(&frame);
  }
  writer_.Append(std::move(frames), engine::Clock::System()->MonotonicNanos(), &chunks_);
  return true;
}

// Moves the messages of TLS itself to cipher_. False: there are none.
bool Connection::DrainTls() {
  if (tls_ == nullptr) return false;
  cipher_.clear();
  cipher_at_ = 0;
  engine::MutexLock lock(&tls_mutex_);
  tls_->Drain(&cipher_);
  return !cipher_.empty();
}

Status Connection::WriteOut(bool* is_blocked) {
  if (tls_ != nullptr && cipher_at_ == cipher_.size()) RETURN_IF_ERROR(FillCipher());
  std::vector<std::string_view> pieces;
  if (tls_ != nullptr) {
    pieces.push_back(std::string_view(cipher_).substr(cipher_at_));
  } else {
    pieces.push_back(std::string_view(chunks_[chunk_]).substr(chunk_at_));
    for (size_t at = chunk_ + 1; at < chunks_.size(); ++at) pieces.emplace_back(chunks_[at]);
  }
  ASSIGN_OR_RETURN(size_t written, socket_->Write(pieces));
  *is_blocked = written == 0;
  if (tls_ != nullptr) {
    cipher_at_ += written;
  } else {
    Advance(written);
  }
  return OkStatus();
}

// Encrypts the next part of chunks_.
Status Connection::FillCipher() {
  cipher_.clear();
  cipher_at_ = 0;
  engine::MutexLock lock(&tls_mutex_);
  while (cipher_.size() < kCipherStep && chunk_ < chunks_.size()) {
    std::string_view plain =
        std::string_view(chunks_[chunk_]).substr(chunk_at_, kCipherStep - cipher_.size());
    RETURN_IF_ERROR(tls_->Encrypt(plain));
    Advance(plain.size());
    tls_->Drain(&cipher_);
  }
  return OkStatus();
}

void Connection::Advance(size_t written) {
  while (written > 0) {
    size_t left = chunks_[chunk_].size() - chunk_at_;
    size_t step = std::min(left, written);
    chunk_at_ += step;
    written -= step;
    if (chunk_at_ < chunks_[chunk_].size()) return;
    std::string().swap(chunks_[chunk_]);  // frees a large body as soon as it is written
    ++chunk_;
    chunk_at_ = 0;
  }
}

void Connection::Close(const Status& given) {
  std::vector<Frame> unsent;
  Status why = given;
  {
    engine::MutexLock lock(&mutex_);
    if (is_leaving_) why = leaving_why_;  // the first reason counts
  }
  Status named(why.code(), Named(why));
  if (IsNotBegun(why)) named = MarkNotBegun(named, WaitHintOf(why));
  std::shared_ptr<Loop> home;
  {
    engine::MutexLock lock(&mutex_);
    if (std::exchange(is_closed_, true)) return;
    unsent = queue_.Take();
    home = loop_;
  }
  socket_->Shut();
  auto tell = [self = shared_from_this(), home, named, unsent = std::move(unsent)]() mutable {
    self->Tell(home, named, std::move(unsent));
  };
  home->Post(std::move(tell));
}

void Connection::Tell(const std::shared_ptr<Loop>& here, const Status& why,
                      std::vector<Frame> unsent) {
  std::shared_ptr<Loop> home = loop();
  if (home != here) {
    // The connection was moved to the loop of its lane after this call was posted to the old loop.
    auto again = [self = shared_from_this(), home, why, unsent = std::move(unsent)]() mutable {
      self->Tell(home, why, std::move(unsent));
    };
    return home->Post(std::move(again));
  }
  is_told_ = true;
  std::shared_ptr<Owner> owner = std::exchange(owner_, nullptr);
  if (owner != nullptr) owner->OnClosed(why, std::move(unsent));
}

void Connection::SayGoodbye(const Status& why) {
  std::shared_ptr<Loop> home;
  {
    engine::MutexLock lock(&mutex_);
    if (is_closed_ || is_leaving_) return;
    Frame goodbye{.kind = FrameKind::kGoodbye};
    goodbye.body = EncodeGoodbye(why);
    queue_.Push(std::move(goodbye));
    leaving_why_ = why;
    is_leaving_ = true;
    home = loop_;
  }
  home->After(kGoodbyeMaxMicros, [weak = weak_from_this(), why] {
    if (auto self = weak.lock()) self->Close(why);
  });
  Flush();
}

void Connection::Enter(const std::shared_ptr<Loop>& loop) {
  std::unique_ptr<Watch> watch = loop->NewWatch(socket_->fd());
  engine::MutexLock lock(&mutex_);
  loop_ = loop;
  watch_.swap(watch);
  // The old watch drops its waits. A wait for the socket to take bytes begins again on the new
  // loop. There is no wait to read, because the hello has just been read.
  if (is_blocked_) loop_->Post([self = shared_from_this()] { self->AwaitLine(); });
}

}  // namespace sippar::net
