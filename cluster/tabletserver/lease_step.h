// A server's own view of its lease (paper section 5.2, PROTOCOL.md): what each answer to a
// heartbeat, and each silence, means. Pure functions; lease_driver.h acts on their results. All
// times are nanoseconds of the server's monotonic clock. The times below count from the SEND time
// of the last good heartbeat; T is the session's timeout:
//   0.2 T  the next heartbeat is sent, so several may be lost before serving stops
//   0.8 T  serving stops. The service ends the session at T at the earliest, so no other server
//          serves yet, as long as the rates of the two clocks differ by less than 20 %
//   0.9 T  the driver has confirmed that serving has stopped. If it has not within another T/2 of
//          running time, it hangs, perhaps in a call to a file system that has shut this server
//          out, and the watchdog ends the process
//
// A server that stopped in time keeps asking: the session may still be alive, because only the lock
// service was unreachable, or a new session can take the file's lock. When the file is gone, the
// master is assigning the tablets to other servers, and the process ends. Late reads and
// acknowledgements are prevented by serve_until alone: each compares it with the clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sippar::cluster {

enum class LeasePhase : uint8_t {
  kHeld,    // the last good heartbeat was sent less than 0.8 T ago: serving
  kSilent,  // no answer for so long that the session may be over: not serving, still asking
  kLost,    // the session is over: not serving, trying to take the file's lock again
  kGone,    // the file or the cluster is gone, or has another store: not serving, for good
};

struct LeaseState {
  int64_t timeout_nanos = 0;
  LeasePhase phase = LeasePhase::kHeld;
  int64_t serve_until_nanos = 0;  // reads are answered, writes acknowledged, only before this
  int64_t confirm_by_nanos = 0;   // after this, the watchdog counts how long the driver hangs
  int64_t ask_at_nanos = 0;       // time of the next heartbeat or attempt to take the lock
};

struct LeaseEvent {
  enum Kind : uint8_t {
    kTick,      // time has passed
    kSent,      // a heartbeat, or an attempt to take the lock, is being sent
    kAlive,     // good answer: the session lives until `over_at_nanos`, and it holds the lock
    kNoAnswer,  // the heartbeat or the attempt failed or timed out
    kOver,      // the session is over, or another session holds the lock
    kFileGone,
  };
  Kind kind = kTick;
  int64_t over_at_nanos = 0;  // kAlive: send time of the heartbeat plus the timeout
};

enum class LeaseAction : uint8_t {
  kWait,    // wait until ask_at or, while serving, serve_until
  kAsk,     // send a heartbeat
  kRegain,  // open a new session and take the file's lock
  kEnd,     // end the process
};

// Returns the state after the first good heartbeat.
LeaseState StartLease(int64_t timeout_nanos, int64_t over_at_nanos);
LeaseState StepLease(const LeaseState& state, const LeaseEvent& event, int64_t now_nanos);
// Chooses what to do at `now_nanos`. The driver does it and passes the outcome to StepLease.
LeaseAction NextAction(const LeaseState& state, int64_t now_nanos);
// Time at which the driver must make its next step if no event comes before that.
int64_t WakeAt(const LeaseState& state);
const char* PhaseName(LeasePhase phase);

}  // namespace sippar::cluster
