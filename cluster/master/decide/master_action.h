// Everything that the master's step can request, as plain values. The driver carries out each
// action once and reports the outcome as an event with the action's number (master_event.h); only
// the step decides whether to retry.
//
// An action that an older master requested and that is carried out late does no harm, because each
// has a condition: a METADATA row must still have the tablet epoch that was read, a server refuses
// calls with a lower master epoch, and the lock service refuses a session that is over.
// SPDX-License-Identifier: Apache-2.0
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

// State of a table that its file in the lock service records (PROTOCOL.md, `tables/<table id>`).
enum class TableLife : uint8_t { kCreating = 0, kLive = 1, kDropping = 2, kKept = 3 };

namespace action {

// Lists servers/: the servers that have a file there, and those that hold the lock of their file.
// The ServerListing also has the standing orders and the note of the clock. If `note_us` is not 0,
// first makes it the note.
struct ListServers {
  int64_t note_us = 0;
};
// Reads all files of tables/.
struct ReadTables {};
// Asks a server which tablets it serves. The answer is a ServerReport.
struct AskServer {
  ServerId server;
};
// Reads the root tablet's record. kNotFound: the cluster is new and has no root tablet.
struct ReadRoot {};
// Reads up to `count` records of METADATA with `after` < key <= `last`; all of them if they are
// only a part of one table. The answer is a RecordPage.
struct ReadRecords {
  TabletKey after;
  TabletKey last;
  size_t count = 0;
};
// Adds a record. OK also if the identical record exists, so a retry is safe; kAborted: another
// record exists there, or a record with an equal or higher epoch was erased there.
struct CreateRecord {
  TabletFacts facts;
  std::shared_ptr<const engine::TabletState> state = nullptr;  // data of a restored table's tablet
};
// Changes one record if METADATA still has the version that `record` names; otherwise kAborted. The
// answer is a RecordPage with the record that now contains the first row of `record`: if OK, the
// changed record; after kAborted, the record that was found there, or no record if none was found.
// A change that lost a race with another writer is also kAborted, but has no answer.
struct ChangeRecord {
  RecordRef record;
  RecordChange change;
};
// If the births of the two tablets' column families differ, makes their servers rewrite both
// tablets without births. (A birth is a sequence number of one tablet: cells below it belong to a
// dropped family of the same name. A merged tablet has only one birth for each family.)
struct LevelBirths {
  RecordRef left;
  RecordRef right;
};
// Makes one tablet of two neighbours in phase kMerging, in the METADATA row of the right neighbour.
// The answer is the merged tablet's record.
struct CommitMerge {
  RecordRef left;
  RecordRef right;
  uint64_t tablet_id = 0;
};
// Erases the record. OK also if an earlier attempt erased it; other answers are those of
// ChangeRecord.
struct EraseRecord {
  RecordRef record;
};
// Makes a server load a tablet. kAborted: the call was not sent, because METADATA no longer has
// `record` or could not be read; or the server knows a newer master.
struct LoadTablet {
  ServerId server;
  RecordRef record;
  // Null for METADATA: every server has its schema built in.
  std::shared_ptr<const TableRecord> table;
};
// Makes the server flush and close the tablet at the record's epoch. OK: the server will never
// serve this epoch again.
struct UnloadTablet {
  ServerId server;
  RecordRef record;
};
// Makes the tablet's server split it at a row that divides its calls into halves.
struct SplitByLoad {
  ServerId server;
  RecordRef record;
};
// Sends a server the current schema of a table.
struct SetSchema {
  ServerId server;
  std::shared_ptr<const TableRecord> table;
};
// F0 to F6 are the steps in which a dead server is fenced and recovered (cluster/PROTOCOL.md).
// F0: takes the server's lock and removes its file; OK also when the file is already gone.
// kAlreadyExists: the server holds its lock and `by_force` is not set, so nothing was done.
struct FenceServer {
  ServerId server;
  bool by_force = false;
};
// F1: proves that no thread of the server writes any more, as far as the file system can show this.
struct StopWriter {
  ServerId server;
};
// F2: renames the server's log directory, which never gets its old name back. The answer is a
// CrashNote if the server's process has left one.
struct RenameLog {
  ServerId server;
};
// F3: reads the log and writes its SEAL. If there is a SEAL already, it remains valid.
struct SealLog {
  ServerId server;
};
// F4: makes the live server `server` sort one segment of the log of `dead`.
struct SortLogPart {
  ServerId server;
  ServerId dead;
  uint64_t segment = 0;
};
// Writes a table's file; if `version` is 0, creates it. OK also if the file already has this
// content, so a retry is safe.
struct WriteTable {
  std::shared_ptr<const TableRecord> table;
  TableLife life = TableLife::kLive;
  uint64_t version = 0;
  int64_t kept_until_us = 0;
};
// Removes a table's file; OK also if it does not exist.
struct RemoveTable {
  uint64_t table_id = 0;
  uint64_t version = 0;
};
// Lists the SSTables and the logs in the shared directory.
struct ListFiles {};
// Scans all of METADATA and all backups for every SSTable and log that they name, and for the
// servers that METADATA names. Fails if any part cannot be read, because an unread row may name any
// file.
struct FindReferences {};
// Moves files and logs to the trash, except files that a server of `servers` still uses.
struct TrashFiles {
  std::vector<uint64_t> files;
  std::vector<ServerId> logs;
  std::vector<ServerId> servers = {};
  int64_t wall_us = 0;  // time from which they are in the trash
};
// Deletes what has been in the trash for `age_us` at the time `wall_us`, backups that have expired
// then, and change-stream files past the retention of their table (`changes_us`). Change-stream
// files of tables that are not listed are deleted, too, unless the table's id is `tables_end` or
// higher: such a table is newer than the list.
struct PurgeTrash {
  int64_t age_us = 0;
  std::map<uint64_t, int64_t> changes_us;
  uint64_t tables_end = 0;  // above the ids of all tables that have existed
  int64_t wall_us = 0;
};
// Reports the outcome of an administrator's request. Has no answer.
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
  uint64_t op = 0;  // number of the action, unique under one master epoch; 0: it has no answer
  ActionBody body;
};

// Text for tests, such as "#7 load 1.5/end @2 on s1.4".
std::string Print(const Action& action);
std::string Print(const ActionBody& body);
std::string Print(const TabletFacts& facts);
std::string Print(const RecordRef& record);
std::string Print(const TabletKey& key);

}  // namespace sippar::cluster::master
