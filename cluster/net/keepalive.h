// Decides when a silent connection gets a ping, and when it is closed. Between members these times
// are one third and two thirds of a lease, so that the connection to a frozen member is closed
// before its lease ends; a client that can go on at another member does the same, and one with a
// session of the lock service takes them from the session's timeout. Unix sockets have no keepalive
// (Never), other connections the default times below. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace sippar::net {

struct Keepalive {
  static constexpr int64_t kYearUs = int64_t{365} * 86'400 * 1'000'000;

  int64_t ask_after_us = 10'000'000;    // silence after which a ping is sent
  int64_t leave_after_us = 40'000'000;  // silence that ends the connection, 30 s after the ping
  // True: if the hello of the other end tells its lease, the times of that lease replace these.
  bool follows_lease = false;

  // The times for unix sockets. The kernel reports the end of a peer, and a peer that is only
  // stopped for a while should keep its connection.
  static Keepalive Never() { return {kYearUs, 2 * kYearUs}; }
  static Keepalive OfLease(int64_t lease_us) { return {lease_us / 3, lease_us * 2 / 3}; }
  // The times for a client that can go on at another member: those of the member's lease, or of
  // the usual lease of 6 s if the member does not tell its own.
  static Keepalive OfTheirLease() { return {2'000'000, 4'000'000, true}; }
  // The times to use with an end whose hello has this lease. A lease of less than a second would
  // end connections to members that are only busy.
  Keepalive With(int64_t their_lease_us) const {
    constexpr int64_t kLeaseMinUs = 1'000'000;
    if (!follows_lease || their_lease_us <= 0) return *this;
    return OfLease(std::max(their_lease_us, kLeaseMinUs));
  }
};

enum class SilenceStep : uint8_t { kNone, kAsk, kLeave };

struct SilenceLook {
  SilenceStep step = SilenceStep::kNone;
  int64_t next_look_us = 0;  // time until LookAtSilence must be called again
};

// `silent_us`: time since the last byte from the peer. `was_asked`: a ping was sent in this time.
inline SilenceLook LookAtSilence(const Keepalive& keepalive, int64_t silent_us, bool was_asked) {
  if (silent_us >= keepalive.leave_after_us) return {SilenceStep::kLeave, 0};
  bool ask = silent_us >= keepalive.ask_after_us;
  int64_t next = ask ? keepalive.leave_after_us : keepalive.ask_after_us;
  return {ask && !was_asked ? SilenceStep::kAsk : SilenceStep::kNone,
          std::max<int64_t>(next - silent_us, 1)};
}

}  // namespace sippar::net
