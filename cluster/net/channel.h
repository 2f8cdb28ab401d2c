// The calling end: calls to one member on one lane, over a connection that is made when it is first
// needed, and again after it broke. Thread safe.
//
// Errors: what the member answered; or kUnavailable when no answer came. With the mark kNotBegun
// (failure.h) the call was certainly not begun; without it, its outcome is unknown. kUnimplemented
// and kInvalidArgument with the mark: the ends refuse each other (hello.h). kPermissionDenied with
// it: a process of another user listens on the unix socket.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/net/admission.h"
#include "cluster/net/connection.h"
#include "cluster/net/lane_loops.h"
#include "cluster/net/reply_stream.h"
#include "engine/base/random.h"
#include "engine/base/wake_up.h"

namespace sippar::net {

struct ChannelOptions {
  std::string host;  // a name, an address, or "unix:PATH"
  uint16_t port = 0;
  Hello hello;  // with the lane, and the member that is expected
  LaneBounds bounds;
  Keepalive keepalive;
  std::shared_ptr<TlsKeys> tls;  // nullptr: plain
  bool checks_host = true;       // TLS: the certificate has to name `host`
  int64_t connect_max_us = 5'000'000;
  bool reconnects = true;  // otherwise the channel is closed when its connection has ended
};

struct CallOptions {
  int64_t timeout_us = 30'000'000;  // of this attempt; 0: none
  // The waiting thread looks at it every 20 ms. Null: the call cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
};

class Channel final : public std::enable_shared_from_this<Channel> {
 public:
  using Done = std::function<void(StatusOr<std::string>)>;

  // `loops` outlive the channel.
  static StatusOr<std::shared_ptr<Channel>> New(ChannelOptions options, LaneLoops* loops);
  ~Channel();

  // Waits for the answer. Not on a loop's thread.
  StatusOr<std::string> Call(uint16_t method, std::string body, const CallOptions& options);
  // `done` is called once, on a loop's thread or on this one, and must not wait. `timeout_us` 0:
  // none. Returns the number of the call.
  uint64_t Begin(uint16_t method, std::string body, int64_t timeout_us, Done done);
  // The call fails with kCancelled; its outcome is unknown unless it is marked. A call that is
  // over, or was never begun, is none.
  void Cancel(uint64_t call);
  // The answer is parts. `timeout_us`: of the whole stream; 0: none. The server keeps to it and
  // says how far it came, so this end waits a little longer.
  std::shared_ptr<ReplyStream> Open(uint16_t method, std::string body, int64_t timeout_us);
  // Ends the connection; every call fails, also later ones.
  void Close();
  bool is_closed();
  size_t calls_in_flight();

 private:
  struct Waiter {  // of Call; lives on its stack
    engine::WakeUp woken;
    StatusOr<std::string> answer;
  };
  struct Pending {
    size_t bytes = 0;
    int64_t deadline_nanos = 0;  // 0: none, or the caller looks at the clock itself
    Waiter* waiter = nullptr;    // exactly one of these three is set: it gets the answer
    Done done = {};
    std::shared_ptr<ReplyStream> stream = {};
  };
  using Calls = std::unordered_map<uint64_t, Pending>;
  enum class State : uint8_t { kIdle, kConnecting, kOpen, kClosed };

  class Line;         // owns one connection for its channel
  class ConnectWait;  // waits until one address has answered

  Channel(ChannelOptions options, std::shared_ptr<Loop> loop);
  // The number of the call, 0: it was refused, and is over.
  uint64_t Start(Frame request, Pending pending);
  [[nodiscard]] Status Admit(size_t bytes) REQUIRES(mutex_);
  Pending Remove(Calls::iterator at) REQUIRES(mutex_);
  void AwaitAnswer(uint64_t call, const CallOptions& options, int64_t deadline_nanos,
                   Waiter* waiter);
  // False: the call is over already.
  bool End(uint64_t call, const Status& why);
  static void Finish(const Pending& pending, StatusOr<std::string> answer);
  void Sweep();
  void Arrived(std::vector<Frame>* frames);
  std::string Name() const;

  void Connect(uint64_t attempt);
  void TryAddress(std::vector<Address> addresses, size_t at, uint64_t attempt);
  void Connected(std::unique_ptr<Socket> socket, uint64_t attempt);
  void Opened(uint64_t attempt);
  void ConnectFailed(const Status& why, uint64_t attempt);
  void Closed(uint64_t attempt, const Status& why, const std::vector<Frame>& unsent);

  const ChannelOptions options_;
  const std::shared_ptr<Loop> loop_;

  engine::Mutex mutex_;
  State state_ GUARDED_BY(mutex_) = State::kIdle;
  std::shared_ptr<Connection> connection_ GUARDED_BY(mutex_);
  SendQueue held_ GUARDED_BY(mutex_);  // requests that wait for the connection
  Calls calls_ GUARDED_BY(mutex_);
  Admission admission_ GUARDED_BY(mutex_);
  uint64_t last_call_ GUARDED_BY(mutex_) = 0;
  bool is_sweeping_ GUARDED_BY(mutex_) = false;
  uint64_t attempt_ GUARDED_BY(mutex_) =
      0;  // number of the newest attempt to connect; callbacks of earlier attempts do nothing
  int failures_ GUARDED_BY(mutex_) = 0;  // attempts in a row
  int64_t retry_at_nanos_ GUARDED_BY(mutex_) = 0;
  Status last_failure_ GUARDED_BY(mutex_);
  engine::Random random_ GUARDED_BY(mutex_);
};

}  // namespace sippar::net
