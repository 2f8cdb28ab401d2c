// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/session_terms.h"

#include <fmt/format.h>

#include <string>

namespace sippar::cluster::zookeeper {
namespace {

constexpr int64_t kTicksMin = 4;
constexpr int64_t kTimeoutsUntilForgotten = 3;

// Prints a time in the form that `sippar serve --lease` accepts.
std::string Duration(int64_t micros) {
  return micros % 1'000'000 == 0 ? fmt::format("{}s", micros / 1'000'000)
                                 : fmt::format("{}ms", micros / 1'000);
}

}  // namespace

SessionPhase NextPhase(SessionPhase phase, int state) {
  if (phase != SessionPhase::kConnecting && phase != SessionPhase::kConnected) return phase;
  if (state == kStateConnected) return SessionPhase::kConnected;
  if (state == kStateExpired) return SessionPhase::kOver;
  if (state == kStateAuthFailed) return SessionPhase::kRefused;
  return SessionPhase::kConnecting;
}

int64_t TickOfShortestSession(int64_t shortest_us) { return (shortest_us + 1) / 2; }

// Compares milliseconds, because the client can ask only for whole ones.
Status CheckGranted(int64_t asked_us, int64_t granted_us) {
  if (granted_us / 1000 >= asked_us / 1000) return OkStatus();
  return InvalidArgument(fmt::format(
      "ZooKeeper session: its members grant {} ms ({} ms were asked for, and maxSessionTimeout of "
      "the members allows no more); set their maxSessionTimeout to {}, or ask for less "
      "(sippar serve --lease {})",
      granted_us / 1000, asked_us / 1000, asked_us / 1000, Duration(granted_us)));
}

Status CheckTimeout(int64_t timeout_us, int64_t tick_us) {
  if (timeout_us >= kTicksMin * tick_us) return OkStatus();
  return InvalidArgument(fmt::format(
      "ZooKeeper session: timeout {} ms is too short (a tick of the members is {} ms, and {} ticks "
      "are needed); ask for more (sippar serve --lease {}), or lower tickTime of the members to {} "
      "and see that their maxSessionTimeout, 20 ticks by default, still allows all sessions",
      timeout_us / 1000, tick_us / 1000, kTicksMin, Duration(kTicksMin * tick_us),
      timeout_us / 1000 / kTicksMin));
}

int64_t OverAtNanos(int64_t sent_nanos, int64_t timeout_us, int64_t tick_us) {
  return sent_nanos + (timeout_us - tick_us) * 1000;
}

bool IsForgotten(int64_t lost_nanos, int64_t now_nanos, int64_t timeout_us) {
  return now_nanos - lost_nanos > kTimeoutsUntilForgotten * timeout_us * 1000;
}

int64_t CallNanos(int64_t timeout_us) { return timeout_us * 1000 / 3; }

}  // namespace sippar::cluster::zookeeper
