// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/api/call_time.h"
#include "cluster/net/failure.h"
#include "engine/base/call_notes.h"

namespace sippar::cluster {
namespace {

// The timeout of one attempt; 0: no limit. A call without a limit fails at the latest when its
// connection ends; keepalive (cluster/net/keepalive.h), where it is on, ends a connection whose
// other end is silent.
int64_t TimeoutOf(const CallRule& rule, const CallOptions& options) {
  const int64_t limit_us = MicrosOf(rule.limit);
  if (limit_us == 0 || options.timeout_us == 0) return limit_us + options.timeout_us;
  return std::min(limit_us, options.timeout_us);
}

// The error of a failed call. kUnavailable stays while the caller has time left, so that the call
// can be made again; otherwise it becomes the caller's own kDeadlineExceeded or kCancelled. All
// other errors stay as they are.
Status Ended(const Status& failure, Effect effect, const CallTime& time) {
  if (failure.code() != StatusCode::kUnavailable) return failure;
  const Status caller = time.Check();
  const bool is_unknown = effect == Effect::kUnknown && !net::IsNotBegun(failure);
  return net::Retold(failure, caller.ok() ? failure.code() : caller.code(),
                     fmt::format("{}{}", MessageOf(failure),
                                 is_unknown ? "; whether the change was made is not known" : ""));
}

// Returns the trace of the call that this thread is serving, or no trace if it serves no call.
engine::TraceId ServedTrace() {
  const engine::CallNotes* notes = engine::CurrentCallNotes();
  return notes == nullptr ? engine::TraceId{} : notes->trace;
}

}  // namespace

StatusOr<std::string> Line::Call(Method method, const CallRule& rule, std::string_view call,
                                 const CallOptions& options) {
  const CallTime time(settings_.clock, options);
  RETURN_IF_ERROR(time.Check());
  ASSIGN_OR_RETURN(std::shared_ptr<net::Channel> channel, Reach());
  const CallOptions left = time.Left();
  StatusOr<std::string> answer =
      channel->Call(static_cast<uint16_t>(method), EncodeNamedCall({rule.name, call}),
                    {TimeoutOf(rule, left), left.cancel.get(), ServedTrace()});
  if (answer.ok()) [[likely]]
    return answer;
  return Ended(Heard(answer.status()), rule.effect, time);
}

StatusOr<std::unique_ptr<PartStream>> Line::Open(Method method, std::string request,
                                                 const CallOptions& options) {
  const CallTime time(settings_.clock, options);
  RETURN_IF_ERROR(time.Check());
  ASSIGN_OR_RETURN(std::shared_ptr<net::Channel> channel, Reach());
  auto stream = channel->Open(static_cast<uint16_t>(method), std::move(request),
                              time.Left().timeout_us, ServedTrace());
  return std::make_unique<PartStream>(std::move(channel), std::move(stream), time);
}

bool Line::is_over() {
  engine::MutexLock lock(&mutex_);
  return channel_ != nullptr && channel_->is_closed();
}

bool Line::is_cut() {
  engine::MutexLock lock(&mutex_);
  return channel_ != nullptr && channel_->is_cut();
}

StatusOr<std::shared_ptr<net::Channel>> Line::Reach() {
  {
    engine::MutexLock lock(&mutex_);
    if (channel_ != nullptr && !is_in_doubt_) [[likely]]
      return channel_;
  }
  // The look-up runs without the lock, because it may wait.
  auto address = options_.find();
  if (!address.ok()) {
    return address.status().code() == StatusCode::kUnavailable ? net::MarkNotBegun(address.status())
                                                               : address.status();
  }
  // Other calls may still wait for answers on the old channel. The last of them destroys it.
  std::shared_ptr<net::Channel> before;
  engine::MutexLock lock(&mutex_);
  is_in_doubt_ = false;
  if (channel_ != nullptr && *address == address_) return channel_;
  auto made = NewChannel(*address);
  if (!made.ok()) return net::MarkNotBegun(made.status());
  before = std::exchange(channel_, *std::move(made));
  address_ = *std::move(address);
  return channel_;
}

StatusOr<std::shared_ptr<net::Channel>> Line::NewChannel(const MemberAddress& address) const {
  net::ChannelOptions to;
  to.host = address.host;
  to.port = address.port;
  to.checks_host = !net::IsUnixHost(address.host);  // a certificate names no socket path
  to.hello = settings_.hello;
  to.hello.lane = options_.lane;
  to.hello.expected = address.life;
  to.bounds = settings_.bounds;
  to.keepalive = settings_.keepalive;
  to.connect_max_us = settings_.connect_max_us;
  to.tls = settings_.tls;
  to.reconnects = options_.reconnects;
  return net::Channel::New(std::move(to), settings_.loops);
}

// The error of a call on the channel. If another process, of another cluster or version, has taken
// the port of a member that has ended, its refusal is no answer to the call: the error becomes
// kUnavailable, as for a member that cannot be reached. A line that does not reconnect reports the
// refusal itself.
Status Line::Heard(const Status& failure) {
  const bool is_taken_port = options_.reconnects && net::IsWithoutHello(failure);
  if (failure.code() != StatusCode::kUnavailable && !is_taken_port) return failure;
  engine::MutexLock lock(&mutex_);
  is_in_doubt_ = is_in_doubt_ || options_.finds_again;
  return is_taken_port
             ? net::Retold(failure, StatusCode::kUnavailable, std::string(MessageOf(failure)))
             : failure;
}

}  // namespace sippar::cluster
