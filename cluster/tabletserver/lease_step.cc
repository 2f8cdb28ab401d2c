// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/lease_step.h"

#include <algorithm>

namespace sippar::cluster {
namespace {

int64_t Tenths(const LeaseState& state, int64_t n) { return state.timeout_nanos / 10 * n; }

void Renew(LeaseState* state, int64_t over_at_nanos) {
  // Keeps the later time, because the answer to an earlier heartbeat may come last.
  state->serve_until_nanos = std::max(state->serve_until_nanos, over_at_nanos - Tenths(*state, 2));
  state->confirm_by_nanos = state->serve_until_nanos + Tenths(*state, 1);
  state->phase = LeasePhase::kHeld;
}

void StopServing(LeaseState* state, LeasePhase phase, int64_t now_nanos) {
  state->phase = phase;
  // Only lowers the time: a step that stops serving must not extend the lease.
  state->serve_until_nanos = std::min(state->serve_until_nanos, now_nanos);
  // The driver publishes this value only after on_change has returned, when serving has stopped.
  // From then on the watchdog has nothing to wait for.
  state->confirm_by_nanos = INT64_MAX;
}

}  // namespace

LeaseState StartLease(int64_t timeout_nanos, int64_t over_at_nanos) {
  LeaseState state;
  state.timeout_nanos = timeout_nanos;
  Renew(&state, over_at_nanos);
  state.ask_at_nanos = over_at_nanos - Tenths(state, 8);
  return state;
}

LeaseState StepLease(const LeaseState& state, const LeaseEvent& event, int64_t now_nanos) {
  LeaseState next = state;
  if (state.phase == LeasePhase::kGone) return next;
  switch (event.kind) {
    case LeaseEvent::kTick:
    case LeaseEvent::kNoAnswer:
      break;
    case LeaseEvent::kSent:
      next.ask_at_nanos = now_nanos + Tenths(state, 2);
      break;
    case LeaseEvent::kAlive:
      Renew(&next, event.over_at_nanos);
      break;
    case LeaseEvent::kOver:
      // Tries at once to take the lock again, and then at the pace of heartbeats.
      if (state.phase != LeasePhase::kLost) next.ask_at_nanos = now_nanos;
      StopServing(&next, LeasePhase::kLost, now_nanos);
      break;
    case LeaseEvent::kFileGone:
      StopServing(&next, LeasePhase::kGone, now_nanos);
      break;
  }
  if (next.phase == LeasePhase::kHeld && now_nanos >= next.serve_until_nanos) {
    StopServing(&next, LeasePhase::kSilent, now_nanos);
  }
  return next;
}

LeaseAction NextAction(const LeaseState& state, int64_t now_nanos) {
  if (state.phase == LeasePhase::kGone) return LeaseAction::kEnd;
  if (now_nanos < state.ask_at_nanos) return LeaseAction::kWait;
  return state.phase == LeasePhase::kLost ? LeaseAction::kRegain : LeaseAction::kAsk;
}

int64_t WakeAt(const LeaseState& state) {
  return state.phase == LeasePhase::kHeld ? std::min(state.ask_at_nanos, state.serve_until_nanos)
                                          : state.ask_at_nanos;
}

const char* PhaseName(LeasePhase phase) {
  switch (phase) {
    case LeasePhase::kHeld:
      return "held";
    case LeasePhase::kSilent:
      return "silent";
    case LeasePhase::kLost:
      return "lost";
    case LeasePhase::kGone:
      return "gone";
  }
  return "";
}

}  // namespace sippar::cluster
