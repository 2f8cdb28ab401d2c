// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/api/call_time.h"
#include "cluster/net/failure.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kShortCallUs = 30'000'000;  // an attempt of a call whose work is short

// 0: without a limit. Such a call ends with the connection at the latest, on which a member that
// says nothing is asked and then left.
int64_t TimeoutOf(const CallRule& rule, const CallOptions& options) {
  const int64_t limit_us = rule.limit == TimeLimit::kShort ? kShortCallUs : 0;
  if (limit_us == 0 || options.timeout_us == 0) return limit_us + options.timeout_us;
  return std::min(limit_us, options.timeout_us);
}

// Of a call that got no answer. An attempt that ran out is kUnavailable, so that it is made again;
// if the caller's own time is over, too, that is the answer.
Status Ended(const Status& failure, Effect effect, const CallTime& time) {
  if (failure.code() != StatusCode::kUnavailable) return failure;
  const Status caller = time.Check();
  const bool is_unknown = effect == Effect::kUnknown && !net::IsNotBegun(failure);
  return net::Retold(failure, caller.ok() ? failure.code() : caller.code(),
                     fmt::format("{}{}", MessageOf(failure),
                                 is_unknown ? "; whether the change was made is not known" : ""));
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
                    {TimeoutOf(rule, left), left.cancel.get()});
  if (answer.ok()) [[likely]]
    return answer;
  if (answer.status().code() == StatusCode::kUnavailable) Forget(channel);
  return Ended(answer.status(), rule.effect, time);
}

StatusOr<std::unique_ptr<PartStream>> Line::Open(Method method, std::string request,
                                                 const CallOptions& options) {
  const CallTime time(settings_.clock, options);
  RETURN_IF_ERROR(time.Check());
  ASSIGN_OR_RETURN(std::shared_ptr<net::Channel> channel, Reach());
  auto stream =
      channel->Open(static_cast<uint16_t>(method), std::move(request), time.Left().timeout_us);
  return std::make_unique<PartStream>(std::move(channel), std::move(stream), time);
}

bool Line::is_over() {
  engine::MutexLock lock(&mutex_);
  return channel_ != nullptr && channel_->is_closed();
}

StatusOr<std::shared_ptr<net::Channel>> Line::Reach() {
  {
    engine::MutexLock lock(&mutex_);
    if (channel_ != nullptr) [[likely]]
      return channel_;
  }
  // Without the lock, because the look-up may wait. Of two threads that look, the first one's
  // channel is used.
  auto address = options_.find();
  if (!address.ok()) {
    return address.status().code() == StatusCode::kUnavailable ? net::MarkNotBegun(address.status())
                                                               : address.status();
  }
  net::ChannelOptions to;
  to.host = address->host;
  to.port = address->port;
  to.hello = settings_.hello;
  to.hello.lane = options_.lane;
  to.hello.expected = address->life;
  to.bounds = settings_.bounds;
  to.keepalive = settings_.keepalive;
  to.tls = settings_.tls;
  to.reconnects = options_.reconnects;
  ASSIGN_OR_RETURN(std::shared_ptr<net::Channel> made,
                   net::Channel::New(std::move(to), settings_.loops));
  engine::MutexLock lock(&mutex_);
  if (channel_ == nullptr) channel_ = std::move(made);
  return channel_;
}

// Other calls may still wait for answers on the channel; it goes with the last of them.
void Line::Forget(const std::shared_ptr<net::Channel>& channel) {
  if (!options_.finds_again) return;
  engine::MutexLock lock(&mutex_);
  if (channel_ == channel) channel_ = nullptr;
}

}  // namespace sippar::cluster
