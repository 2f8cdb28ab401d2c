// AdminApi of a cluster. Calls on named records are in cluster_records.cc, on status, events and
// the figures of servers in cluster_figures.cc, on moves of tablets and standing orders in
// cluster_moves.cc.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/cluster_admin.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/api/group_sums.h"
#include "cluster/client/server_groups.h"
#include "cluster/net/failure.h"
#include "engine/base/thread.h"
#include "engine/model/change_config.h"

namespace sippar::cluster::master {
namespace {

// A caller of Split waits for at most 500 times 20 ms until the master has read it.
constexpr int64_t kLookAgainMicros = 20'000;
constexpr int kLooksMax = 500;

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
      work_(transport_, clock_,
            [this](const std::string& table, const std::vector<RowRange>& rows) {
              return PlacesOf(table, rows);
            }),
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

StatusOr<std::vector<TabletPlace>> ClusterAdmin::PlacesOf(const std::string& table,
                                                          const std::vector<RowRange>& rows) const {
  StatusOr<std::vector<TabletPlace>> places = NoTable(table);
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    const Table* found = state.FindTable(table);
    if (found == nullptr || found->life != TableLife::kLive) return;
    places = std::vector<TabletPlace>();
    for (const RowRange& range : rows) {
      for (const Tablet* tablet : state.tablets.Overlapping(found->record->table_id, range)) {
        // Two of the ranges may be in the same tablet.
        const bool is_known =
            !places->empty() && places->back().tablet_id == tablet->facts.tablet_id;
        if (is_known) continue;
        places->push_back({tablet->facts.tablet_id, tablet->facts.range,
                           tablet->loaded ? tablet->facts.server : ServerId(), state.epoch});
      }
    }
  }));
  return places;
}

Status ClusterAdmin::Perform(const calls::Flush& asked, const CallTime& time) {
  return work_.OnTablets(asked.table, AllRows(), time, [&](TabletControl* control, const auto& at) {
    return control->Do(calls::FlushTablet{at.tablet_id}, time.Left());
  });
}

Status ClusterAdmin::Perform(const calls::Compact& asked, const CallTime& time) {
  const std::vector<RowRange> rows = asked.rows.empty() ? AllRows() : asked.rows;
  return work_.OnTablets(asked.table, rows, time, [&](TabletControl* control, const auto& at) {
    return control->Do(calls::CompactTablet{at.tablet_id, asked.group}, time.Left());
  });
}

Status ClusterAdmin::Perform(const calls::Verify& asked, const CallTime& time) {
  return work_.OnTablets(asked.table, AllRows(), time, [&](TabletControl* control, const auto& at) {
    return control->Do(calls::VerifyTablet{at.tablet_id}, time.Left());
  });
}

Status ClusterAdmin::Perform(const calls::Split& asked, const CallTime& time) {
  RETURN_IF_ERROR(Annotate(engine::ValidateRowKey(asked.row), "split key"));
  std::string limit;
  Status status = work_.OnTablet(
      asked.table, asked.row, time,
      [&](TabletControl* control, const TabletPlace& place) -> Status {
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
  for (int i = 0; i < kLooksMax; ++i) {
    ASSIGN_OR_RETURN(TabletPlace place, work_.Find(asked.table, asked.row));
    if (place.range.start == asked.row) break;
    RETURN_IF_ERROR(time.Check());
    clock_->SleepMicros(kLookAgainMicros);
  }
  return OkStatus();
}

StatusOr<std::vector<GroupStats>> ClusterAdmin::Perform(const calls::Stats& asked,
                                                        const CallTime& time) {
  ASSIGN_OR_RETURN(auto tablets, work_.Figures(asked.table, time));
  GroupSums sums;
  for (const std::vector<GroupStats>& groups : tablets) {
    for (const GroupStats& group : groups) sums.Add(group);
  }
  return sums.Take();
}

StatusOr<std::string> ClusterAdmin::Perform(const calls::DumpTablets& asked, const CallTime& time) {
  RowParts<std::string> parts;
  engine::Mutex mutex;  // guards `parts`
  const auto dump = [&](TabletControl* control, const TabletPlace& place) -> Status {
    ASSIGN_OR_RETURN(std::string part,
                     control->Do(calls::DumpTablet{place.tablet_id}, time.Left()));
    engine::MutexLock lock(&mutex);
    parts.Add(place.range, std::move(part));
    return OkStatus();
  };
  RETURN_IF_ERROR(work_.OnTablets(asked.table, AllRows(), time, dump));
  std::string text;
  for (const std::string& part : parts.Take()) text += part;
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

}  // namespace sippar::cluster::master
