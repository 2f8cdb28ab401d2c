// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/recover_step.h"

#include <algorithm>

#include "cluster/master/decide/tablet_step.h"

namespace sippar::cluster::master {
namespace {

// Segments that one server sorts concurrently.
constexpr size_t kSortsPerServer = 2;

// Returns the recovery that waits for `op`; nullptr: the answer belongs to an earlier attempt.
Recovery* Answered(Turn* turn, const ServerId& id, uint64_t op) {
  Server* server = turn->state->FindServer(id);
  if (server == nullptr || !server->recovery || server->recovery->attempt.op != op) return nullptr;
  server->recovery->attempt.op = 0;
  return &*server->recovery;
}

void WakeTablets(Turn* turn, const Server& server) {
  for (const auto& [id, tablet] : server.tablets) turn->state->dirty.insert(id);
}

// Records that the fenced server no longer serves its tablets: its earlier reports no longer count.
void Unserve(Turn* turn, const ServerId& id) {
  const Server* server = turn->state->FindServer(id);
  if (server == nullptr) return;
  for (const auto& [tablet_id, tablet] : server->tablets) SetUnserved(turn, tablet);
}

void EndStage(Turn* turn, const ServerId& id, const event::Done& done, RecoveryStage next) {
  Recovery* recovery = Answered(turn, id, done.op);
  if (recovery == nullptr) return;
  if (!done.status.ok()) {
    recovery->error = std::string(MessageOf(done.status));
    return turn->Failed(&recovery->attempt);
  }
  recovery->attempt = Attempt();
  // The error of a sort that failed stays true until that sort succeeds.
  const bool sort_failed = std::any_of(recovery->parts.begin(), recovery->parts.end(),
                                       [](const auto& part) { return part.second.failures > 0; });
  if (!sort_failed) recovery->error.clear();
  recovery->stage = next;
  Server* server = turn->state->FindServer(id);
  // The tablets wait for these two stages: after the rename their records may change to
  // kRecovering, and after the log is sorted they can be published.
  if (next == RecoveryStage::kSeal || next == RecoveryStage::kReady) WakeTablets(turn, *server);
  Recover(turn, server);
}

void TakeSealed(const SealedLog& log, Recovery* recovery) {
  if (recovery->last_sequences.empty()) {
    recovery->last_sequences = log.last_sequences;
    for (uint64_t segment : log.segments) recovery->parts[segment];
    return;
  }
  // Sealed before: a sort has failed since. Segments of a log that was swept need no sort. The last
  // sequences stay: a tablet that needs the log must name it, even if the log is lost.
  std::erase_if(recovery->parts, [&](const auto& part) {
    return std::find(log.segments.begin(), log.segments.end(), part.first) == log.segments.end();
  });
}

// Distributes the segments over the live servers. Whenever a segment is sorted, Recover calls this
// again.
void Sort(Turn* turn, Server* dead) {
  Recovery* recovery = &*dead->recovery;
  if (recovery->parts.empty() || !turn->state->options.sorts_logs) {
    recovery->parts.clear();
    recovery->stage = RecoveryStage::kReady;
    return WakeTablets(turn, *dead);
  }
  std::vector<ServerId> sorters;
  for (const auto& [id, server] : turn->state->servers) {
    if (server.Answers()) sorters.push_back(id);
  }
  size_t under_way = 0;
  for (const auto& [segment, part] : recovery->parts) under_way += part.op != 0 ? 1 : 0;
  for (auto& [segment, part] : recovery->parts) {
    if (under_way >= sorters.size() * kSortsPerServer) return;
    if (part.Waits(turn->now_us)) continue;
    // Chooses a different server after each failure, in case the server is the reason for it.
    const ServerId& sorter = sorters[(segment + part.failures) % sorters.size()];
    turn->Ask(&part, action::SortLogPart{sorter, dead->id, segment});
    ++under_way;
  }
}

}  // namespace

void StartRecovery(Turn* turn, Server* server, bool by_force) {
  if (server->recovery) return;
  server->live = false;
  server->recovery.emplace();
  server->recovery->by_force = by_force;
  server->recovery->since_us = turn->now_us;
  Recover(turn, server);
}

void Recover(Turn* turn, Server* server) {
  Recovery* recovery = &*server->recovery;
  if (recovery->attempt.Waits(turn->now_us)) return;
  switch (recovery->stage) {
    case RecoveryStage::kFence:
      return turn->Ask(&recovery->attempt, action::FenceServer{server->id, recovery->by_force});
    case RecoveryStage::kStop:
      return turn->Ask(&recovery->attempt, action::StopWriter{server->id});
    case RecoveryStage::kRename:
      return turn->Ask(&recovery->attempt, action::RenameLog{server->id});
    case RecoveryStage::kSeal:
      return turn->Ask(&recovery->attempt, action::SealLog{server->id});
    case RecoveryStage::kSort:
      return Sort(turn, server);
    case RecoveryStage::kReady:
      return;
  }
}

bool IsOver(const MasterState& state, const Server& server) {
  // Until all of METADATA has been read and no hole is left, unknown records may still name the
  // server.
  return server.recovery && server.recovery->stage == RecoveryStage::kReady &&
         server.tablets.empty() && server.loads == 0 && state.holes.empty() &&
         state.stage == StartStage::kRunning;
}

void OnDone(Turn* turn, const action::FenceServer& asked, const event::Done& done) {
  if (done.status.code() != StatusCode::kAlreadyExists) {
    if (done.status.ok()) Unserve(turn, asked.server);
    return EndStage(turn, asked.server, done, RecoveryStage::kStop);
  }
  // The server holds its lock, perhaps again after an interruption, so it is alive. Nothing was
  // done to it.
  if (Answered(turn, asked.server, done.op) == nullptr) return;
  Server* server = turn->state->FindServer(asked.server);
  server->recovery.reset();
  server->live = true;
  server->next_ask_us = 0;
  // It may have been silent because it had no lock, so its silence begins again.
  if (server->silent_since_us != 0) server->silent_since_us = turn->now_us;
  WakeTablets(turn, *server);
  LookAtUnplaced(turn);
}

void OnDone(Turn* turn, const action::StopWriter& asked, const event::Done& done) {
  EndStage(turn, asked.server, done, RecoveryStage::kRename);
}

void OnDone(Turn* turn, const action::RenameLog& asked, const event::Done& done) {
  Server* server = turn->state->FindServer(asked.server);
  const auto* crash = std::get_if<CrashNote>(&done.answer);
  if (server != nullptr && server->recovery && server->recovery->attempt.op == done.op &&
      crash != nullptr) {
    server->recovery->crash = *crash;
  }
  EndStage(turn, asked.server, done, RecoveryStage::kSeal);
}

void OnDone(Turn* turn, const action::SealLog& asked, const event::Done& done) {
  Server* server = turn->state->FindServer(asked.server);
  const auto* log = std::get_if<SealedLog>(&done.answer);
  if (server != nullptr && server->recovery && server->recovery->attempt.op == done.op &&
      log != nullptr) {
    TakeSealed(*log, &*server->recovery);
  }
  EndStage(turn, asked.server, done, RecoveryStage::kSort);
}

void OnDone(Turn* turn, const action::SortLogPart& asked, const event::Done& done) {
  Server* dead = turn->state->FindServer(asked.dead);
  if (dead == nullptr || !dead->recovery) return;
  auto part = dead->recovery->parts.find(asked.segment);
  if (part == dead->recovery->parts.end() || part->second.op != done.op) return;
  if (done.status.ok()) {
    dead->recovery->parts.erase(part);
  } else {
    dead->recovery->error = std::string(MessageOf(done.status));
    turn->Failed(&part->second);
    // The sweep may have taken the log since it was sealed: a record that names this server only
    // now was written late, and was not there when the sweep read METADATA. SealLog tells whether.
    if (dead->recovery->stage == RecoveryStage::kSort) dead->recovery->stage = RecoveryStage::kSeal;
  }
  Recover(turn, dead);
}

}  // namespace sippar::cluster::master
