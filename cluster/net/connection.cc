// The reading half of Connection, which runs on the loop's thread. connection_write.cc has the
// writing half.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/connection.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/failure.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

constexpr int kReadsInARow = 4;  // reads of one connection before the loop serves others

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }

std::string NameIn(const Hello& hello) { return fmt::format("{} {}", hello.role, hello.name); }

}  // namespace

Connection::Connection(std::shared_ptr<Loop> loop, std::unique_ptr<Socket> socket,
                       std::unique_ptr<TlsSession> tls, ConnectionOptions options)
    : options_(std::move(options)),
      socket_(std::move(socket)),
      local_(socket_->Local().Text()),
      remote_(socket_->Remote().Text()),
      keepalive_(options_.keepalive),
      loop_(std::move(loop)),
      tls_(std::move(tls)) {}

Connection::~Connection() = default;

void Connection::Start(std::shared_ptr<Owner> owner) {
  owner_ = std::move(owner);
  heard_nanos_ = Now();
  socket_->Prepare(keepalive_.leave_after_us);
  std::shared_ptr<Loop> home = loop();
  Enter(home);
  home->After(options_.opening_max_us, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr || self->is_open_) return;
    self->Close(
        Unavailable(fmt::format("the other end did not say hello in time (waited {} ms); check "
                                "that a sippar process is there",
                                self->options_.opening_max_us / 1000)));
  });
  Status started = FinishTls();
  if (!started.ok()) return Damaged(started);
  ReadOn();
}

void Connection::OnReadable() {
  Cork();
  Status status;
  std::vector<char>& scratch = loop()->scratch();
  for (int round = 0; round < kReadsInARow && status.ok() && moves_to_ == nullptr; ++round) {
    auto read = socket_->Read(scratch.data(), scratch.size());
    if (!read.ok()) {
      status = read.status();
      has_left_ = true;
      break;
    }
    if (*read == 0) break;
    heard_nanos_.store(Now(), std::memory_order_relaxed);
    was_asked_ = false;
    status = Consume({scratch.data(), *read});
    if (*read < scratch.size()) break;
  }
  Uncork();
  moves_to_ == nullptr ? GoOn(status) : Move(status);
}

void Connection::LimitUnsent(size_t bytes_max) {
  engine::MutexLock lock(&mutex_);
  unsent_bytes_max_ = bytes_max;
}

// Continues to read, or closes the connection. `read`: how the last read ended.
void Connection::GoOn(const Status& read) {
  if (read.ok()) return ReadOn();
  if (has_left_) return Close(read);
  // After its goodbye this end continues to read until the other end closes. If this end closed
  // with bytes unread, TCP would reset the connection, and answers that the other end has not read
  // would be lost.
  Damaged(read);
  discards_ = true;
  ReadOn();
}

void Connection::ReadOn() {
  engine::MutexLock lock(&mutex_);
  if (is_closed_) return;
  is_paused_ = queue_.bytes() > unsent_bytes_max_;
  if (!is_paused_) watch_->AwaitReadable(shared_from_this());
}

Status Connection::Consume(std::string_view bytes) {
  if (discards_) return OkStatus();
  Status fed = tls_ == nullptr ? reader_.Feed(bytes, &frames_) : ConsumeCipher(bytes);
  // The whole frames before a damaged one are used, because their checksums were right.
  Status dispatched = Dispatch(&frames_);
  frames_.clear();
  return dispatched.ok() ? fed : dispatched;
}

Status Connection::ConsumeCipher(std::string_view cipher) {
  {
    engine::MutexLock lock(&tls_mutex_);
    tls_->Feed(cipher);
  }
  if (phase_ == Phase::kTls) RETURN_IF_ERROR(FinishTls());
  if (phase_ == Phase::kTls) return OkStatus();
  std::vector<char>& plain = loop()->plain_scratch();
  for (;;) {
    size_t size;
    bool has_output;
    {
      engine::MutexLock lock(&tls_mutex_);
      ASSIGN_OR_RETURN(size, tls_->Decrypt(plain.data(), plain.size()));
      has_output = tls_->HasOutput();  // TLS has a message to send, such as for a change of keys
    }
    if (has_output) Flush();
    if (size == 0) return OkStatus();
    RETURN_IF_ERROR(reader_.Feed({plain.data(), size}, &frames_));
  }
}

// Continues the TLS handshake, if there is TLS. When it is done, the client sends its hello. The
// server sends its own hello only when the client's has come (Greet), so it sends none to a peer
// that only connects.
Status Connection::FinishTls() {
  if (tls_ != nullptr) {
    StatusOr<bool> shaken = false;
    {
      engine::MutexLock lock(&tls_mutex_);
      shaken = tls_->Shake();
      if (shaken.ok() && *shaken) identity_ = tls_->Peer();
    }
    Flush();
    RETURN_IF_ERROR(shaken.status());
    if (!*shaken) return OkStatus();
    is_shaken_ = true;
  }
  phase_ = Phase::kHello;
  if (!options_.is_client) return OkStatus();
  Frame hello{.kind = FrameKind::kHello};
  hello.body = EncodeHello(options_.hello);
  static_cast<void>(Send(std::move(hello)));  // a failure is followed by OnClosed
  return OkStatus();
}

Status Connection::Dispatch(std::vector<Frame>* frames) {
  size_t kept = 0;
  Status goodbye;
  for (size_t at = 0; at < frames->size(); ++at) {
    Frame& frame = (*frames)[at];
    if (frame.kind == FrameKind::kGoodbye) {
      has_left_ = true;
      goodbye = Annotate(DecodeFailure(frame.body), "the other end said goodbye");
      break;  // the frames before the goodbye are still delivered
    }
    if (frame.kind == FrameKind::kHello) {
      if (phase_ == Phase::kOpen) return InvalidArgument("a second hello came on one connection");
      RETURN_IF_ERROR(TakeHello(frame));
      if (moves_to_ == nullptr) continue;
      // Keeps the frames after the hello for the new loop. No frame came before the hello, because
      // such a frame would have been refused.
      for (++at; at < frames->size(); ++at) early_.push_back(std::move((*frames)[at]));
      return OkStatus();
    }
    if (phase_ != Phase::kOpen) {
      return InvalidArgument(
          fmt::format("a frame of kind {} came before the hello", static_cast<int>(frame.kind)));
    }
    if (frame.kind == FrameKind::kPong) continue;
    if (frame.kind == FrameKind::kPing) {
      static_cast<void>(Send({.kind = FrameKind::kPong}));  // fails only after the connection's end
      continue;
    }
    Frame& place = (*frames)[kept++];
    if (&place != &frame) place = std::move(frame);
  }
  frames->resize(kept);
  if (kept > 0 && owner_ != nullptr) owner_->OnFrames(frames);
  return goodbye;
}

Status Connection::TakeHello(const Frame& frame) {
  ASSIGN_OR_RETURN(Hello theirs, DecodeHello(frame.body));
  {
    engine::MutexLock lock(&mutex_);
    their_name_ = NameIn(theirs);
  }
  auto agreement = Agree(options_.hello, theirs);
  RETURN_IF_ERROR(agreement.status());
  if (owner_ == nullptr) return OkStatus();
  keepalive_ = options_.keepalive.With(theirs.lease_us);
  socket_->Prepare(keepalive_.leave_after_us);
  phase_ = Phase::kOpen;
  reader_.Open();
  is_open_ = true;
  sends_traces_ = (agreement->features & kTraces) != 0;
  std::shared_ptr<Loop> home = owner_->OnOpen(theirs, *agreement);
  if (home == nullptr) return Unavailable("this end is closing");
  if (home != loop()) {
    moves_to_ = std::move(home);
  } else {
    Greet();
  }
  return OkStatus();
}

// Moves the connection to the loop of its lane. From Enter on, the new loop's thread uses the
// connection, so this thread, which is the old loop's, only posts the rest of the work to the new
// loop.
void Connection::Move(const Status& read) {
  std::shared_ptr<Loop> home = std::exchange(moves_to_, nullptr);
  Enter(home);
  home->Post([self = shared_from_this(), read] {
    self->Cork();
    self->Greet();
    std::vector<Frame> early = std::exchange(self->early_, {});
    Status dispatched = self->Dispatch(&early);
    self->Uncork();
    self->GoOn(dispatched.ok() ? read : dispatched);
  });
}

void Connection::Greet() {
  if (!options_.is_client) {
    Frame hello{.kind = FrameKind::kHello};
    hello.body = EncodeHello(options_.hello);
    static_cast<void>(Send(std::move(hello)));  // a failure is followed by OnClosed
  }
  loop()->After(keepalive_.ask_after_us, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->LookAtSilence();
  });
}

void Connection::LookAtSilence() {
  if (is_told_) return;
  int64_t silent_us = (Now() - heard_nanos_) / 1000;
  SilenceLook look = net::LookAtSilence(keepalive_, silent_us, was_asked_);
  if (look.step == SilenceStep::kLeave) {
    return Close(Unavailable(fmt::format(
        "the other end has said nothing for {} ms, although it was asked "
        "for an answer after {} ms of silence; the connection is closed; check that the "
        "process there runs and that the network reaches it",
        silent_us / 1000, keepalive_.ask_after_us / 1000)));
  }
  if (look.step == SilenceStep::kAsk) {
    was_asked_ = true;
    static_cast<void>(Send({.kind = FrameKind::kPing}));  // a failure is followed by OnClosed
  }
  loop()->After(look.next_look_us, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->LookAtSilence();
  });
}

// Ends the connection because bytes of the other end cannot be used, this end refuses the other's
// hello, or this end is closing. Unless the TLS handshake is unfinished, a goodbye tells the other
// end the reason, so that the logs of both ends have it.
void Connection::Damaged(const Status& why) {
  bool can_tell = tls_ == nullptr || is_shaken_;
  can_tell ? SayGoodbye(why) : Close(why);
}

std::string Connection::Ends() const {
  std::string theirs;
  {
    engine::MutexLock lock(&mutex_);
    theirs = their_name_;
  }
  if (theirs.empty()) theirs = options_.is_client ? "a member" : "a client";
  return fmt::format("{} ({}) with {} ({})", NameIn(options_.hello), local_, theirs, remote_);
}

std::string Connection::Named(const Status& why) const {
  return fmt::format("connection of {}: {}", Ends(), MessageOf(why));
}

std::shared_ptr<Loop> Connection::loop() const {
  engine::MutexLock lock(&mutex_);
  return loop_;
}

}  // namespace sippar::net
