// What the master may ask for. The driver carries each action out once and answers with its number
// (master_event.h); trying again is the step's decision. Plain values.
//
// Conditions make actions of an older master harmless: METADATA rows by the tablet epoch, calls to
// servers by the master's, files of the lock service by the session. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cluster/api/control_api.h"
#include "cluster/master/decide/record_change.h"
#include "cluster/master/decide/tablet_map.h"

namespace sippar::cluster::master {

// Of a table's file in the lock service.
enum class TableLife : uint8_t { kCreating = 0, kLive = 1, kDropping = 2, kKept = 3 };

namespace action {

// servers/: who has a file there, and who holds its lock.
struct ListServers {};
// tables/, all files.
struct ReadTables {};
// What the server serves. Answered by a report.
struct AskServer {
  ServerId server;
};
// The root tablet's record. kNotFound: a new cluster.
struct ReadRoot {};
// Records of METADATA with `after` < key <= `last`, up to `count` of them. Answered by records.
struct ReadRecords {
  TabletKey after;
  TabletKey last;
  size_t count = 0;
};
// A record that is not there yet. OK when the same is; kAborted: another is, or was.
struct CreateRecord {
  TabletFacts facts;
  std::shared_ptr<const engine::TabletState> state = nullptr;  // of a restored table's tablet
};
// One record, if it is what the reference says. Answered by the record that has the reference's
// first row now: changed when OK; kAborted: it was another already.
struct ChangeRecord {
  RecordRef record;
  RecordChange change;
};
// Their servers rewrite two tablets whose births of families differ.
struct LevelBirths {
  RecordRef left;
  RecordRef right;
};
// Two kMerging neighbours become one tablet in the right one's place. Answered by it.
struct CommitMerge {
  RecordRef left;
  RecordRef right;
  uint64_t tablet_id = 0;
};
// OK when it is gone; else as ChangeRecord.
struct EraseRecord {
  RecordRef record;
};
// kAborted: not sent, the record is another by now.
struct LoadTablet {
  ServerId server;
  RecordRef record;
  std::shared_ptr<const TableRecord> table;  // null: METADATA, which every server knows
};
struct UnloadTablet {
  ServerId server;
  RecordRef record;
};
// Its server cuts it where its calls are halved.
struct SplitByLoad {
  ServerId server;
  RecordRef record;
};
struct SetSchema {
  ServerId server;
  std::shared_ptr<const TableRecord> table;
};
// F0: takes the server's lock and removes its file, also when it is gone already. kAlreadyExists:
// it holds its lock, and `by_force` is not set.
struct FenceServer {
  ServerId server;
  bool by_force = false;
};
// F1: no thread of the server writes any more, as the store can tell.
struct StopWriter {
  ServerId server;
};
// F2: the log directory loses its name for ever.
struct RenameLog {
  ServerId server;
};
// F3: reads the log and writes its SEAL, or obeys the one that is there.
struct SealLog {
  ServerId server;
};
// F4, one segment on a live server.
struct SortLogPart {
  ServerId server;
  ServerId dead;
  uint64_t segment = 0;
};
// Creates the file when `version` is 0. OK when it has this content already.
struct WriteTable {
  std::shared_ptr<const TableRecord> table;
  TableLife life = TableLife::kLive;
  uint64_t version = 0;
  int64_t kept_until_us = 0;
};
struct RemoveTable {
  uint64_t table_id = 0;
  uint64_t version = 0;
};
// SSTables and sealed logs in the shared directory.
struct ListFiles {};
// Every file and log that METADATA and the backups name, and the lives it names: a full scan. An
// error when any of it could not be read.
struct FindReferences {};
// Files that one of `servers` still has a use for stay.
struct TrashFiles {
  std::vector<uint64_t> files;
  std::vector<ServerId> logs;
  std::vector<ServerId> servers = {};
};
// What has been in the trash for so long, backups and changes whose time is over: how long those of
// each table stay. Changes of other tables go, but for tables that may be newer than this list.
struct PurgeTrash {
  int64_t age_us = 0;
  std::map<uint64_t, int64_t> changes_us;
  uint64_t tables_end = 0;  // above the ids of all tables that there were
};
// An administrator's request has ended. Is not answered.
struct Reply {
  uint64_t request = 0;
  Status status;
};

}  // namespace action

using ActionBody =
    std::variant<action::ListServers, action::ReadTables, action::AskServer, action::ReadRoot,
                 action::ReadRecords, action::CreateRecord, action::ChangeRecord,
                 action::LevelBirths, action::CommitMerge, action::EraseRecord, action::LoadTablet,
                 action::UnloadTablet, action::SplitByLoad, action::SetSchema, action::FenceServer,
                 action::StopWriter, action::RenameLog, action::SealLog, action::SortLogPart,
                 action::WriteTable, action::RemoveTable, action::ListFiles, action::FindReferences,
                 action::TrashFiles, action::PurgeTrash, action::Reply>;

struct Action {
  uint64_t op = 0;  // names the answer; unique under one master epoch; 0: no answer
  ActionBody body;
};

// For stories and logs: "#7 load tablet 3@2 on s1.4".
std::string Print(const Action& action);
std::string Print(const ActionBody& body);
std::string Print(const TabletFacts& facts);
std::string Print(const RecordRef& record);
std::string Print(const TabletKey& key);

}  // namespace sippar::cluster::master
