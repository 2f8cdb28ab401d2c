// The calls between the master and the tablet servers (Bigtable paper, section 5.2), in plain C++
// types. Every call can be retried: a repeated call finds its work done and returns OK
// (tests/FAULTS.md N4, N9). After kUnavailable or kDeadlineExceeded the outcome is unknown; any
// other answer is final. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/data_api.h"
#include "cluster/api/server_id.h"
#include "cluster/api/tablet_record.h"

namespace sippar::cluster {

struct TableRecord {
  uint64_t table_id = 0;
  uint64_t schema_version = 0;
  int64_t changed_at_us = 0;
  TableSchema schema;
};

// A tablet that a server serves, with the number of its calls since the last report.
struct ServedTablet {
  uint64_t table_id = 0;
  RowRange range;
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;
  uint64_t stored_bytes = 0;
  uint64_t memtable_bytes = 0;
  uint64_t schema_version = 0;  // version in force; the master sends the new schema if it is old
  uint64_t reads = 0;
  uint64_t writes = 0;
};

struct ServerReport {
  std::vector<ServedTablet> tablets;
  // Every file of this server's epoch with a lower number is either named in METADATA or given up,
  // so the master's sweep may remove it when no row names it (cluster/PROTOCOL.md, "Files that no
  // row names"). 0: a change of METADATA by this server has an unknown outcome, so the server does
  // not know which files it has named, and the sweep may remove no file of any epoch.
  uint64_t first_unpublished_file = 0;
  bool leaves = false;  // the server is handing over its tablets and accepts no new ones
};

// The master's calls to one tablet server. They carry the master's epoch, the fencing number of the
// master lock. The server refuses an epoch below the highest that it has seen with kAborted ("an
// older master"), so a deposed master changes nothing.
class TabletControl {
 public:
  virtual ~TabletControl() = default;

  // Loads the tablet; when OK, the server serves it. METADATA must already assign the tablet to
  // this server at record.tablet_epoch. The server first replays the records of `record.logs` after
  // the redo point. OK also when the server already serves the tablet at this epoch.
  // kFailedPrecondition: the server serves it at another epoch, or has closed this one.
  [[nodiscard]] virtual Status LoadTablet(uint64_t master_epoch, const TabletRecord& record,
                                          const TableRecord& table) = 0;
  // Ends serving for a planned move: a minor compaction, then the close, then a second, short minor
  // compaction for the writes that arrived during the first. When OK, the saved state holds every
  // write and the server does not serve the tablet; OK also when it did not serve it before.
  // This OK closes the epoch for this life of the server, as any final error of LoadTablet does: a
  // delayed load at `tablet_epoch` or below is refused later, even if it arrives as the first one
  // (tests/FAULTS.md N9). Only after that may METADATA name another server.
  // kFailedPrecondition: the server serves the tablet at a higher epoch.
  [[nodiscard]] virtual Status UnloadTablet(uint64_t master_epoch, uint64_t tablet_id,
                                            uint64_t tablet_epoch) = 0;
  // Lists all tablets that the server serves, with their load. A new master learns the true
  // assignment from it.
  [[nodiscard]] virtual StatusOr<ServerReport> Report(uint64_t master_epoch) = 0;
  // Installs a new schema. When OK, the births of its new families are recorded, and this server
  // serves no tablet of the table under an older schema. kUnavailable: a tablet of the table is
  // being loaded or unloaded right now.
  [[nodiscard]] virtual Status SetSchema(uint64_t master_epoch, const TableRecord& table) = 0;
  // Splits the tablet so that `row` becomes the first row of the right child. The server itself
  // commits the split in METADATA.
  [[nodiscard]] virtual Status SplitTablet(uint64_t master_epoch, uint64_t tablet_id,
                                           const std::string& row) = 0;
  // Like SplitTablet, at the row that divides the recent calls into halves. kFailedPrecondition:
  // there is no such row.
  [[nodiscard]] virtual Status SplitByLoad(uint64_t master_epoch, uint64_t tablet_id) = 0;
  // Sorts one segment of a dead server's sealed log by tablet, into a file in the same directory
  // (engine/log/log_sort.h). OK also when that file exists.
  [[nodiscard]] virtual Status SortLogPart(uint64_t master_epoch, const ServerId& dead,
                                           uint64_t segment) = 0;

  // Returns those of `files` that a tablet or a reader of this server may still open.
  [[nodiscard]] virtual StatusOr<std::vector<uint64_t>> HeldFiles(
      const std::vector<uint64_t>& files) = 0;

  // Prepares a merge: rewrites the tablet so that it can forget the births of its families. Births
  // are sequence numbers of this tablet and would mean nothing in the merged one.
  [[nodiscard]] virtual Status ForgetBirths(uint64_t master_epoch, uint64_t tablet_id) = 0;

  // The calls of AdminApi, which the master sends on to the servers of the tablets.
  [[nodiscard]] virtual Status FlushTablet(uint64_t tablet_id) = 0;
  [[nodiscard]] virtual Status CompactTablet(uint64_t tablet_id, const std::string& group) = 0;
  [[nodiscard]] virtual Status VerifyTablet(uint64_t tablet_id) = 0;
  [[nodiscard]] virtual StatusOr<std::vector<GroupStats>> TabletStats(uint64_t tablet_id) = 0;
  [[nodiscard]] virtual StatusOr<std::string> DumpTablet(uint64_t tablet_id) = 0;
  [[nodiscard]] virtual std::map<std::string, uint64_t> Metrics() = 0;
  [[nodiscard]] virtual std::vector<CompactionInfo> Compactions() = 0;
  [[nodiscard]] virtual StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us,
                                                                    int64_t end_us) = 0;
};

// Hints from the servers to the master. A lost message does no harm, because the master finds the
// same fact in METADATA, only later.
class MasterNotices {
 public:
  virtual ~MasterNotices() = default;
  [[nodiscard]] virtual Status SplitDone(const ServerId& server, uint64_t parent_tablet_id) = 0;
};

}  // namespace sippar::cluster
