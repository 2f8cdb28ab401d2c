// State of a session as its client sees it, and rules for its timeout and for the tick of the
// members. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace sippar::cluster::zookeeper {

enum class SessionPhase : uint8_t {
  kConnecting,  // no member is connected; calls wait for one
  kConnected,   // as far as the client knows: it notices a silent member after 2/3 of a timeout
  kOver,        // the service has ended the session, or IsForgotten is true for it
  kRefused,     // a member refused the credentials; the client gives up
  kClosed,      // closed by this process
};
// Returns the phase after the client has reported `state`, a state of zookeeper.h. No state changes
// the last three phases.
SessionPhase NextPhase(SessionPhase phase, int state);
// States of zookeeper.h, repeated here so that this file need not include it. zookeeper.h has them
// as variables, so ZooKeeperHandle::Open compares them with these.
inline constexpr int kStateConnected = 3;
inline constexpr int kStateExpired = -112;
inline constexpr int kStateAuthFailed = -113;

// An upper bound of the members' tick: half of the shortest session that they grant, rounded up.
// ZooKeeper's default for the shortest session (minSessionTimeout) is two ticks. If an operator set
// it higher, the bound is too large, which is safe. Sippar requires that it is not set lower.
int64_t TickOfShortestSession(int64_t shortest_us);

// kInvalidArgument: the members gave a session a shorter time than `asked_us`. Its owner and other
// processes count on the time that was asked for (leases, how long a dead server is waited for).
[[nodiscard]] Status CheckGranted(int64_t asked_us, int64_t granted_us);

// kInvalidArgument: `timeout_us` is less than four ticks. The leader learns only once a tick
// which sessions the other members have heard from.
[[nodiscard]] Status CheckTimeout(int64_t timeout_us, int64_t tick_us);

// The earliest time at which a session can be over if its last heartbeat was sent at `sent_nanos`
// and was committed. A member tells the leader once a tick at the latest which sessions it heard
// from; if it is cut off right after the commit, the leader counts from the tick before.
int64_t OverAtNanos(int64_t sent_nanos, int64_t timeout_us, int64_t tick_us);

// True if a session whose connection was lost at `lost_nanos` counts as over. Members that have
// heard nothing of a session for its timeout end it and say so to a client that comes back. But a
// member that has lost its data closes each connection of a client that has seen later transactions
// than the member has. Without this rule such a session would never be over. The wait is longer
// than a timeout because a session survives a short outage of all members and should be kept then.
bool IsForgotten(int64_t lost_nanos, int64_t now_nanos, int64_t timeout_us);

// The time within which each call of a session answers, in nanoseconds.
int64_t CallNanos(int64_t timeout_us);

}  // namespace sippar::cluster::zookeeper
