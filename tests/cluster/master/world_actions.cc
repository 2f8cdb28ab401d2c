// The world of the master's tests: carries out actions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cluster/api/member_answer.h"
#include "world.h"

namespace sippar::cluster::master {

using event::Done;

Done World::CarryOut(uint64_t master_epoch, const Action& action) {
  Done done = std::visit([&](const auto& body) { return Do(master_epoch, body); }, action.body);
  done.op = action.op;
  return done;
}

Done World::Do(uint64_t, const action::ListServers& body) {
  ServerListing listing;
  if (body.note_us != 0) noted_us = body.note_us;
  listing.noted_us = noted_us;
  for (const auto& [id, server] : servers) {
    if (server.file) (server.lock ? listing.locked : listing.unlocked).push_back(id);
    if (server.HasJustDied()) listing.dead.push_back(id);
  }
  listing.orders = orders;
  return {0, OkStatus(), std::move(listing)};
}

Done World::Do(uint64_t, const action::ReadTables&) {
  std::vector<TableFile> all;
  for (const auto& [id, file] : tables) all.push_back(file);
  return {0, OkStatus(), std::move(all)};
}

WorldServer* World::Reach(uint64_t master, const ServerId& id, Done* done) {
  auto found = servers.find(id);
  if (found == servers.end() || !found->second.Answers()) {
    done->status = Unavailable("no answer from " + id.ToString());
    return nullptr;
  }
  if (master < found->second.master_epoch) {
    done->status = Aborted("an older master");
    return nullptr;
  }
  found->second.master_epoch = master;
  return &found->second;
}

WorldServer* World::ReachIdle(uint64_t master, const ServerId& id, Done* done) {
  WorldServer* server = Reach(master, id, done);
  if (server == nullptr || !server->busy) return server;
  done->status = MarkAnswered(Unavailable(id.ToString() + " is busy"));
  return nullptr;
}

Done World::Do(uint64_t master, const action::AskServer& body) {
  Done done;
  WorldServer* server = Reach(master, body.server, &done);
  if (server == nullptr) return done;
  ServerReport report;
  for (const auto& [id, tablet] : server->tablets) {
    ServedTablet served;
    served.table_id = tablet.key.table_id;
    served.range = tablet.range;
    served.tablet_id = id;
    served.tablet_epoch = tablet.epoch;
    served.schema_version = tablet.schema_version;
    served.memtable_bytes = 1000 * tablet.memtable.size();
    for (const auto& [row, count] : CallsOf(tablet)) served.reads += count;
    report.tablets.push_back(served);
  }
  report.first_unpublished_file = ((server->id.epoch << 32) | server->files_made) + 1;
  report.leaves = server->leaves;
  done.answer = std::move(report);
  return done;
}

// The record that contains the first row of `asked`, as readers of MetadataTable see it.
Done World::Page(const RecordRef& asked, Status status) {
  RecordPage page;
  FinishSplit(asked.table_id, asked.range.start);
  const TabletRecord* record = RecordOf(asked.table_id, asked.range.start);
  if (record != nullptr) page.records.push_back(FactsOf(*record));
  return {0, std::move(status), std::move(page)};
}

// The record as it was read; nullptr if it has changed.
TabletRecord* World::Same(const RecordRef& asked) {
  FinishSplit(asked.table_id, asked.range.start);
  auto found = records.find(asked.key());
  bool same = found != records.end() && found->second.tablet_id == asked.tablet_id &&
              found->second.tablet_epoch == asked.epoch;
  return same ? &found->second : nullptr;
}

Done World::Do(uint64_t, const action::ReadRoot&) {
  TabletKey root{kMetadataTableId, kRootLimit};
  if (!records.contains(root)) return {0, NotFound("no root"), {}};
  return Page({kMetadataTableId, {"", kRootLimit}, 0, 0}, OkStatus());
}

Done World::Do(uint64_t, const action::ReadRecords& body) {
  RecordPage page;
  for (auto it = records.upper_bound(body.after); it != records.end() && !(body.last < it->first);
       ++it) {
    if (!MetadataIsServed(it->first)) return {0, Unavailable("METADATA is not served"), {}};
    if (it->second.split) {
      FinishSplit(it->first.table_id, it->second.range.start);
      return Do(0, body);
    }
    if (page.records.size() == body.count) {
      page.complete = false;
      break;
    }
    page.records.push_back(FactsOf(it->second));
  }
  // Even if no row is found, the METADATA tablet that would contain it must answer.
  if (page.complete && body.last.table_id != UINT64_MAX && !MetadataIsServed(body.last)) {
    return {0, Unavailable("METADATA is not served"), {}};
  }
  if (page.complete && body.last.table_id == UINT64_MAX && !MetadataIsServed({2, ""})) {
    return {0, Unavailable("METADATA is not served"), {}};
  }
  return {0, OkStatus(), std::move(page)};
}

Done World::Do(uint64_t, const action::CreateRecord& body) {
  TabletKey key = body.facts.key();
  if (!MetadataIsServed(key)) return {0, Unavailable("METADATA is not served"), {}};
  auto found = records.find(key);
  if (found != records.end()) {
    bool same = found->second.tablet_id == body.facts.tablet_id;
    return {0, same ? OkStatus() : Aborted("another record is there"), {}};
  }
  if (erased_[key] >= body.facts.tablet_epoch) return {0, Aborted("it was erased"), {}};
  TabletRecord record;
  record.table_id = body.facts.table_id;
  record.range = body.facts.range;
  record.tablet_id = body.facts.tablet_id;
  record.tablet_epoch = body.facts.tablet_epoch;
  record.state.table_id = record.table_id;
  record.state.tablet_id = record.tablet_id;
  record.state.range = record.range;
  records[key] = std::move(record);
  return {0, OkStatus(), {}};
}

Done World::Do(uint64_t, const action::ChangeRecord& body) {
  if (!MetadataIsServed(body.record.key())) return {0, Unavailable("METADATA is not served"), {}};
  TabletRecord* record = Same(body.record);
  if (record == nullptr) return Page(body.record, Aborted("the record has changed"));
  return Page(body.record, ApplyChange(body.change, record));
}

Done World::Do(uint64_t, const action::LevelBirths& body) {
  bool same = Same(body.left) != nullptr && Same(body.right) != nullptr;
  return {0, same ? OkStatus() : Aborted("the records have changed"), {}};
}

Done World::Do(uint64_t, const action::CommitMerge& body) {
  if (!MetadataIsServed(body.right.key())) return {0, Unavailable("METADATA is not served"), {}};
  TabletRecord* left = Same(body.left);
  TabletRecord* right = Same(body.right);
  if (left == nullptr || right == nullptr) {
    return Page(body.right, Aborted("the records have changed"));
  }
  auto joined = JoinRecords(*left, *right, body.tablet_id);
  if (!joined.ok()) return {0, joined.status(), {}};
  *right = *std::move(joined);
  erased_[body.left.key()] = body.left.epoch;
  records.erase(body.left.key());
  return Page(body.right, OkStatus());
}

Done World::Do(uint64_t, const action::EraseRecord& body) {
  if (!MetadataIsServed(body.record.key())) return {0, Unavailable("METADATA is not served"), {}};
  if (Same(body.record) == nullptr) {
    bool gone = !records.contains(body.record.key());
    return Page(body.record, gone ? OkStatus() : Aborted("the record has changed"));
  }
  erased_[body.record.key()] = body.record.epoch;
  records.erase(body.record.key());
  return {};
}

Done World::Do(uint64_t master, const action::LoadTablet& body) {
  Done done;
  if (Same(body.record) == nullptr) {
    done.status = Aborted("the record has changed");
    return done;
  }
  const TabletRecord record = *Same(body.record);
  const uint64_t tablet_id = record.tablet_id;
  const uint64_t epoch = record.tablet_epoch;
  WorldServer* server = ReachIdle(master, body.server, &done);
  if (server == nullptr) return done;
  auto closed = server->closed.find(tablet_id);
  auto served = server->tablets.find(tablet_id);
  if (closed != server->closed.end() && closed->second >= epoch) {
    done.status = FailedPrecondition("closed at this epoch");
  } else if (server->leaves) {
    done.status = FailedPrecondition("it leaves");
  } else if (served != server->tablets.end()) {
    if (served->second.epoch != epoch) done.status = FailedPrecondition("at another epoch");
  } else {
    WorldTablet tablet;
    tablet.epoch = epoch;
    tablet.key = body.record.key();
    tablet.range = record.range;
    tablet.schema_version = body.table == nullptr ? 0 : body.table->schema_version;
    tablet.sequence = record.state.redo_sequence;
    for (const ServerId& log : record.logs) {
      for (const LogEntry& entry : servers[log].log) {
        if (entry.tablet_id != tablet_id || entry.sequence <= record.state.redo_sequence) {
          continue;
        }
        tablet.memtable.emplace(entry.row, entry.number);
        tablet.sequence = std::max(tablet.sequence, entry.sequence);
      }
    }
    server->tablets[tablet_id] = std::move(tablet);
    if (IsDeadly(record.table_id, record.range)) {
      ++killed;
      Crash(server, tablet_id);
      done.status = Unavailable("no answer from " + body.server.ToString());
    }
  }
  return done;
}

Done World::Do(uint64_t master, const action::UnloadTablet& body) {
  Done done;
  WorldServer* server = ReachIdle(master, body.server, &done);
  if (server == nullptr) return done;
  auto served = server->tablets.find(body.record.tablet_id);
  if (served != server->tablets.end() && served->second.epoch > body.record.epoch) {
    done.status = FailedPrecondition("served at a higher epoch");
    return done;
  }
  if (served != server->tablets.end()) {
    done.status = FlushTablet(server, body.record.tablet_id);
    // The tablet is not this server's any more.
    if (done.status.code() == StatusCode::kAborted) done.status = OkStatus();
    done.status = MarkAnswered(std::move(done.status));
    if (!done.status.ok()) return done;
    server->tablets.erase(body.record.tablet_id);
  }
  uint64_t& closed = server->closed[body.record.tablet_id];
  closed = std::max(closed, body.record.epoch);
  return done;
}

Done World::Do(uint64_t master, const action::SetSchema& body) {
  Done done;
  WorldServer* server = Reach(master, body.server, &done);
  if (server == nullptr) return done;
  for (auto& [id, tablet] : server->tablets) {
    if (tablet.key.table_id != body.table->table_id) continue;
    tablet.schema_version = std::max(tablet.schema_version, body.table->schema_version);
  }
  return done;
}

Done World::Do(uint64_t master, const action::FenceServer& body) {
  if (master != master_) return {0, SessionOver("the session is over"), {}};
  auto found = servers.find(body.server);
  if (found == servers.end() || !found->second.file) return {};
  if (found->second.lock && !body.by_force) return {0, AlreadyExists("it holds its lock"), {}};
  found->second.file = false;
  found->second.lock = false;
  return {};
}

Done World::Do(uint64_t, const action::StopWriter& body) {
  // The server is on the same machine, so its process can be killed.
  auto found = servers.find(body.server);
  if (found != servers.end() && found->second.running && stops_writers) Kill(&found->second);
  return {};
}

Done World::Do(uint64_t, const action::RenameLog& body) {
  auto found = servers.find(body.server);
  if (found == servers.end()) return {};
  found->second.has_name = false;
  Done done;
  if (found->second.crash) done.answer = *found->second.crash;
  return done;
}

Done World::Do(uint64_t, const action::SealLog& body) {
  auto found = servers.find(body.server);
  if (found == servers.end()) return {0, DataLoss("no log"), {}};
  WorldServer& server = found->second;
  if (server.log_trashed) return {0, OkStatus(), SealedLog()};
  server.sealed = true;
  SealedLog sealed;
  for (size_t i = 0; i < server.log.size(); ++i) {
    if (i % kPartSize == 0) sealed.segments.push_back(i / kPartSize + 1);
    uint64_t& last = sealed.last_sequences[server.log[i].tablet_id];
    last = std::max(last, server.log[i].sequence);
  }
  return {0, OkStatus(), std::move(sealed)};
}

Done World::Do(uint64_t master, const action::SortLogPart& body) {
  Done done;
  if (ReachIdle(master, body.server, &done) == nullptr) return done;
  servers[body.dead].sorted_parts.insert(body.segment);
  return done;
}

Done World::Do(uint64_t master, const action::WriteTable& body) {
  if (master != master_) return {0, SessionOver("the session is over"), {}};
  TableFile file;
  if (auto found = tables.find(body.table->table_id); found != tables.end()) file = found->second;
  bool same = file.version == body.version + 1 && file.life == body.life &&
              file.table.schema_version == body.table->schema_version;
  if (same) return {};
  if (file.version != body.version) return {0, Aborted("another version"), {}};
  tables[body.table->table_id] = {*body.table, body.life, body.version + 1, body.kept_until_us};
  return {};
}

Done World::Do(uint64_t master, const action::RemoveTable& body) {
  if (master != master_) return {0, SessionOver("the session is over"), {}};
  auto found = tables.find(body.table_id);
  if (found == tables.end()) return {};
  if (found->second.version != body.version) return {0, Aborted("another version"), {}};
  tables.erase(found);
  oracle_.erase(body.table_id);
  return {};
}

Done World::Do(uint64_t, const action::ListFiles&) {
  FileListing listing;
  for (const auto& [id, content] : files) listing.files.push_back(id);
  for (const auto& [id, server] : servers) {
    if (server.has_name) listing.open_logs.push_back(id);
    if (!server.has_name && !server.log_trashed) listing.logs.push_back(id);
  }
  return {0, OkStatus(), std::move(listing)};
}

Done World::Do(uint64_t, const action::FindReferences&) {
  References found;
  for (const auto& [key, record] : records) {
    if (!MetadataIsServed(key)) return {0, Unavailable("METADATA is not served"), {}};
    std::vector<uint64_t> ids = record.state.FileIds();
    found.named.files.insert(found.named.files.end(), ids.begin(), ids.end());
    found.named.logs.insert(found.named.logs.end(), record.logs.begin(), record.logs.end());
    if (!record.server.IsNone()) found.named.logs.push_back(record.server);
    found.tables.push_back(key.table_id);
  }
  auto unique = [](auto* all) {
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
  };
  unique(&found.named.files);
  unique(&found.named.logs);
  unique(&found.tables);
  return {0, OkStatus(), std::move(found)};
}

Done World::Do(uint64_t, const action::TrashFiles& body) {
  for (uint64_t id : body.files) {
    auto found = files.find(id);
    if (found == files.end()) continue;
    trash.insert(files.extract(found));
  }
  for (const ServerId& id : body.logs) servers[id].log_trashed = true;
  return {};
}

Done World::Do(uint64_t, const action::PurgeTrash&) {
  trash.clear();
  return {};
}

Done World::Do(uint64_t, const action::Reply&) { return {}; }

}  // namespace sippar::cluster::master
