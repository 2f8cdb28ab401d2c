// The calls and streams of a channel. channel_connect.cc makes the connection.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/net/failure.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

// Time between two searches for calls of Begin and Open that have passed their deadlines. No thread
// looks at the clock for such a call, so a timer checks the deadlines. The timer runs only while
// there are such calls.
constexpr int64_t kSweepMicros = 10'000;
constexpr size_t kDeliveriesInARow = 16;
constexpr int64_t kBusyWaitMicros = 20'000;  // wait that a refused caller is asked to make
constexpr int64_t kCancelPollMicros = 20'000;
// Time by which this end waits longer for a stream than the server does. The server's last message,
// with the counters of what was read until the deadline, may still arrive in this time.
constexpr int64_t kStreamGraceNanos = 2'000'000'000;

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }

}  // namespace

StatusOr<std::shared_ptr<Channel>> Channel::New(ChannelOptions options, LaneLoops* loops) {
  ASSIGN_OR_RETURN(std::shared_ptr<Loop> loop, loops->Of(options.hello.lane));
  return std::shared_ptr<Channel>(new Channel(std::move(options), std::move(loop)));
}

Channel::Channel(ChannelOptions options, std::shared_ptr<Loop> loop)
    : options_(std::move(options)),
      loop_(std::move(loop)),
      admission_(options_.bounds.calls_max, options_.bounds.bytes_max),
      random_(static_cast<uint64_t>(Now())) {}

Channel::~Channel() { Close(); }

StatusOr<std::string> Channel::Call(uint16_t method, std::string body, const CallOptions& options) {
  Waiter waiter;
  Frame request{.kind = FrameKind::kRequest, .method = method, .body = std::move(body)};
  request.trace = options.trace;
  if (options.timeout_us > 0) request.deadline_nanos = Now() + options.timeout_us * 1000;
  Pending pending;
  pending.waiter = &waiter;
  const int64_t deadline_nanos = request.deadline_nanos;
  uint64_t call = Start(std::move(request), std::move(pending));
  if (call != 0) AwaitAnswer(call, options, deadline_nanos, &waiter);
  return std::move(waiter.answer);
}

// Returns only after Finish has notified the waiter. No other thread uses the waiter after that, so
// the caller may destroy it.
void Channel::AwaitAnswer(uint64_t call, const CallOptions& options, int64_t deadline_nanos,
                          Waiter* waiter) {
  const bool has_limit = options.timeout_us > 0;
  while (has_limit || options.cancel != nullptr) {
    int64_t left_us = (deadline_nanos - Now()) / 1000;
    int64_t step_us = options.cancel == nullptr ? left_us : kCancelPollMicros;
    if (has_limit) step_us = std::max<int64_t>(std::min(step_us, left_us), 0);
    if (waiter->woken.WaitFor(step_us)) return;
    left_us = (deadline_nanos - Now()) / 1000;
    if (options.cancel != nullptr && *options.cancel) {
      Cancel(call);
      break;
    }
    if (has_limit && left_us <= 0) {
      End(call, Unavailable(fmt::format("call {} to {}: no answer came in time (waited {} ms)",
                                        call, Name(), options.timeout_us / 1000)));
      break;
    }
  }
  waiter->woken.Wait();
}

uint64_t Channel::Begin(uint16_t method, std::string body, int64_t timeout_us, Done done) {
  Frame request{.kind = FrameKind::kRequest, .method = method, .body = std::move(body)};
  if (timeout_us > 0) request.deadline_nanos = Now() + timeout_us * 1000;
  Pending pending;
  pending.deadline_nanos = request.deadline_nanos;
  pending.done = std::move(done);
  return Start(std::move(request), std::move(pending));
}

std::shared_ptr<ReplyStream> Channel::Open(uint16_t method, std::string body, int64_t timeout_us,
                                           engine::TraceId trace) {
  Frame request{.kind = FrameKind::kRequest, .flags = kIsStream, .method = method};
  request.body = std::move(body);
  request.trace = trace;
  if (timeout_us > 0) request.deadline_nanos = Now() + timeout_us * 1000;
  Pending pending;
  if (timeout_us > 0) pending.deadline_nanos = request.deadline_nanos + kStreamGraceNanos;
  pending.stream = std::make_shared<ReplyStream>();
  std::shared_ptr<ReplyStream> stream = pending.stream;
  auto number = std::make_shared<std::atomic<uint64_t>>(0);
  stream->Begin({[weak = weak_from_this(), number](uint64_t bytes) {
                   auto self = weak.lock();
                   if (self == nullptr) return;
                   std::shared_ptr<Connection> connection;
                   {
                     engine::MutexLock lock(&self->mutex_);
                     if (!self->calls_.contains(*number)) return;
                     connection = self->connection_;
                   }
                   // If the connection has ended, so has the stream, and it needs no credit.
                   if (connection == nullptr) return;
                   static_cast<void>(connection->Send(
                       {.kind = FrameKind::kCredit, .call = *number, .argument = bytes}));
                 },
                 [weak = weak_from_this(), number] {
                   if (auto self = weak.lock()) self->Cancel(*number);
                 }});
  *number = Start(std::move(request), std::move(pending));
  return stream;
}

uint64_t Channel::Start(Frame request, Pending pending) {
  std::shared_ptr<Connection> connection;
  Frame sent;
  Status refused;
  Pending refusing;
  bool connects = false, sweeps = false, has_company = false;
  uint64_t call = 0, attempt = 0;
  {
    engine::MutexLock lock(&mutex_);
    pending.bytes = request.body.size();
    refused = Admit(pending.bytes);
    if (!refused.ok()) {
      refusing = std::move(pending);
    } else {
      request.call = call = ++last_call_;
      sweeps = pending.deadline_nanos != 0 && !std::exchange(is_sweeping_, true);
      calls_.emplace(call, std::move(pending));
      if (state_ == State::kOpen) {
        connection = connection_;
        sent = std::move(request);
        has_company = calls_.size() > 1;
      } else {
        held_.Push(std::move(request));
        connects = state_ == State::kIdle;
        state_ = State::kConnecting;
        if (connects) attempt = ++attempt_;
      }
    }
  }
  if (!refused.ok()) {
    Finish(refusing, refused);
    return 0;
  }
  if (sweeps) Sweep();
  if (connects) Connect(attempt);
  if (connection != nullptr && !connection->Send(std::move(sent), has_company)) {
    // If Closed runs first, it ends the call with an unknown outcome instead, which is also
    // correct.
    End(call,
        MarkNotBegun(Unavailable(fmt::format(
            "call to {}: it was not sent, because the connection has ended; call again", Name()))));
  }
  return call;
}

Status Channel::Admit(size_t bytes) {
  if (state_ == State::kClosed) {
    return MarkNotBegun(Unavailable(
        fmt::format("call to {}: the connection is closed and is not opened again", Name())));
  }
  if (bytes > kBodySizeMax) {
    return MarkNotBegun(InvalidArgument(
        fmt::format("call to {}: the message is too large (found {} bytes, at most {})", Name(),
                    bytes, kBodySizeMax)));
  }
  int64_t wait_us = (retry_at_nanos_ - Now()) / 1000;
  if (state_ == State::kIdle && wait_us > 0) return MarkNotBegun(last_failure_, wait_us);
  if (admission_.Enter(bytes)) return OkStatus();
  return MarkNotBegun(
      Unavailable(fmt::format("call to {}: too many calls are in flight (found {} calls with {} "
                              "bytes together, at most {} calls and {} bytes); call again later",
                              Name(), admission_.calls(), admission_.bytes(),
                              options_.bounds.calls_max, options_.bounds.bytes_max)),
      kBusyWaitMicros);
}

Channel::Pending Channel::Remove(Calls::iterator at) {
  Pending pending = std::move(at->second);
  calls_.erase(at);
  admission_.Leave(pending.bytes);
  return pending;
}

void Channel::Finish(const Pending& pending, StatusOr<std::string> answer) {
  if (pending.waiter != nullptr) {
    pending.waiter->answer = std::move(answer);
    pending.waiter->woken.Notify();  // last access: the waiting thread may now destroy the waiter
  } else if (pending.stream != nullptr) {
    pending.stream->OnEnd(std::move(answer));
  } else {
    pending.done(std::move(answer));
  }
}

void Channel::Cancel(uint64_t call) {
  End(call, Cancelled(fmt::format("call {} to {}: its caller cancelled it", call, Name())));
}

bool Channel::End(uint64_t call, const Status& why) {
  Pending pending;
  std::shared_ptr<Connection> connection;
  bool is_withdrawn = false;
  {
    engine::MutexLock lock(&mutex_);
    auto at = calls_.find(call);
    if (at == calls_.end()) return false;
    pending = Remove(at);
    is_withdrawn = held_.Withdraw(call);
    if (state_ == State::kOpen) connection = connection_;
  }
  if (connection != nullptr && !is_withdrawn) {
    is_withdrawn = connection->Withdraw(call);
    if (!is_withdrawn) {
      // If Send fails, the connection has ended, and with it the call at the server.
      static_cast<void>(connection->Send({.kind = FrameKind::kCancel, .call = call}));
    }
  }
  Finish(pending, is_withdrawn ? MarkNotBegun(why) : why);
  return true;
}

void Channel::Sweep() {
  std::vector<uint64_t> overdue;
  bool goes_on = false;
  {
    engine::MutexLock lock(&mutex_);
    int64_t now = Now();
    for (const auto& [call, pending] : calls_) {
      if (pending.deadline_nanos == 0) continue;
      goes_on = true;
      if (pending.deadline_nanos <= now) overdue.push_back(call);
    }
    is_sweeping_ = goes_on;
  }
  for (uint64_t call : overdue) {
    End(call, Unavailable(fmt::format("call {} to {}: no answer came in time", call, Name())));
  }
  if (!goes_on) return;
  loop_->After(kSweepMicros, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Sweep();
  });
}

void Channel::Arrived(std::vector<Frame>* frames) {
  struct Delivery {
    Pending pending;  // if the frame is a kPart, only `stream` is set
    Frame* frame;
  };
  std::vector<Delivery> deliveries;
  deliveries.reserve(frames->size());
  std::shared_ptr<Connection> connection;
  std::string_view wrong;
  {
    engine::MutexLock lock(&mutex_);
    connection = connection_;
    for (Frame& frame : *frames) {
      if (frame.kind != FrameKind::kReply && frame.kind != FrameKind::kPart) {
        wrong = "the server sent a frame that only a caller may send";
        break;
      }
      auto at = calls_.find(frame.call);
      if (at == calls_.end()) continue;  // the call has ended here while its answer was under way
      if (frame.kind == FrameKind::kReply) {
        deliveries.push_back({Remove(at), &frame});
      } else if (at->second.stream != nullptr) {
        deliveries.push_back({Pending{.stream = at->second.stream}, &frame});
      }
    }
  }
  size_t delivered = 0;
  for (Delivery& delivery : deliveries) {
    // While this loop runs, the connection only queues the requests of woken callers, so that they
    // leave in one write. The flush sends what is queued so far, so the server need not wait until
    // all callers of this batch were woken.
    if (++delivered % kDeliveriesInARow == 0 && connection != nullptr) connection->Flush();
    Frame& frame = *delivery.frame;
    if (frame.kind == FrameKind::kPart) {
      if (!delivery.pending.stream->OnPart(std::move(frame.body))) {
        wrong = "the server sent a part beyond the credit of its stream";
      }
    } else if ((frame.flags & kIsFailure) != 0) {
      Finish(delivery.pending, DecodeFailure(frame.body));
    } else {
      Finish(delivery.pending, std::move(frame.body));
    }
  }
  if (!wrong.empty() && connection != nullptr)
    connection->SayGoodbye(InvalidArgument(std::string(wrong)));
}

// Checks the connection as well as state_: after the connection has ended, a call can fail before
// Closed has set state_.
bool Channel::is_closed() {
  engine::MutexLock lock(&mutex_);
  if (state_ == State::kClosed) return true;
  return !options_.reconnects && connection_ != nullptr && connection_->has_ended();
}

bool Channel::is_cut() {
  engine::MutexLock lock(&mutex_);
  return is_cut_;
}

size_t Channel::calls_in_flight() {
  engine::MutexLock lock(&mutex_);
  return calls_.size();
}

std::string Channel::Name() const {
  const std::string place = IsUnixHost(options_.host)
                                ? options_.host
                                : fmt::format("{}:{}", options_.host, options_.port);
  // A user of the program need not know what a lane is, so the name of the users' lane is left out.
  const Lane lane = options_.hello.lane;
  return lane == Lane::kUsers ? place : fmt::format("{} (lane {})", place, NameOf(lane));
}

}  // namespace sippar::net
