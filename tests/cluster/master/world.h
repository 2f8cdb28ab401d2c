// World: everything on which a master acts, small enough to run thousands of times: lock service,
// METADATA, servers with logs, files, and clients that write numbers into rows. No time and no
// threads: each call happens at once. Checks invariants at every moment and at the end. Plain test
// code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/master/decide/master_step.h"

namespace sippar::cluster::master {

struct LogEntry {
  uint64_t tablet_id = 0;
  uint64_t sequence = 0;
  std::string row;
  uint64_t number = 0;
};

struct WorldTablet {
  uint64_t epoch = 0;
  TabletKey key;
  RowRange range;
  uint64_t schema_version = 0;
  uint64_t sequence = 0;
  std::multimap<std::string, uint64_t> memtable;
};

// One life of a tablet server.
struct WorldServer {
  ServerId id;
  bool running = true;   // false: dead for ever
  bool frozen = false;   // runs nothing until it thaws
  bool leaves = false;   // accepts no more tablets
  bool cut = false;      // no message passes between it and the masters
  bool busy = false;     // rejects loads, closes and sorts for now
  bool file = true;      // has its file in servers/
  bool lock = true;      // if `running` is false: it died, and its session has not ended yet
  bool has_name = true;  // has its log directory, so that its acknowledgements count
  bool sealed = false;
  bool log_trashed = false;
  std::optional<CrashNote> crash;  // none: it has not crashed
  std::set<uint64_t> sorted_parts;
  uint64_t master_epoch = 0;
  uint64_t files_made = 0;
  std::map<uint64_t, WorldTablet> tablets;
  std::map<uint64_t, uint64_t> closed;  // tablet -> highest closed epoch
  std::vector<LogEntry> log;

  bool HasJustDied() const { return !running && file && lock; }
  bool Answers() const { return running && !frozen && !cut; }
};

// Joins two records as MetadataTable::Merge does.
StatusOr<TabletRecord> JoinRecords(const TabletRecord& left, const TabletRecord& right,
                                   uint64_t tablet_id);

class World {
 public:
  static constexpr size_t kPartSize = 4;  // log entries in one segment
  // True: action F1 can end a process; false: the process only loses its log.
  bool stops_writers = true;

  // Carries out at once an action of the master with `master_epoch`.
  event::Done CarryOut(uint64_t master_epoch, const Action& action);

  uint64_t NextEpoch() { return ++epoch_; }
  void TakeMasterLock(uint64_t master_epoch) { master_ = master_epoch; }
  WorldServer* AddServer(const std::string& name);
  WorldServer* Newest(const std::string& name);  // newest life of the server; nullptr: none
  void Kill(WorldServer* server);                // its session ends at once
  void Die(WorldServer* server);                 // its session ends later
  // Its process crashes while it works on the tablet; 0: the note of the crash names none.
  void Crash(WorldServer* server, uint64_t tablet_id);
  // Ends the server's session: its lock is free, its file stays.
  void LoseLock(WorldServer* server) { server->lock = false; }
  // A server that still has its file takes its lock again; otherwise it ends itself.
  void RegainLock(WorldServer* server);

  // Returns true if the write is acknowledged.
  bool Write(uint64_t table_id, const std::string& row, uint64_t number);
  bool Flush(uint64_t table_id, const std::string& row);
  // Commits the split in METADATA; `spelled_out` writes the rows of the two halves as well.
  bool Split(uint64_t table_id, const std::string& row, bool spelled_out);
  // Makes a file that no tablet names.
  void LeaveOrphan(WorldServer* server);

  // Returns "" or the violation of an invariant that always holds: no two servers serve a row,
  // METADATA has no hole, every named file exists.
  std::string CheckAlways() const;
  // Checks the end state: all tablets are served, all acknowledged writes are readable, and no
  // garbage is left.
  std::string CheckSettled() const;
  std::string Dump() const;

  std::map<ServerId, WorldServer> servers;
  std::map<TabletKey, TabletRecord> records;  // including the root's record
  std::map<uint64_t, TableFile> tables;
  std::map<uint64_t, std::multimap<std::string, uint64_t>> files;
  std::map<uint64_t, std::multimap<std::string, uint64_t>> trash;
  // Number of calls on each row, in each report.
  std::map<std::pair<uint64_t, std::string>, uint64_t> calls;
  StandingOrders orders;  // as the lock service has them
  int64_t noted_us = 0;   // the masters' note of the clock, as the lock service has it
  // Tables and rows: a tablet with such a row ends each process that loads it.
  std::set<std::pair<uint64_t, std::string>> deadly;
  size_t killed = 0;  // number of processes that a deadly row has ended

  uint64_t TableId(const std::string& name) const;
  uint64_t TabletId(uint64_t table_id, const std::string& row) const;  // 0: no tablet has the row
  static std::string MetadataRow(const TabletKey& key);
  static constexpr char kRootLimit[] = "0000000000000002";

 private:
  std::string CheckTiling(uint64_t table_id, bool settled) const;
  std::string CheckOwners() const;
  std::string CheckFiles() const;
  bool IsServed(const TabletRecord& record) const;
  bool IsDeadly(uint64_t table_id, const RowRange& range) const;
  bool MetadataIsServed(const TabletKey& key) const;
  const TabletRecord* RecordOf(uint64_t table_id, const std::string& row) const;
  WorldServer* ServerOf(uint64_t table_id, const std::string& row, TabletRecord** record);
  bool WriteMetadata(const TabletRecord& record, uint64_t epoch);
  std::multimap<std::string, uint64_t> ReadAll(const TabletRecord& record) const;

  event::Done Do(uint64_t master, const action::ListServers& body);
  event::Done Do(uint64_t master, const action::ReadTables& body);
  event::Done Do(uint64_t master, const action::AskServer& body);
  event::Done Do(uint64_t master, const action::ReadRoot& body);
  event::Done Do(uint64_t master, const action::ReadRecords& body);
  event::Done Do(uint64_t master, const action::CreateRecord& body);
  event::Done Do(uint64_t master, const action::ChangeRecord& body);
  event::Done Do(uint64_t master, const action::LevelBirths& body);
  event::Done Do(uint64_t master, const action::CommitMerge& body);
  event::Done Do(uint64_t master, const action::EraseRecord& body);
  event::Done Do(uint64_t master, const action::LoadTablet& body);
  event::Done Do(uint64_t master, const action::UnloadTablet& body);
  event::Done Do(uint64_t master, const action::SplitByLoad& body);
  event::Done Do(uint64_t master, const action::SetSchema& body);
  event::Done Do(uint64_t master, const action::FenceServer& body);
  event::Done Do(uint64_t master, const action::StopWriter& body);
  event::Done Do(uint64_t master, const action::RenameLog& body);
  event::Done Do(uint64_t master, const action::SealLog& body);
  event::Done Do(uint64_t master, const action::SortLogPart& body);
  event::Done Do(uint64_t master, const action::WriteTable& body);
  event::Done Do(uint64_t master, const action::RemoveTable& body);
  event::Done Do(uint64_t master, const action::ListFiles& body);
  event::Done Do(uint64_t master, const action::FindReferences& body);
  event::Done Do(uint64_t master, const action::TrashFiles& body);
  event::Done Do(uint64_t master, const action::PurgeTrash& body);
  event::Done Do(uint64_t master, const action::Reply& body);
  // Returns the server if a call of this master reaches it; otherwise sets the answer.
  WorldServer* Reach(uint64_t master, const ServerId& id, event::Done* done);
  // Like Reach, for work that a busy server rejects for now.
  WorldServer* ReachIdle(uint64_t master, const ServerId& id, event::Done* done);
  event::Done Page(const RecordRef& asked, Status status);
  TabletRecord* Same(const RecordRef& asked);
  void FinishSplit(uint64_t table_id, const std::string& row);
  std::map<std::string, uint64_t> CallsOf(const WorldTablet& tablet) const;
  Status FlushTablet(WorldServer* server, uint64_t tablet_id);

  uint64_t epoch_ = 0;
  std::map<TabletKey, uint64_t> erased_;  // epochs of deleted records
  uint64_t master_ = 0;                   // epoch of the master that holds the lock
  // Acknowledged writes by table and row; erased with the table.
  std::map<uint64_t, std::map<std::string, std::set<uint64_t>>> oracle_;
};

}  // namespace sippar::cluster::master
