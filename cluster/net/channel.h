// The calling end of a connection: makes calls to one member of the cluster on one lane (lane.h).
// It connects at the first call, and again at the first call after the connection broke. Thread
// safe.
//
// Errors of a call: those with which the member answered; kUnavailable if no answer came;
// kCancelled if the caller cancelled the call. If the status has the mark kNotBegun (failure.h),
// the call was certainly not begun; without it, the outcome of a call without an answer is unknown.
// kUnimplemented and kInvalidArgument with this mark: the two ends refuse each other (hello.h).
// kInvalidArgument also: the message is too large, or no certificate can name the host.
// kPermissionDenied with this mark: a process of another user listens on the unix socket.
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
  Hello hello;  // this end's hello; `lane` and `expected` are those of this channel
  LaneBounds bounds;
  Keepalive keepalive;
  std::shared_ptr<TlsKeys> tls;  // nullptr: no TLS
  bool checks_host = true;       // TLS: the certificate has to name `host`
  int64_t connect_max_us = 5'000'000;
  // False: the channel is closed when its connection has ended or could not be made.
  bool reconnects = true;
};

struct CallOptions {
  int64_t timeout_us = 30'000'000;  // 0: no limit
  // If the flag becomes true, the call is cancelled within 20 ms. Null: the call cannot be
  // cancelled.
  const std::atomic<bool>* cancel = nullptr;
  engine::TraceId trace = {};  // trace to which this call belongs; none: no trace
};

class Channel final : public std::enable_shared_from_this<Channel> {
 public:
  using Done = std::function<void(StatusOr<std::string>)>;

  // `loops` outlive the channel.
  static StatusOr<std::shared_ptr<Channel>> New(ChannelOptions options, LaneLoops* loops);
  ~Channel();

  // Waits for the answer. Must not be called on a loop's thread.
  StatusOr<std::string> Call(uint16_t method, std::string body, const CallOptions& options);
  // Makes a call without waiting. `done` gets the answer; it is called once, on a loop's thread or
  // on a thread that calls Begin, Cancel or Close, and must not wait. `timeout_us` 0: no limit.
  // Returns the number of the call for Cancel.
  uint64_t Begin(uint16_t method, std::string body, int64_t timeout_us, Done done);
  // Ends the call with kCancelled; its outcome is unknown unless the status has the mark kNotBegun.
  // Does nothing if the call has ended or was refused by Begin.
  void Cancel(uint64_t call);
  // Makes a call whose answer is a stream of parts. `timeout_us` limits the whole stream (0: no
  // limit). The server keeps to this limit and then reports how far it read, so this end waits 2 s
  // longer.
  std::shared_ptr<ReplyStream> Open(uint16_t method, std::string body, int64_t timeout_us,
                                    engine::TraceId trace = {});
  // Ends the connection. All calls fail, those in flight and later ones.
  void Close();
  bool is_closed();
  // True: the last attempt to connect failed, or the connection has ended other than by Close, and
  // no new one is open.
  // Without a call the channel learns this only if keepalive is on or if the other end's kernel
  // closes the connection, as it does when the process dies.
  bool is_cut();
  size_t calls_in_flight();

 private:
  struct Waiter {  // waiting thread of one Call; lives on that thread's stack
    engine::WakeUp woken;
    StatusOr<std::string> answer;
  };
  struct Pending {
    size_t bytes = 0;
    // 0: no deadline, or the call has a waiting thread (`waiter`), which looks at the clock itself.
    int64_t deadline_nanos = 0;
    Waiter* waiter = nullptr;  // exactly one of these three is set, and gets the answer
    Done done = {};
    std::shared_ptr<ReplyStream> stream = {};
  };
  using Calls = std::unordered_map<uint64_t, Pending>;
  enum class State : uint8_t { kIdle, kConnecting, kOpen, kClosed };

  class Line;         // passes the events of one connection to its channel
  class ConnectWait;  // waits for the end of one attempt to connect to an address

  Channel(ChannelOptions options, std::shared_ptr<Loop> loop);
  // Returns the number of the call. 0: the call was refused, and Finish was called for it.
  uint64_t Start(Frame request, Pending pending);
  [[nodiscard]] Status Admit(size_t bytes) REQUIRES(mutex_);
  Pending Remove(Calls::iterator at) REQUIRES(mutex_);
  void AwaitAnswer(uint64_t call, const CallOptions& options, int64_t deadline_nanos,
                   Waiter* waiter);
  // Ends a call with `why`. False: the call had already ended.
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
  bool is_cut_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<Connection> connection_ GUARDED_BY(mutex_);
  SendQueue held_ GUARDED_BY(mutex_);  // requests that wait for the connection
  Calls calls_ GUARDED_BY(mutex_);
  Admission admission_ GUARDED_BY(mutex_);
  uint64_t last_call_ GUARDED_BY(mutex_) = 0;
  bool is_sweeping_ GUARDED_BY(mutex_) = false;
  uint64_t attempt_ GUARDED_BY(mutex_) =
      0;  // number of the newest attempt to connect; callbacks of earlier attempts do nothing
  int failures_ GUARDED_BY(mutex_) = 0;  // failed attempts to connect since the last good one
  int64_t retry_at_nanos_ GUARDED_BY(mutex_) = 0;
  Status last_failure_ GUARDED_BY(mutex_);
  engine::Random random_ GUARDED_BY(mutex_);
};

}  // namespace sippar::net
