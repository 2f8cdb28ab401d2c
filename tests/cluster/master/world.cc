// The world of the master's tests: servers, files and clients.
// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "engine/model/cell_key.h"
#include "engine/tablet/reshape.h"

namespace sippar::cluster::master {
namespace {

std::pair<TabletRecord, TabletRecord> SplitRecords(const TabletRecord& parent) {
  auto child = [&](const engine::TabletState& state) {
    TabletRecord record = parent;
    record.split.reset();
    record.range = state.range;
    record.tablet_id = state.tablet_id;
    record.state = state;
    ++record.tablet_epoch;
    return record;
  };
  return {child(parent.split->left), child(parent.split->right)};
}

}  // namespace

StatusOr<TabletRecord> JoinRecords(const TabletRecord& left, const TabletRecord& right,
                                   uint64_t tablet_id) {
  if (left.table_id != right.table_id || left.range.limit != right.range.start ||
      left.range.limit.empty()) {
    return FailedPrecondition(
        fmt::format("tablets {} and {} are not neighbours", left.tablet_id, right.tablet_id));
  }
  if (!left.logs.empty() || !right.logs.empty() || left.split || right.split) {
    return FailedPrecondition(fmt::format("tablets {} and {}: a split or a log is open",
                                          left.tablet_id, right.tablet_id));
  }
  // These ids only have to differ within the tablet, and from the file ids after which later runs
  // are named: no server has the master's epoch.
  uint64_t run_id = tablet_id >> 32 << 32;
  TabletRecord joined = right;
  ASSIGN_OR_RETURN(joined.state, engine::JoinStates(left.state, right.state, tablet_id,
                                                    [&run_id] { return ++run_id; }));
  joined.tablet_id = tablet_id;
  joined.range.start = left.range.start;
  joined.tablet_epoch = std::max(left.tablet_epoch, right.tablet_epoch) + 1;
  joined.phase = TabletPhase::kUnassigned;
  joined.server = ServerId();
  return joined;
}

std::string World::MetadataRow(const TabletKey& key) {
  return fmt::format("{:016x}{}{}", key.table_id, key.limit.empty() ? '~' : '-', key.limit);
}

bool World::IsServed(const TabletRecord& record) const {
  auto server = servers.find(record.server);
  if (record.phase != TabletPhase::kAssigned || server == servers.end()) return false;
  if (!server->second.running || server->second.frozen) return false;
  auto tablet = server->second.tablets.find(record.tablet_id);
  return tablet != server->second.tablets.end() && tablet->second.epoch == record.tablet_epoch;
}

// A row of METADATA can be read and written while the tablet that contains it is served; the root's
// own record is in the lock service.
bool World::MetadataIsServed(const TabletKey& key) const {
  std::string row = MetadataRow(key);
  if (key.table_id == kMetadataTableId && key.limit == kRootLimit) return true;
  const TabletRecord* record = RecordOf(kMetadataTableId, row);
  return record != nullptr && IsServed(*record);
}

const TabletRecord* World::RecordOf(uint64_t table_id, const std::string& row) const {
  auto found = records.upper_bound(TabletKey{table_id, row});
  if (row.empty()) found = records.upper_bound(TabletKey{table_id - 1, ""});
  if (found == records.end() || found->first.table_id != table_id) return nullptr;
  return found->second.range.Contains(row) ? &found->second : nullptr;
}

bool World::WriteMetadata(const TabletRecord& record, uint64_t epoch) {
  TabletKey key{record.table_id, record.range.limit};
  auto found = records.find(key);
  if (!MetadataIsServed(key) || found == records.end()) return false;
  if (found->second.tablet_epoch != epoch) return false;
  found->second = record;
  return true;
}

WorldServer* World::AddServer(const std::string& name) {
  ServerId id{name, NextEpoch()};
  servers[id].id = id;
  return &servers[id];
}

WorldServer* World::Newest(const std::string& name) {
  WorldServer* newest = nullptr;
  for (auto& [id, server] : servers) {
    if (id.name == name) newest = &server;
  }
  return newest;
}

void World::Kill(WorldServer* server) {
  Die(server);
  server->lock = false;
}

void World::Die(WorldServer* server) {
  server->running = false;
  server->tablets.clear();
}

void World::Crash(WorldServer* server, uint64_t tablet_id) {
  if (server->running) server->crash = CrashNote{SIGSEGV, tablet_id};
  Kill(server);
}

void World::RegainLock(WorldServer* server) {
  if (!server->running || server->frozen) return;
  if (!server->file) return Kill(server);
  server->lock = true;
}

WorldServer* World::ServerOf(uint64_t table_id, const std::string& row, TabletRecord** record) {
  *record = const_cast<TabletRecord*>(RecordOf(table_id, row));
  if (*record == nullptr || (*record)->split || !IsServed(**record)) return nullptr;
  WorldServer* server = &servers[(*record)->server];
  return server->lock && server->running ? server : nullptr;
}

bool World::Write(uint64_t table_id, const std::string& row, uint64_t number) {
  TabletRecord* record = nullptr;
  WorldServer* server = ServerOf(table_id, row, &record);
  if (server == nullptr) return false;
  WorldTablet& tablet = server->tablets[record->tablet_id];
  server->log.push_back({record->tablet_id, ++tablet.sequence, row, number});
  if (!server->has_name) return false;  // W3: checked after the sync
  tablet.memtable.emplace(row, number);
  oracle_[table_id][row].insert(number);
  return true;
}

Status World::FlushTablet(WorldServer* server, uint64_t tablet_id) {
  WorldTablet& tablet = server->tablets[tablet_id];
  auto found = records.find(tablet.key);
  if (found == records.end() || found->second.tablet_epoch != tablet.epoch) {
    return Aborted("the record is at another epoch");
  }
  TabletRecord changed = found->second;
  if (!tablet.memtable.empty()) {
    uint64_t file = (server->id.epoch << 32) | ++server->files_made;
    files[file] = tablet.memtable;
    engine::RunState run;
    run.run_id = file;
    engine::FileSummary summary;
    summary.file_id = file;
    summary.first_key = engine::SeekKeyForRow(tablet.memtable.begin()->first);
    summary.last_key = engine::SeekKeyForRow(tablet.memtable.rbegin()->first);
    summary.size_bytes = 1000 * tablet.memtable.size();
    run.files.emplace_back(summary);
    changed.state.Group("default")->runs.push_back(std::move(run));
  }
  changed.state.redo_sequence = tablet.sequence;
  changed.logs.clear();
  if (!WriteMetadata(changed, tablet.epoch)) return Unavailable("METADATA is not served");
  tablet.memtable.clear();
  return OkStatus();
}

void World::FinishSplit(uint64_t table_id, const std::string& row) {
  const TabletRecord* found = RecordOf(table_id, row);
  if (found == nullptr || !found->split) return;
  auto [left, right] = SplitRecords(*found);
  records[{table_id, left.range.limit}] = left;
  records[{table_id, right.range.limit}] = right;
}

bool World::Flush(uint64_t table_id, const std::string& row) {
  TabletRecord* record = nullptr;
  WorldServer* server = ServerOf(table_id, row, &record);
  return server != nullptr && FlushTablet(server, record->tablet_id).ok();
}

bool World::Split(uint64_t table_id, const std::string& row, bool spelled_out) {
  TabletRecord* record = nullptr;
  WorldServer* server = ServerOf(table_id, row, &record);
  if (server == nullptr || record->range.start == row) return false;
  uint64_t parent_id = record->tablet_id;
  if (!FlushTablet(server, parent_id).ok()) return false;
  TabletRecord changed = *record;
  auto part_bytes = [](const engine::FileRef& file, const RowRange&) {
    return file.part_bytes / 2;
  };
  auto child = [&](const RowRange& rows) {
    uint64_t id = (server->id.epoch << 32) | ++server->files_made;
    return engine::PartOfState(record->state, id, rows, part_bytes);
  };
  changed.split = {child({record->range.start, row}), child({row, record->range.limit})};
  ++changed.tablet_epoch;
  if (!WriteMetadata(changed, record->tablet_epoch)) return false;
  WorldTablet parent = server->tablets[parent_id];
  server->tablets.erase(parent_id);
  auto [left, right] = SplitRecords(changed);
  for (const TabletRecord& half : {left, right}) {
    WorldTablet tablet = parent;
    tablet.epoch = half.tablet_epoch;
    tablet.key = {table_id, half.range.limit};
    tablet.range = half.range;
    server->tablets[half.tablet_id] = tablet;
  }
  if (spelled_out) FinishSplit(table_id, row);
  return true;
}

std::map<std::string, uint64_t> World::CallsOf(const WorldTablet& tablet) const {
  std::map<std::string, uint64_t> of_rows;
  for (const auto& [key, count] : calls) {
    const auto& [table_id, row] = key;
    if (table_id == tablet.key.table_id && tablet.range.Contains(row)) of_rows[row] = count;
  }
  return of_rows;
}

event::Done World::Do(uint64_t master, const action::SplitByLoad& body) {
  event::Done done;
  WorldServer* server = Reach(master, body.server, &done);
  if (server == nullptr) return done;
  auto served = server->tablets.find(body.record.tablet_id);
  if (served == server->tablets.end()) return {0, Unavailable("not served here"), {}};
  const std::map<std::string, uint64_t> of_rows = CallsOf(served->second);
  if (of_rows.size() < 2) return {0, FailedPrecondition("no row halves its load"), {}};
  const std::string& middle = std::next(of_rows.begin(), of_rows.size() / 2)->first;
  if (!Split(body.record.table_id, middle, true)) done.status = Unavailable("not committed");
  return done;
}

void World::LeaveOrphan(WorldServer* server) {
  files[(server->id.epoch << 32) | ++server->files_made] = {};
}

uint64_t World::TableId(const std::string& name) const {
  for (const auto& [id, file] : tables) {
    if (file.table.schema.name == name && file.life == TableLife::kLive) return id;
  }
  return 0;
}

uint64_t World::TabletId(uint64_t table_id, const std::string& row) const {
  const TabletRecord* record = RecordOf(table_id, row);
  return record == nullptr ? 0 : record->tablet_id;
}

std::multimap<std::string, uint64_t> World::ReadAll(const TabletRecord& record) const {
  std::multimap<std::string, uint64_t> all;
  for (const engine::GroupState& group : record.state.groups) {
    for (const engine::RunState& run : group.runs) {
      for (const engine::FileRef& ref : run.files) {
        auto file = files.find(ref.summary.file_id);
        if (file == files.end()) continue;
        for (const auto& [row, number] : file->second) {
          if (ref.rows.Contains(row)) all.emplace(row, number);
        }
      }
    }
  }
  auto server = servers.find(record.server);
  if (server == servers.end()) {
    for (const ServerId& log : record.logs) {  // entries that the next server will replay
      for (const LogEntry& entry : servers.at(log).log) {
        const bool counts =
            entry.tablet_id == record.tablet_id && entry.sequence > record.state.redo_sequence;
        if (counts) all.emplace(entry.row, entry.number);
      }
    }
    return all;
  }
  auto tablet = server->second.tablets.find(record.tablet_id);
  if (tablet == server->second.tablets.end()) return all;
  all.insert(tablet->second.memtable.begin(), tablet->second.memtable.end());
  return all;
}

}  // namespace sippar::cluster::master
