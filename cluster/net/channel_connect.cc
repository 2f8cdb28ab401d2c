// The connecting half of a channel. It connects at the first call, and again at the first call
// after the connection broke. After each failed attempt the wait before the next one grows
// (reconnect.h).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "cluster/net/channel.h"
#include "cluster/net/failure.h"
#include "cluster/net/reconnect.h"
#include "cluster/net/unix_socket.h"
#include "engine/base/clock.h"

namespace sippar::net {

// Passes the events of one connection to the channel; its opening and its end with the number of
// the attempt to connect, so that the channel ignores those of earlier attempts.
class Channel::Line final : public Connection::Owner {
 public:
  Line(std::weak_ptr<Channel> channel, uint64_t attempt)
      : channel_(std::move(channel)), attempt_(attempt) {}
  std::shared_ptr<Loop> OnOpen(const Hello&, const Agreement&) override {
    auto channel = channel_.lock();
    if (channel == nullptr) return nullptr;
    channel->Opened(attempt_);
    return channel->loop_;
  }
  void OnFrames(std::vector<Frame>* frames) override {
    if (auto channel = channel_.lock()) channel->Arrived(frames);
  }
  void OnClosed(const Status& why, std::vector<Frame> unsent) override {
    if (auto channel = channel_.lock()) channel->Closed(attempt_, why, unsent);
  }

 private:
  const std::weak_ptr<Channel> channel_;
  const uint64_t attempt_;
};

class Channel::ConnectWait final : public Watch::User {
 public:
  ConnectWait(std::unique_ptr<Socket> socket, std::unique_ptr<Watch> watch,
              std::function<void(std::unique_ptr<Socket>)> connected)
      : socket_(std::move(socket)), watch_(std::move(watch)), connected_(std::move(connected)) {}
  void Start(std::shared_ptr<ConnectWait> self) { watch_->AwaitWritable(std::move(self)); }
  void GiveUp() {
    if (socket_ != nullptr) socket_->Shut();  // the loop then calls OnWritable
  }
  void OnReadable() override {}
  void OnWritable() override {
    watch_.reset();
    connected_(std::move(socket_));
  }

 private:
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Watch> watch_;
  const std::function<void(std::unique_ptr<Socket>)> connected_;
};

void Channel::Connect(uint64_t attempt) {
  loop_->After(options_.connect_max_us, [weak = weak_from_this(), attempt] {
    auto self = weak.lock();
    if (self == nullptr) return;
    self->ConnectFailed(Unavailable(fmt::format("no connection in time (waited {} ms)",
                                                self->options_.connect_max_us / 1000)),
                        attempt);
  });
  loop_->Resolve(options_.host, options_.port,
                 [weak = weak_from_this(), attempt](StatusOr<std::vector<Address>> found) {
                   auto self = weak.lock();
                   if (self == nullptr) return;
                   if (!found.ok()) return self->ConnectFailed(found.status(), attempt);
                   self->TryAddress(*std::move(found), 0, attempt);
                 });
}

// Tries the addresses one after the other. Each gets an equal share of the time, because the first
// may be an address that never answers.
void Channel::TryAddress(std::vector<Address> addresses, size_t at, uint64_t attempt) {
  if (addresses.empty()) return ConnectFailed(Unavailable("the host has no address"), attempt);
  int64_t limit_us = options_.connect_max_us / static_cast<int64_t>(addresses.size());
  auto begun = Socket::Connect(addresses[at]);
  auto next = [weak = weak_from_this(), addresses, at, attempt](const Status& why) {
    auto self = weak.lock();
    if (self == nullptr) return;
    if (at + 1 == addresses.size()) return self->ConnectFailed(why, attempt);
    self->TryAddress(addresses, at + 1, attempt);
  };
  if (!begun.ok()) return next(begun.status());
  int fd = (*begun)->fd();
  auto connected = [weak = weak_from_this(), next, attempt](std::unique_ptr<Socket> socket) {
    Status outcome = socket->Outcome();
    if (!outcome.ok()) return next(outcome);
    if (auto self = weak.lock()) self->Connected(std::move(socket), attempt);
  };
  auto wait = std::make_shared<ConnectWait>(*std::move(begun), loop_->NewWatch(fd), connected);
  wait->Start(wait);
  loop_->After(limit_us, [weak = std::weak_ptr<ConnectWait>(wait)] {
    if (auto late = weak.lock()) late->GiveUp();
  });
}

void Channel::Connected(std::unique_ptr<Socket> socket, uint64_t attempt) {
  // If no process listens on a port of this machine, a connection to it can reach the calling
  // socket itself: the system may have given that socket the same port.
  if (socket->Local().port() != 0 && socket->Local().Text() == socket->Remote().Text()) {
    return ConnectFailed(Unavailable("connection refused"), attempt);
  }
  if (socket->Remote().bytes.ss_family == AF_UNIX && !IsOfThisUser(socket->fd())) {
    return ConnectFailed(
        PermissionDenied(
            "a process of another user serves this socket; run this program as that user"),
        attempt);
  }
  std::unique_ptr<TlsSession> tls;
  if (options_.tls != nullptr) {
    auto session = options_.tls->NewClient(options_.checks_host ? options_.host : "");
    if (!session.ok()) return ConnectFailed(session.status(), attempt);
    tls = *std::move(session);
  }
  ConnectionOptions options{.is_client = true, .hello = options_.hello};
  options.keepalive = options_.keepalive;
  options.opening_max_us = options_.connect_max_us;
  auto connection =
      std::make_shared<Connection>(loop_, std::move(socket), std::move(tls), std::move(options));
  {
    engine::MutexLock lock(&mutex_);
    if (attempt != attempt_ || state_ != State::kConnecting) return;
    connection_ = connection;
  }
  connection->Start(std::make_shared<Line>(weak_from_this(), attempt));
}

void Channel::Opened(uint64_t attempt) {
  std::vector<uint64_t> unsent;
  {
    engine::MutexLock lock(&mutex_);
    if (attempt != attempt_ || state_ != State::kConnecting) return;
    state_ = State::kOpen;
    is_cut_ = false;
    failures_ = 0;
    // Runs under the lock, so that the cancellation of a call cannot be sent before its request.
    // Send only queues here, because the connection is corked while it reads the hello.
    for (Frame& frame : held_.Take()) {
      uint64_t call = frame.call;
      if (!connection_->Send(std::move(frame))) unsent.push_back(call);
    }
  }
  for (uint64_t call : unsent) {
    End(call,
        MarkNotBegun(Unavailable(fmt::format(
            "call to {}: it was not sent, because the connection has ended; call again", Name()))));
  }
}

// Ends all calls as certainly not begun, because no request was sent on this connection.
void Channel::ConnectFailed(const Status& why, uint64_t attempt) {
  Calls calls;
  std::shared_ptr<Connection> connection;
  // A damaged hello is no loss of stored data (kDataLoss): the next attempt may work.
  const bool is_bad = why.code() == StatusCode::kDataLoss;
  StatusCode code = is_bad ? StatusCode::kUnavailable : why.code();
  Status failure(code, fmt::format("connection to {}: {}", Name(), MessageOf(why)));
  if (is_bad) failure.SetPayload(kBadHello, absl::Cord());
  int64_t wait_us = 0;
  {
    engine::MutexLock lock(&mutex_);
    if (attempt != attempt_ || state_ != State::kConnecting) return;
    state_ = options_.reconnects ? State::kIdle : State::kClosed;
    is_cut_ = true;
    connection = std::exchange(connection_, nullptr);
    if (connection != nullptr) failure.SetPayload(kNoHello, absl::Cord());
    wait_us = ReconnectWait(++failures_, &random_);
    retry_at_nanos_ = engine::Clock::System()->MonotonicNanos() + wait_us * 1000;
    last_failure_ = failure;
    held_.Take();
    calls.swap(calls_);
    for (const auto& [call, pending] : calls) admission_.Leave(pending.bytes);
  }
  if (connection != nullptr) connection->Close(why);
  for (auto& [call, pending] : calls) Finish(pending, MarkNotBegun(failure, wait_us));
}

void Channel::Closed(uint64_t attempt, const Status& why, const std::vector<Frame>& unsent) {
  ConnectFailed(why, attempt);  // does nothing if the connection was open
  Calls calls;
  {
    engine::MutexLock lock(&mutex_);
    if (attempt != attempt_ || state_ != State::kOpen) return;
    state_ = options_.reconnects ? State::kIdle : State::kClosed;
    is_cut_ = true;
    connection_ = nullptr;
    calls.swap(calls_);
    for (const auto& [call, pending] : calls) admission_.Leave(pending.bytes);
  }
  std::unordered_set<uint64_t> not_sent;
  for (const Frame& frame : unsent) {
    if (frame.kind == FrameKind::kRequest) not_sent.insert(frame.call);
  }
  // Whatever the reason why the connection ended, the outcome of the requests that were sent is
  // unknown. So the code is kUnavailable even after damage; the text has the reason.
  for (auto& [call, pending] : calls) {
    Status failure = Unavailable(fmt::format("call {}: {}", call, MessageOf(why)));
    Finish(pending, not_sent.contains(call) ? MarkNotBegun(failure) : failure);
  }
}

void Channel::Close() {
  Calls calls;
  std::shared_ptr<Connection> connection;
  std::unordered_set<uint64_t> not_sent;
  {
    engine::MutexLock lock(&mutex_);
    if (state_ == State::kClosed) return;
    state_ = State::kClosed;
    connection = std::exchange(connection_, nullptr);
    for (const Frame& frame : held_.Take()) not_sent.insert(frame.call);
    calls.swap(calls_);
    for (const auto& [call, pending] : calls) admission_.Leave(pending.bytes);
  }
  Status failure = Unavailable(
      fmt::format("call to {}: this process closed the connection before the answer came", Name()));
  if (connection != nullptr) connection->Close(failure);
  for (auto& [call, pending] : calls) {
    Finish(pending, not_sent.contains(call) ? MarkNotBegun(failure) : failure);
  }
}

}  // namespace sippar::net
