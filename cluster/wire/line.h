// A line makes the calls and opens the streams of this process to one member on one lane
// (cluster/net/lane.h), each once, without retries. It finds the member's address when the address
// is first needed. Thread safe.
//
// Errors of a call: those of the member; kCancelled and kDeadlineExceeded if the caller's options
// ended the wait; kUnavailable if no answer came; on a line that does not reconnect, also those of
// two ends that refuse each other (net/channel.h). net::IsNotBegun returns whether the call was
// certainly not begun; otherwise the outcome of a call without an answer is unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/api/call.h"
#include "cluster/net/channel.h"
#include "cluster/wire/member_address.h"
#include "cluster/wire/methods.h"
#include "cluster/wire/part_stream.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

// Settings that all lines of a process share.
struct LineSettings {
  // `loops` and `clock` outlive the lines. If `loops` is null, a client of one member
  // (wire/remote_client.h) makes its own loops.
  net::LaneLoops* loops = nullptr;
  engine::Clock* clock = nullptr;
  net::Hello hello = {};  // hello of this process; each line sets `lane` and `expected`
  std::shared_ptr<net::TlsKeys> tls = nullptr;  // null: no TLS
  net::Keepalive keepalive = {};
  int64_t connect_max_us = 5'000'000;  // longest time until the member has said hello
  net::LaneBounds bounds = {};
};

struct LineOptions {
  net::Lane lane = net::Lane::kUsers;
  std::function<StatusOr<MemberAddress>()> find = nullptr;
  // True: another process may become this member, as with the master. After a call without an
  // answer the address is looked up again, and if it differs, a new channel is made.
  bool finds_again = false;
  // True: the next call after the end of the connection connects again. False: the line then ends.
  bool reconnects = true;
};

class Line {
 public:
  Line(LineSettings settings, LineOptions options)
      : settings_(std::move(settings)), options_(std::move(options)) {}

  // Returns the encoded reply.
  [[nodiscard]] StatusOr<std::string> Call(Method method, const CallRule& rule,
                                           std::string_view call, const CallOptions& options);
  // Opens a stream. If the server refuses it, the first PartStream::Next returns the error.
  [[nodiscard]] StatusOr<std::unique_ptr<PartStream>> Open(Method method, std::string request,
                                                           const CallOptions& options);
  engine::Clock* clock() const { return settings_.clock; }
  // True: the connection has ended, and the line does not reconnect.
  bool is_over();
  // See net::Channel::is_cut; false before the first call.
  bool is_cut();

 private:
  StatusOr<std::shared_ptr<net::Channel>> Reach();
  StatusOr<std::shared_ptr<net::Channel>> NewChannel(const MemberAddress& address) const;
  // The error that the caller gets for this failure of a call.
  Status Heard(const Status& failure);

  const LineSettings settings_;
  const LineOptions options_;
  engine::Mutex mutex_;
  std::shared_ptr<net::Channel> channel_ GUARDED_BY(mutex_);
  MemberAddress address_ GUARDED_BY(mutex_);     // address of channel_
  bool is_in_doubt_ GUARDED_BY(mutex_) = false;  // the next call looks the address up again
};

}  // namespace sippar::cluster
