// Working memory of one call of Step: the state, the time, and the actions to return.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cluster/api/member_answer.h"
#include "cluster/api/outcome.h"
#include "cluster/master/decide/master_event.h"
#include "cluster/master/decide/master_state.h"

namespace sippar::cluster::master {

struct Turn {
  MasterState* state;
  int64_t now_us;
  std::vector<Action> actions;
  std::vector<uint64_t> to_place;  // tablets that the next PlaceTablets assigns
  std::set<ServerId> freed;        // servers where a load ended in this step, so another may begin

  // Adds an action; returns its number, which its answer will have.
  uint64_t Ask(ActionBody body) {
    uint64_t op = state->next_op++;
    state->awaited[op] = body;
    actions.push_back({op, std::move(body)});
    return op;
  }
  void Reply(uint64_t request, Status status) {
    if (request != 0) actions.push_back({0, action::Reply{request, std::move(status)}});
  }
  void LookLater(uint64_t tablet_id, int64_t at_us) { state->timers.insert({at_us, tablet_id}); }

  // Returns the earliest time of the next attempt. The wait doubles with each failure, and half of
  // it is random, so that many tablets that failed together are not all retried at the same moment.
  int64_t RetryAt(uint32_t failures) {
    int64_t wait = state->options.retry_min_us;
    for (uint32_t i = 1; i < failures && wait < state->options.retry_max_us; ++i) wait *= 2;
    if (wait > state->options.retry_max_us) wait = state->options.retry_max_us;
    return now_us + wait / 2 +
           static_cast<int64_t>(state->random.Uniform(static_cast<uint64_t>(wait / 2 + 1)));
  }
  void Ask(Attempt* attempt, ActionBody body) { attempt->op = Ask(std::move(body)); }
  void Failed(Attempt* attempt) {
    attempt->op = 0;
    attempt->not_before_us = RetryAt(++attempt->failures);
  }
};

// True for a call to a server that got no answer at all. False for a call that the master itself
// has cancelled, because that says nothing about the server.
inline bool LacksAnswer(const Status& status) {
  return LacksOutcome(status) && status.code() != StatusCode::kCancelled && !IsAnswered(status);
}

}  // namespace sippar::cluster::master
