// What a master acts on, small enough to run thousands of times: lock service, METADATA, servers
// with logs, files, and clients that write numbers into rows. No time and no threads: each call
// happens at once. Checks what must hold at every moment and at the end. Plain test code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  bool leaves = false;   // takes no tablet
  bool cut = false;      // nothing passes between it and the masters
  bool busy = false;     // answers that it cannot load, close or sort now
  bool file = true;      // in servers/
  bool lock = true;      // with `running` false: it died, and its session has not ended yet
  bool has_name = true;  // its log directory: what it acknowledges counts
  bool sealed = false;
  bool log_trashed = false;
  std::set<uint64_t> sorted_parts;
  uint64_t master_epoch = 0;
  uint64_t files_made = 0;
  std::map<uint64_t, WorldTablet> tablets;
  std::map<uint64_t, uint64_t> closed;  // tablet -> highest closed epoch
  std::vector<LogEntry> log;

  bool HasJustDied() const { return !running && file && lock; }
  bool Answers() const { return running && !frozen && !cut; }
};

// What MetadataTable::Merge makes of two records.
StatusOr<TabletRecord> JoinRecords(const TabletRecord& left, const TabletRecord& right,
                                   uint64_t tablet_id);

class World {
 public:
  static constexpr size_t kPartSize = 4;  // log entries in one segment
  bool stops_writers = true;              // F1 can end a process; else it only loses its log

  // An action of the master with `master_epoch`, carried out now.
  event::Done CarryOut(uint64_t master_epoch, const Action& action);

  uint64_t NextEpoch() { return ++epoch_; }
  void TakeMasterLock(uint64_t master_epoch) { master_ = master_epoch; }
  WorldServer* AddServer(const std::string& name);
  WorldServer* Newest(const std::string& name);  // life; nullptr: none
  void Kill(WorldServer* server);                // its session ends with it
  void Die(WorldServer* server);                 // its session ends later
  // Its session is over: no lock; its file stays.
  void LoseLock(WorldServer* server) { server->lock = false; }
  // What a server does that still has its file; else it ends itself.
  void RegainLock(WorldServer* server);

  // True: acknowledged.
  bool Write(uint64_t table_id, const std::string& row, uint64_t number);
  bool Flush(uint64_t table_id, const std::string& row);
  // Commits in METADATA; `spelled_out` writes the two rows as well.
  bool Split(uint64_t table_id, const std::string& row, bool spelled_out);
  // An unpublished file.
  void LeaveOrphan(WorldServer* server);

  // "" or what is wrong. At every moment: nobody serves another's rows, METADATA has no hole, every
  // named file exists.
  std::string CheckAlways() const;
  // When nothing is under way: all served, everything acknowledged is readable, nothing is left.
  std::string CheckSettled() const;
  std::string Dump() const;

  std::map<ServerId, WorldServer> servers;
  std::map<TabletKey, TabletRecord> records;  // the root's too
  std::map<uint64_t, TableFile> tables;
  std::map<uint64_t, std::multimap<std::string, uint64_t>> files;
  std::map<uint64_t, std::multimap<std::string, uint64_t>> trash;
  std::map<std::pair<uint64_t, std::string>, uint64_t> calls;  // of rows, in each report
  StandingOrders orders;                                       // as the lock service has them
  // Tables and rows: the tablet with such a row ends the process that has loaded it.
  std::set<std::pair<uint64_t, std::string>> deadly;
  size_t killed = 0;  // processes that a deadly row has ended

  uint64_t TableId(const std::string& name) const;
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
  // The server when a call of this master reaches it; else the answer.
  WorldServer* Reach(uint64_t master, const ServerId& id, event::Done* done);
  // The same for work that a busy server refuses for now.
  WorldServer* ReachIdle(uint64_t master, const ServerId& id, event::Done* done);
  event::Done Page(const RecordRef& asked, Status status);
  TabletRecord* Same(const RecordRef& asked);
  void FinishSplit(uint64_t table_id, const std::string& row);
  std::map<std::string, uint64_t> CallsOf(const WorldTablet& tablet) const;
  Status FlushTablet(WorldServer* server, uint64_t tablet_id);

  uint64_t epoch_ = 0;
  std::map<TabletKey, uint64_t> erased_;  // epochs of records that are gone
  uint64_t master_ = 0;                   // holds the lock
  // Acknowledged writes by table and row; erased with the table.
  std::map<uint64_t, std::map<std::string, std::set<uint64_t>>> oracle_;
};

}  // namespace sippar::cluster::master
