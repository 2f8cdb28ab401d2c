// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/silence_step.h"

#include <algorithm>
#include <functional>

#include "cluster/master/decide/recover_step.h"

namespace sippar::cluster::master {
namespace {

// Since when the live servers have answered this master.
struct Heard {
  int64_t from_one_us = 0;   // time of the latest answer
  int64_t from_most_us = 0;  // latest time since which more than half of them have answered
};

Heard HeardFrom(const MasterState& state) {
  std::vector<int64_t> answers;
  for (const auto& [id, server] : state.servers) {
    if (server.live) answers.push_back(server.reported_us);
  }
  if (answers.empty()) return {};
  const auto middle = answers.begin() + static_cast<std::ptrdiff_t>(answers.size() / 2);
  std::nth_element(answers.begin(), middle, answers.end(), std::greater<>());
  return {*std::max_element(answers.begin(), middle + 1), *middle};
}

// While this master is alone or with a minority, it cannot tell whose network is broken. So that
// time does not count as silence of a server: when the network is mended, each server has the full
// limit left for its first answer, whatever the order in which the servers are reached.
void NoteCompany(MasterState* state, int64_t now_us) {
  size_t live = 0, answering = 0;
  for (const auto& [id, server] : state->servers) {
    live += server.live ? 1 : 0;
    answering += server.Answers() ? 1 : 0;
  }
  if (answering == 0) state->alone_us = now_us;
  if (2 * answering <= live) state->minority_us = now_us;
}

// True if the server must be removed now. If this depends on answers that have not come yet,
// *ask_us is raised to the time since which they are needed.
bool MustGo(const Turn& turn, const Server& server, const Heard& heard, int64_t* ask_us) {
  const MasterState& state = *turn.state;
  const MasterOptions& options = state.options;
  auto has_lasted = [&](int64_t since_us, int64_t limit_us, int64_t heard_us) {
    const int64_t due_us = since_us + limit_us;
    if (turn.now_us < due_us) return false;
    if (heard_us < due_us) *ask_us = std::max(*ask_us, due_us);
    return heard_us >= due_us;
  };
  int64_t unanswered_us = 0;
  for (const auto& [tablet_id, since_us] : server.unanswered) {
    if (unanswered_us == 0 || since_us < unanswered_us) unanswered_us = since_us;
  }
  if (unanswered_us != 0 &&
      has_lasted(unanswered_us, options.unanswered_fence_us, server.reported_us)) {
    return true;
  }
  const int64_t silent_us = server.silent_since_us;
  if (silent_us == 0) return false;
  // The removal of a server without tablets would help nobody, and its next life would be as
  // silent.
  if (!server.tablets.empty() && has_lasted(std::max(silent_us, state.minority_us),
                                            options.silent_fence_us, heard.from_most_us)) {
    return true;
  }
  return has_lasted(std::max(silent_us, state.alone_us), options.lone_fence_us, heard.from_one_us);
}

}  // namespace

void RemoveSilent(Turn* turn) {
  MasterState* state = turn->state;
  NoteCompany(state, turn->now_us);
  const bool all_answer =
      std::all_of(state->servers.begin(), state->servers.end(), [](const auto& entry) {
        const Server& server = entry.second;
        return !server.live || (server.silent_since_us == 0 && server.unanswered.empty());
      });
  if (all_answer) return;
  const Heard heard = HeardFrom(*state);
  int64_t ask_us = 0;
  for (auto& [id, server] : state->servers) {
    if (server.live && MustGo(*turn, server, heard, &ask_us)) {
      StartRecovery(turn, &server, /*by_force=*/true);
    }
  }
  for (auto& [id, server] : state->servers) {
    if (server.live && server.reported_us < ask_us && server.asking.op == 0) {
      server.next_ask_us = std::min(server.next_ask_us, turn->now_us);
    }
  }
}

}  // namespace sippar::cluster::master
