// What AdminApi reports about a cluster: its status, the events of its tablets, and the figures,
// compactions and traces of its servers.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cluster/api/call_traces.h"
#include "cluster/client/server_groups.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/lock/membership.h"
#include "cluster/master/act/cluster_admin.h"
#include "cluster/master/decide/cluster_health.h"
#include "engine/base/parallel.h"

namespace sippar::cluster::master {
namespace {

constexpr size_t kEventsMax = 10'000;

// Reads the file. If it does not exist, returns an empty LockFile, which has no holder.
StatusOr<LockFile> ReadIfThere(LockSession* session, const std::string& path) {
  auto file = session->Read(path, Freshness::kConsistent);
  if (file.status().code() == StatusCode::kNotFound) return LockFile();
  return file;
}

// Returns an empty MemberInfo if the file has no member record. A member that no other process
// calls writes none: for example, if one process is the whole cluster.
MemberInfo InfoOf(const std::string& content) {
  auto record = MemberRecord::Decode(content);
  if (!record.ok()) return MemberInfo();
  std::string address =
      record->port == 0 ? record->host : fmt::format("{}:{}", record->host, record->port);
  return {std::move(address), record->machine, record->pid, record->version};
}

Status AddMasters(LockSession* session, ClusterHealth* health) {
  ASSIGN_OR_RETURN(LockFile lock, ReadIfThere(session, lock_paths::MasterLock()));
  health->master.member = InfoOf(lock.content);
  ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session->ReadDirectory(lock_paths::Masters()));
  for (const auto& [name, file] : files) {
    if (file.holder == 0) continue;  // the candidate's process has ended
    MemberInfo member = InfoOf(file.content);
    const bool reigns = member.address == health->master.member.address;
    health->masters.push_back({name, std::move(member), reigns});
  }
  return OkStatus();
}

// Adds to each server what its file says. The file of a server that has ended was removed.
Status AddServers(LockSession* session, ClusterHealth* health) {
  ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session->ReadDirectory(lock_paths::Servers()));
  std::map<std::string, MemberInfo> members;
  for (const auto& [name, file] : files) members[name] = InfoOf(file.content);
  for (ServerStatus& server : health->servers) server.member = members[server.id.ToString()];
  return OkStatus();
}

// A table whose events are wanted, with the ranges and ids of its present tablets.
struct TableEvents {
  std::string name;
  uint64_t table_id = 0;
  std::map<std::string, std::pair<std::string, uint64_t>> tablets;  // start and id, by limit

  TabletEventInfo Describe(const PastEvent& past) const {
    TabletEventInfo event{past.time_us,    name,           {"", past.limit}, 0,
                          past.event.kind, past.event.text};
    auto tablet = tablets.find(past.limit);
    if (tablet == tablets.end()) return event;
    std::tie(event.range.start, event.tablet_id) = tablet->second;
    return event;
  }
};

TableEvents TableToAsk(MasterState* state, uint64_t table_id, std::string name) {
  TableEvents table{std::move(name), table_id, {}};
  for (const Tablet* tablet : state->tablets.OfTable(table_id)) {
    table.tablets[tablet->facts.range.limit] = {tablet->facts.range.start, tablet->facts.tablet_id};
  }
  return table;
}

std::vector<TableEvents> TablesToAsk(MasterState* state, const std::string& wanted) {
  std::vector<TableEvents> tables;
  if (wanted.empty() || wanted == kMetadataName) {
    tables.push_back(TableToAsk(state, kMetadataTableId, kMetadataName));
  }
  for (const auto& [id, table] : state->tables) {
    const std::string& name = table.record->schema.name;
    if (table.life != TableLife::kLive || (!wanted.empty() && name != wanted)) continue;
    tables.push_back(TableToAsk(state, id, name));
  }
  return tables;
}

// Sorts the events by time and drops the oldest if there are too many.
void KeepNewest(std::vector<TabletEventInfo>* events) {
  std::stable_sort(events->begin(), events->end(),
                   [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
  if (events->size() <= kEventsMax) return;
  events->erase(events->begin(), events->end() - static_cast<std::ptrdiff_t>(kEventsMax));
}

}  // namespace

StatusOr<ClusterHealth> ClusterAdmin::Perform(const calls::ClusterStatus&, const CallTime& time) {
  ClusterHealth health;
  RETURN_IF_ERROR(driver_->LookInAnyStage([&](const std::string& name, const MasterState& state) {
    health = HealthOf(state, clock_->MonotonicNanos() / 1000);
    health.master.name = name;
  }));
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  ASSIGN_OR_RETURN(LockFile id, ReadIfThere(session.get(), lock_paths::ClusterId()));
  health.cluster.id = id.content;
  RETURN_IF_ERROR(AddMasters(session.get(), &health));
  RETURN_IF_ERROR(time.Check());
  RETURN_IF_ERROR(AddServers(session.get(), &health));
  return health;
}

StatusOr<std::vector<TabletEventInfo>> ClusterAdmin::Perform(const calls::TabletEvents& asked,
                                                             const CallTime& time) {
  std::vector<TableEvents> tables;
  RETURN_IF_ERROR(
      driver_->Look([&](MasterState& state) { tables = TablesToAsk(&state, asked.table); }));
  if (tables.empty()) return NotFound(fmt::format("table {} not found", asked.table));
  std::vector<TabletEventInfo> events;
  for (const TableEvents& table : tables) {
    RETURN_IF_ERROR(time.Check());
    ASSIGN_OR_RETURN(std::vector<PastEvent> past, metadata_->Events(table.table_id));
    for (const PastEvent& event : past) events.push_back(table.Describe(event));
    KeepNewest(&events);
  }
  return events;
}

template <class Call, class Add>
StatusOr<std::vector<ServerId>> ClusterAdmin::AskServers(const Call& asked, const CallTime& time,
                                                         const Add& add) {
  ASSIGN_OR_RETURN(std::vector<ServerId> live, LiveServers());
  std::vector<StatusOr<typename Call::Reply>> answers(live.size());
  engine::RunParallel(kServersAtOnce, live.size(), [&](size_t i) {
    // The caller may have stopped waiting while earlier servers were asked.
    const Status in_time = time.Check();
    if (in_time.ok()) {
      answers[i] = transport_->Control(live[i])->Do(asked, time.Part(kFiguresWaitUs));
    } else {
      answers[i] = in_time;
    }
  });
  RETURN_IF_ERROR(time.Check());
  std::vector<ServerId> silent;
  for (size_t i = 0; i < live.size(); ++i) {
    // The server runs the previous version, which does not know the call.
    const StatusCode code = answers[i].status().code();
    if (code == StatusCode::kUnimplemented) continue;
    if (code == StatusCode::kUnavailable || code == StatusCode::kDeadlineExceeded) {
      silent.push_back(live[i]);
      continue;
    }
    RETURN_IF_ERROR(answers[i].status());
    add(*std::move(answers[i]));
  }
  if (silent.empty()) return silent;
  // The connection to a silent server may end before kFiguresWaitUs is over, so the failures do not
  // tell such a server from one that has ended; their locks do. If the locks cannot be read, no
  // server is known to have ended.
  ASSIGN_OR_RETURN(std::shared_ptr<LockSession> session, driver_->Session());
  const StatusOr<std::set<ServerId>> lives = LivesWithLocks(session.get());
  if (!lives.ok()) return silent;
  std::erase_if(silent, [&](const ServerId& server) { return !lives->contains(server); });
  return silent;
}

StatusOr<std::map<std::string, uint64_t>> ClusterAdmin::Perform(const calls::Metrics& asked,
                                                                const CallTime& time) {
  std::map<std::string, uint64_t> sums;
  ASSIGN_OR_RETURN(std::vector<ServerId> silent, AskServers(asked, time, [&](const auto& metrics) {
                     for (const auto& [name, value] : metrics) sums[name] += value;
                   }));
  sums["silent_servers"] = silent.size();
  RETURN_IF_ERROR(
      driver_->Look([&](MasterState& state) { sums["sweep_errors"] = state.sweep_errors; }));
  return sums;
}

StatusOr<std::vector<CompactionInfo>> ClusterAdmin::Perform(const calls::Compactions& asked,
                                                            const CallTime& time) {
  std::vector<CompactionInfo> all;
  ASSIGN_OR_RETURN(std::vector<ServerId> silent,
                   AskServers(asked, time, [&](std::vector<CompactionInfo> compactions) {
                     for (CompactionInfo& info : compactions) all.push_back(std::move(info));
                   }));
  for (const ServerId& server : silent) {
    all.emplace_back().status = fmt::format("server {}: no answer", server.ToString());
  }
  return all;
}

StatusOr<std::vector<CallTraceInfo>> ClusterAdmin::Perform(const calls::Traces& asked,
                                                           const CallTime& time) {
  std::vector<CallTraceInfo> all;
  auto add = [&](std::vector<CallTraceInfo> traces) { MergeTraces(std::move(traces), &all); };
  RETURN_IF_ERROR(AskServers(asked, time, add).status());
  SortTraces(&all);
  return all;
}

StatusOr<std::vector<HotTablet>> ClusterAdmin::Perform(const calls::HotTablets& asked,
                                                       const CallTime& time) {
  std::vector<HotTablet> all;
  auto add = [&](const std::vector<HotTablet>& hot) {
    all.insert(all.end(), hot.begin(), hot.end());
  };
  RETURN_IF_ERROR(AskServers(asked, time, add).status());
  return all;
}

}  // namespace sippar::cluster::master
