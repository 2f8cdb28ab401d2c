// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/session_terms.h"

#include <fmt/format.h>

namespace sippar::cluster::zookeeper {
namespace {

constexpr int64_t kTicksMin = 4;

}  // namespace

SessionPhase NextPhase(SessionPhase phase, int state) {
  if (phase != SessionPhase::kConnecting && phase != SessionPhase::kConnected) return phase;
  if (state == kStateConnected) return SessionPhase::kConnected;
  if (state == kStateExpired) return SessionPhase::kOver;
  if (state == kStateAuthFailed) return SessionPhase::kRefused;
  return SessionPhase::kConnecting;
}

int64_t TickOfShortestSession(int64_t shortest_us) { return (shortest_us + 1) / 2; }

Status CheckTimeout(int64_t timeout_us, int64_t tick_us) {
  if (timeout_us >= kTicksMin * tick_us) return OkStatus();
  return InvalidArgument(fmt::format(
      "ZooKeeper session: timeout {} ms is too short (a tick of the members is {} ms, and {} ticks "
      "are needed); ask for {} ms, or lower tickTime of the members and see that their "
      "maxSessionTimeout allows it",
      timeout_us / 1000, tick_us / 1000, kTicksMin, kTicksMin * tick_us / 1000));
}

int64_t OverAtNanos(int64_t sent_nanos, int64_t timeout_us, int64_t tick_us) {
  return sent_nanos + (timeout_us - tick_us) * 1000;
}

int64_t CallNanos(int64_t timeout_us) { return timeout_us * 1000 / 3; }

}  // namespace sippar::cluster::zookeeper
