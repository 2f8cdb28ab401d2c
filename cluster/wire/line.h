// The way to one member on one lane (cluster/net/lane.h): makes calls and opens streams, each once,
// without retries. Finds the member's address when it is first needed. Thread safe.
//
// Errors of a call: those of the member; kCancelled and kDeadlineExceeded where the caller's
// options ended the wait; kUnavailable where no answer came. net::IsNotBegun tells whether the call
// was certainly not begun; without that mark its outcome is unknown. SPDX-License-Identifier:
// Apache-2.0
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

// What the lines of a process share.
struct LineSettings {
  // This and the clock outlive the lines. A client of one member (wire/remote_client.h) has loops
  // of its own if there are none.
  net::LaneLoops* loops = nullptr;
  engine::Clock* clock = nullptr;
  net::Hello hello = {};  // of this process; lane and expected life are each line's
  std::shared_ptr<net::TlsKeys> tls = nullptr;  // null: plain
  net::Keepalive keepalive = {};
  net::LaneBounds bounds = {};
};

struct LineOptions {
  net::Lane lane = net::Lane::kUsers;
  std::function<StatusOr<MemberAddress>()> find = nullptr;
  // The member may be another one after a call got no answer, as the master: its address is looked
  // up again, and another channel is made if it differs.
  bool finds_again = false;
  // A connection that has ended is made again by the next call. Without it the line ends.
  bool reconnects = true;
};

class Line {
 public:
  Line(LineSettings settings, LineOptions options)
      : settings_(std::move(settings)), options_(std::move(options)) {}

  // Returns the encoded reply.
  [[nodiscard]] StatusOr<std::string> Call(Method method, const CallRule& rule,
                                           std::string_view call, const CallOptions& options);
  // Errors of the stream come with its first part.
  [[nodiscard]] StatusOr<std::unique_ptr<PartStream>> Open(Method method, std::string request,
                                                           const CallOptions& options);
  engine::Clock* clock() const { return settings_.clock; }
  // The line has ended, for one that does not reconnect.
  bool is_over();

 private:
  StatusOr<std::shared_ptr<net::Channel>> Reach();
  StatusOr<std::shared_ptr<net::Channel>> NewChannel(const MemberAddress& address) const;
  // What the caller of a call gets that failed so.
  Status Heard(const Status& failure);

  const LineSettings settings_;
  const LineOptions options_;
  engine::Mutex mutex_;
  std::shared_ptr<net::Channel> channel_ GUARDED_BY(mutex_);
  MemberAddress address_ GUARDED_BY(mutex_);     // of channel_
  bool is_in_doubt_ GUARDED_BY(mutex_) = false;  // the address may be another one by now
};

}  // namespace sippar::cluster
