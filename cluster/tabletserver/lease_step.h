// A server's own view of its lease (paper section 5.2, PROTOCOL.md): what each answer to a
// heartbeat, and each silence, means. Pure: times of the server's monotonic clock in, state out;
// lease_driver.h acts. With T the session's timeout, counted from the SEND time of the last good
// heartbeat:
//   0.2 T  the next heartbeat; so four may be lost
//   0.8 T  stop serving. The service ends the session at T at the earliest, so this holds as long
//          as the rates of the two clocks differ by less than 20 %
//   0.9 T  the driver has confirmed that serving has stopped; if it then takes another T/2 of
//   waking
//          time, it hangs, perhaps in a call to a file system that has shut us out, and the
//          watchdog ends the process
//
// A server that stopped in time goes on asking: the session may still be alive (the lock service
// was away), or a new session gets the file's lock; when the file is gone, its tablets are being
// given away, and the process ends. That nothing is acknowledged or read late rests on serve_until
// alone, which every acknowledgement and read compares with the clock itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sippar::cluster {

enum class LeasePhase : uint8_t {
  kHeld,    // the last answer was good, and it is not 0.8 T old
  kSilent,  // no answer for so long that it may be over: not serving, asking on
  kLost,    // the session is over: not serving, trying to get the file's lock back
  kGone,    // the file is gone: not serving, for good
};

struct LeaseState {
  int64_t timeout_nanos = 0;
  LeasePhase phase = LeasePhase::kHeld;
  int64_t serve_until_nanos = 0;  // answers and acknowledgements only before it
  int64_t confirm_by_nanos = 0;   // after it the watchdog counts
  int64_t ask_at_nanos = 0;       // next heartbeat, or next try to get the lock back
};

struct LeaseEvent {
  enum Kind : uint8_t {
    kTick,      // time has passed
    kSent,      // a heartbeat, or a try, leaves now
    kAlive,     // its answer: the session lives, the lock is ours; `over_at_nanos` says how long
    kNoAnswer,  // it failed or timed out
    kOver,      // the session is over, or somebody else has the lock
    kFileGone,
  };
  Kind kind = kTick;
  int64_t over_at_nanos = 0;  // of kAlive: send time + timeout
};

enum class LeaseAction : uint8_t {
  kWait,    // until ask_at or, while serving, serve_until
  kAsk,     // send a heartbeat
  kRegain,  // a new session, and the file's lock
  kEnd,     // end the process
};

// A lease from the first good heartbeat on.
LeaseState StartLease(int64_t timeout_nanos, int64_t over_at_nanos);
LeaseState StepLease(const LeaseState& state, const LeaseEvent& event, int64_t now_nanos);
// What to do at `now`; the driver carries it out and steps with what came of it.
LeaseAction NextAction(const LeaseState& state, int64_t now_nanos);
// When to look again if nothing happens before.
int64_t WakeAt(const LeaseState& state);
const char* PhaseName(LeasePhase phase);

}  // namespace sippar::cluster
