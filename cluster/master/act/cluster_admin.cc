// AdminApi of a cluster. Calls on named records are in cluster_records.cc, on status and events in
// cluster_figures.cc, on moves of tablets and standing orders in cluster_moves.cc.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/cluster_admin.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/api/call_traces.h"
#include "cluster/api/group_sums.h"
#include "cluster/net/failure.h"
#include "engine/model/change_config.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kMoveWaitMicros = 20'000;
// The limit of attempts of a call to a tablet. With the waits between the attempts, the call still
// succeeds if no server has the tablet for up to 10 s.
constexpr int kTriesMax = 500;

std::vector<RowRange> AllRows() { return {RowRange::All()}; }

TableInfo InfoOf(MasterState* state, const Table& table) {
  TableInfo info;
  info.schema = table.record->schema;
  info.table_id = table.record->table_id;
  info.schema_version = table.record->schema_version;
  info.changed_at_us = table.record->changed_at_us;
  info.tablet_count = state->tablets.OfTable(info.table_id).size();
  return info;
}

Status NoTable(const std::string& table) {
  return NotFound(fmt::format("table {} not found", table));
}

}  // namespace

ClusterAdmin::ClusterAdmin(MasterDriver* driver, const ActionPlaces& places)
    : driver_(driver),
      transport_(places.transport),
      metadata_(places.metadata),
      clock_(places.clock),
      backups_(driver, this, places,
               [this](const TableSchema& schema, std::vector<engine::TabletState> states,
                      const CallTime& time) {
                 return Create({schema, {}}, std::move(states), time);
               }),
      statements_(places.clock) {}

void ClusterAdmin::Carry(const AnyCall& call, const CallOptions& options) {
  const CallTime time(clock_, options);
  if (Status in_time = time.Check(); !in_time.ok()) return Refuse(call, in_time);
  AnswerBy(call, [&](const auto& asked) {
    if constexpr (requires { backups_.Perform(asked, time); }) {
      return backups_.Perform(asked, time);
    } else if constexpr (requires { statements_.Perform(asked); }) {
      return statements_.Perform(asked);
    } else {
      return Perform(asked, time);
    }
  });
}

Status ClusterAdmin::Perform(const calls::CreateTable& asked, const CallTime& time) {
  return Create(asked, {}, time);
}

Status ClusterAdmin::Create(const calls::CreateTable& asked,
                            std::vector<engine::TabletState> states, const CallTime& time) {
  TableSchema normal = asked.schema;
  normal.Normalize();
  if (auto changes = engine::ChangeStreamOf(normal)) {
    RETURN_IF_ERROR(engine::ValidateChangeStream(normal));
    changes->since_us = clock_->NowMicros();
    engine::SetChangeStream(changes, &normal);
  }
  std::vector<std::shared_ptr<const engine::TabletState>> begin;
  for (engine::TabletState& state : states) {
    begin.push_back(std::make_shared<const engine::TabletState>(std::move(state)));
  }
  return driver_->Request(time, [&](uint64_t request) {
    return event::CreateTable{request, normal, asked.split_keys, clock_->NowMicros(), begin};
  });
}

Status ClusterAdmin::Alter(const TableSchema& schema, uint64_t expected_version,
                           const CallTime& time) {
  return driver_->Request(time, [&](uint64_t request) {
    return event::AlterTable{request, schema, expected_version, clock_->NowMicros()};
  });
}

// A change stream begins in two steps. First every tablet starts to keep its changes; then the
// table's schema records the start time, which is the first moment at which no tablet misses a
// change. If the second step does not happen, the caller must repeat the first.
Status ClusterAdmin::Perform(const calls::AlterTable& asked, const CallTime& time) {
  TableSchema normal = asked.schema;
  normal.Normalize();
  auto changes = engine::ChangeStreamOf(normal);
  if (!changes.has_value()) return Alter(normal, asked.expected_version, time);
  RETURN_IF_ERROR(engine::ValidateChangeStream(normal));
  ASSIGN_OR_RETURN(std::shared_ptr<const TableSchema> before,
                   Perform(calls::GetSchema{normal.name}, time));
  auto kept = engine::ChangeStreamOf(*before);
  changes->since_us = kept.has_value() ? kept->since_us : 0;
  // Changes older than a shorter retention may be gone.
  if (changes->since_us != 0 && changes->retention_us > kept->retention_us) {
    changes->since_us = std::max(changes->since_us, clock_->NowMicros() - kept->retention_us);
  }
  engine::SetChangeStream(changes, &normal);
  RETURN_IF_ERROR(Alter(normal, asked.expected_version, time));
  if (changes->since_us != 0) return OkStatus();
  changes->since_us = clock_->NowMicros();
  engine::SetChangeStream(changes, &normal);
  return net::OfBegunCall(Alter(normal, asked.expected_version + 1, time));
}

Status ClusterAdmin::Perform(const calls::DropTable& asked, const CallTime& time) {
  return driver_->Request(time, [&](uint64_t request) {
    return event::DropTable{request, asked.table};
  });
}

Status ClusterAdmin::Perform(const calls::Merge& asked, const CallTime& time) {
  return driver_->Request(time, [&](uint64_t request) {
    return event::MergeTablets{request, asked.table, asked.rows};
  });
}

StatusOr<TableInfo> ClusterAdmin::Perform(const calls::GetTable& asked, const CallTime&) {
  StatusOr<TableInfo> info = NoTable(asked.table);
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    const Table* found = state.FindTable(asked.table);
    if (found != nullptr && found->life == TableLife::kLive) info = InfoOf(&state, *found);
  }));
  return info;
}

StatusOr<std::shared_ptr<const TableSchema>> ClusterAdmin::Perform(const calls::GetSchema& asked,
                                                                   const CallTime&) {
  StatusOr<std::shared_ptr<const TableSchema>> schema = NoTable(asked.table);
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    const Table* found = state.FindTable(asked.table);
    if (found == nullptr || found->life != TableLife::kLive) return;
    schema = std::shared_ptr<const TableSchema>(found->record, &found->record->schema);
  }));
  return schema;
}

StatusOr<std::vector<TableInfo>> ClusterAdmin::Perform(const calls::ListTables&, const CallTime&) {
  std::vector<TableInfo> infos;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    for (const auto& [id, table] : state.tables) {
      if (table.life == TableLife::kLive) infos.push_back(InfoOf(&state, table));
    }
  }));
  std::sort(infos.begin(), infos.end(),
            [](const auto& a, const auto& b) { return a.schema.name < b.schema.name; });
  return infos;
}

StatusOr<ClusterAdmin::Place> ClusterAdmin::Find(const std::string& table, const std::string& row) {
  StatusOr<Place> place = NoTable(table);
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    const Table* found = state.FindTable(table);
    if (found == nullptr || found->life != TableLife::kLive) return;
    place = Place();
    place->master_epoch = state.epoch;
    for (const Tablet* tablet :
         state.tablets.Overlapping(found->record->table_id, {row, engine::RowSuccessor(row)})) {
      if (!tablet->facts.range.Contains(row)) continue;
      place->tablet_id = tablet->facts.tablet_id;
      place->range = tablet->facts.range;
      if (tablet->loaded) place->server = tablet->facts.server;
    }
  }));
  return place;
}

Status ClusterAdmin::OnTablet(
    const std::string& table, const std::string& row, const CallTime& time,
    const std::function<Status(TabletControl* control, const Place& place)>& call,
    std::string* limit) {
  Status status;
  for (int i = 0; i < kTriesMax; ++i) {
    if (i > 0) clock_->SleepMicros(kMoveWaitMicros);
    RETURN_IF_ERROR(time.Check());
    ASSIGN_OR_RETURN(Place place, Find(table, row));
    *limit = place.range.limit;
    // A tablet that is moving is briefly served by no server.
    status = Unavailable(fmt::format(
        "table {}: no server has the tablet with row '{}' at present; try again", table, row));
    if (place.server.IsNone()) continue;
    status = call(transport_->Control(place.server).get(), place);
    // With these codes the tablet may have moved, so it is looked up again. All other codes are
    // final.
    bool moved = status.code() == StatusCode::kUnavailable ||
                 status.code() == StatusCode::kNotFound || status.code() == StatusCode::kAborted;
    if (!moved) return status;
  }
  return status;
}

Status ClusterAdmin::OnTablets(
    const std::string& table, const std::vector<RowRange>& rows, const CallTime& time,
    const std::function<Status(TabletControl* control, const Place& place)>& call) {
  std::string done;  // limit of the last tablet for which `call` ran
  for (const RowRange& range : rows) {
    // Continues at the end of the last tablet called, so that a split or merge between two calls
    // leaves out no rows.
    std::string row = std::max(range.start, done);
    while (range.limit.empty() || row < range.limit) {
      std::string limit;
      RETURN_IF_ERROR(OnTablet(table, row, time, call, &limit));
      if (limit.empty()) return OkStatus();  // the table has no further tablet
      row = done = std::move(limit);
    }
  }
  return OkStatus();
}

Status ClusterAdmin::Perform(const calls::Flush& asked, const CallTime& time) {
  return OnTablets(asked.table, AllRows(), time, [&](TabletControl* control, const Place& place) {
    return control->Do(calls::FlushTablet{place.tablet_id}, time.Left());
  });
}

Status ClusterAdmin::Perform(const calls::Compact& asked, const CallTime& time) {
  const std::vector<RowRange> rows = asked.rows.empty() ? AllRows() : asked.rows;
  return OnTablets(asked.table, rows, time, [&](TabletControl* control, const Place& place) {
    return control->Do(calls::CompactTablet{place.tablet_id, asked.group}, time.Left());
  });
}

Status ClusterAdmin::Perform(const calls::Verify& asked, const CallTime& time) {
  return OnTablets(asked.table, AllRows(), time, [&](TabletControl* control, const Place& place) {
    return control->Do(calls::VerifyTablet{place.tablet_id}, time.Left());
  });
}

Status ClusterAdmin::Perform(const calls::Split& asked, const CallTime& time) {
  RETURN_IF_ERROR(Annotate(engine::ValidateRowKey(asked.row), "split key"));
  std::string limit;
  Status status = OnTablet(
      asked.table, asked.row, time,
      [&](TabletControl* control, const Place& place) -> Status {
        // The tablet already begins with this row.
        if (place.range.start == asked.row) return OkStatus();
        RETURN_IF_ERROR(control->Do(
            calls::SplitTablet{place.master_epoch, place.tablet_id, asked.row}, time.Left()));
        // Reports the split to the master, because the notice that the server itself sends may get
        // lost.
        return driver_->Do(calls::SplitDone{place.server, place.tablet_id});
      },
      &limit);
  RETURN_IF_ERROR(Annotate(status, fmt::format("split table {} at '{}'", asked.table, asked.row)));
  // Waits until the master has read the split in METADATA, so that a caller that then lists the
  // tablets sees the split.
  for (int i = 0; i < kTriesMax; ++i) {
    ASSIGN_OR_RETURN(Place place, Find(asked.table, asked.row));
    if (place.range.start == asked.row) break;
    RETURN_IF_ERROR(time.Check());
    clock_->SleepMicros(kMoveWaitMicros);
  }
  return OkStatus();
}

StatusOr<std::vector<GroupStats>> ClusterAdmin::Perform(const calls::Stats& asked,
                                                        const CallTime& time) {
  GroupSums sums;
  RETURN_IF_ERROR(OnTablets(
      asked.table, AllRows(), time, [&](TabletControl* control, const Place& place) -> Status {
        ASSIGN_OR_RETURN(std::vector<GroupStats> parts,
                         control->Do(calls::TabletStats{place.tablet_id}, time.Left()));
        for (const GroupStats& part : parts) sums.Add(part);
        return OkStatus();
      }));
  return sums.Take();
}

StatusOr<std::string> ClusterAdmin::Perform(const calls::DumpTablets& asked, const CallTime& time) {
  std::string text;
  RETURN_IF_ERROR(OnTablets(
      asked.table, AllRows(), time, [&](TabletControl* control, const Place& place) -> Status {
        ASSIGN_OR_RETURN(std::string part,
                         control->Do(calls::DumpTablet{place.tablet_id}, time.Left()));
        text += part;
        return OkStatus();
      }));
  return text;
}

StatusOr<std::vector<ServerInfo>> ClusterAdmin::Perform(const calls::ListServers&,
                                                        const CallTime&) {
  std::vector<ServerInfo> servers;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    for (const auto& [id, server] : state.servers) {
      if (server.live) servers.push_back({id, server.tablets.size()});
    }
  }));
  return servers;
}

StatusOr<std::vector<ServerId>> ClusterAdmin::LiveServers() {
  std::vector<ServerId> live;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    for (const auto& [id, server] : state.servers) {
      if (server.live) live.push_back(id);
    }
  }));
  return live;
}

// Asks each live server and passes its answer to `add`. A server that has ended has lost its
// figures, so it is left out.
template <class Call, class Add>
Status ClusterAdmin::AskServers(const Call& asked, const CallTime& time, const Add& add) {
  ASSIGN_OR_RETURN(std::vector<ServerId> live, LiveServers());
  for (const ServerId& server : live) {
    RETURN_IF_ERROR(time.Check());
    auto answer = transport_->Control(server)->Do(asked, time.Left());
    // kUnavailable: the server has ended or cannot be reached. kUnimplemented: the server runs the
    // previous version, which does not know the call.
    const StatusCode code = answer.status().code();
    if (code == StatusCode::kUnavailable || code == StatusCode::kUnimplemented) continue;
    RETURN_IF_ERROR(answer.status());
    add(*std::move(answer));
  }
  return OkStatus();
}

StatusOr<std::map<std::string, uint64_t>> ClusterAdmin::Perform(const calls::Metrics& asked,
                                                                const CallTime& time) {
  std::map<std::string, uint64_t> sums;
  RETURN_IF_ERROR(AskServers(asked, time, [&](const auto& metrics) {
    for (const auto& [name, value] : metrics) sums[name] += value;
  }));
  RETURN_IF_ERROR(
      driver_->Look([&](MasterState& state) { sums["sweep_errors"] = state.sweep_errors; }));
  return sums;
}

StatusOr<std::vector<CompactionInfo>> ClusterAdmin::Perform(const calls::Compactions& asked,
                                                            const CallTime& time) {
  std::vector<CompactionInfo> all;
  RETURN_IF_ERROR(AskServers(asked, time, [&](std::vector<CompactionInfo> compactions) {
    for (CompactionInfo& info : compactions) all.push_back(std::move(info));
  }));
  return all;
}

StatusOr<std::vector<CallTraceInfo>> ClusterAdmin::Perform(const calls::Traces& asked,
                                                           const CallTime& time) {
  std::vector<CallTraceInfo> all;
  RETURN_IF_ERROR(AskServers(asked, time, [&](std::vector<CallTraceInfo> traces) {
    MergeTraces(std::move(traces), &all);
  }));
  SortTraces(&all);
  return all;
}

StatusOr<std::vector<HotTablet>> ClusterAdmin::Perform(const calls::HotTablets& asked,
                                                       const CallTime& time) {
  std::vector<HotTablet> all;
  RETURN_IF_ERROR(AskServers(asked, time, [&](const std::vector<HotTablet>& hot) {
    all.insert(all.end(), hot.begin(), hot.end());
  }));
  return all;
}

}  // namespace sippar::cluster::master
