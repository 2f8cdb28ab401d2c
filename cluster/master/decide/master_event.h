// What can happen to a master. Every event may come twice, late, or not at all; answers name the
// action by its number. Plain values. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "cluster/master/decide/master_action.h"

namespace sippar::cluster::master {

struct ServerListing {
  std::vector<ServerId> locked;    // alive
  std::vector<ServerId> unlocked;  // have a file and no lock
};

struct TableFile {
  TableRecord table;
  TableLife life = TableLife::kLive;
  uint64_t version = 0;
  int64_t kept_until_us = 0;  // of a kept one, wall clock
};

struct RecordPage {
  std::vector<TabletFacts> records;
  bool complete = true;  // there are no more in the range that was asked for
};

struct SealedLog {
  std::vector<uint64_t> segments;               // with records; numbers of SortLogPart
  std::map<uint64_t, uint64_t> last_sequences;  // of each tablet in it
};

struct FileListing {
  std::vector<uint64_t> files;  // sorted
  std::vector<ServerId> logs;   // sealed
  std::vector<ServerId> open_logs;
};

// Of a whole scan of METADATA.
struct References {
  FileListing named;             // sorted
  std::vector<uint64_t> tables;  // that have rows
};

namespace event {

// The master lock is held; the first event.
struct LockTaken {
  uint64_t epoch = 0;
};
// Time has passed.
struct Tick {
  int64_t wall_us = 0;  // what is kept until a date goes by the clock of people
};
// servers/ may have changed.
struct ServersChanged {};
// A server says that it has split a tablet.
struct SplitDone {
  ServerId server;
  uint64_t tablet_id = 0;
};

struct CreateTable {
  uint64_t request = 0;
  TableSchema schema;
  std::vector<std::string> split_keys;
  int64_t wall_us = 0;  // steps count time from anywhere; a schema's date is one of people
  // What its tablets begin with, in place of split keys; they tile all rows. None: nothing.
  std::vector<std::shared_ptr<const engine::TabletState>> states = {};
};
struct AlterTable {
  uint64_t request = 0;
  TableSchema schema;
  uint64_t expected_version = 0;
  int64_t wall_us = 0;
};
struct DropTable {
  uint64_t request = 0;
  std::string table;
  int64_t kept_until_us = 0;  // wall clock; 0: it goes at once
  int64_t wall_us = 0;
};
// The last one of the name that was dropped and is kept comes back.
struct UndeleteTable {
  uint64_t request = 0;
  std::string table;
};
struct MergeTablets {
  uint64_t request = 0;
  std::string table;
  RowRange rows;
};

// The answer to an action.
struct Done {
  uint64_t op = 0;
  Status status;
  std::variant<std::monostate, ServerListing, std::vector<TableFile>, ServerReport, RecordPage,
               SealedLog, FileListing, References>
      answer;
};

}  // namespace event

using Event = std::variant<event::LockTaken, event::Tick, event::ServersChanged, event::SplitDone,
                           event::CreateTable, event::AlterTable, event::DropTable,
                           event::UndeleteTable, event::MergeTablets, event::Done>;

}  // namespace sippar::cluster::master
