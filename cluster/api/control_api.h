// Between master and tablet servers (paper section 5.2), in plain C++ types. Every call can be
// repeated: the same call again finds its work done and says OK (FAULTS.md N4, N9). After
// kUnavailable or kDeadlineExceeded the outcome is unknown; any other answer is final.
// Thread safe. SPDX-License-Identifier: Apache-2.0
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

// One tablet that a server serves, with its load since the last report.
struct ServedTablet {
  uint64_t table_id = 0;
  RowRange range;
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;
  uint64_t stored_bytes = 0;
  uint64_t memtable_bytes = 0;
  uint64_t schema_version = 0;  // in force; the master sends an older one's server the newer
  uint64_t reads = 0;
  uint64_t writes = 0;
};

struct ServerReport {
  std::vector<ServedTablet> tablets;
  // Each file of this server's epoch with a lower number is named in METADATA or given up, so that
  // the sweep may take it once nobody names it (PROTOCOL.md). 0: what this server names is
  // not known to itself, since a change of METADATA was not answered: no file of any epoch may go.
  uint64_t first_unpublished_file = 0;
  bool leaves = false;  // it hands its tablets over and takes none
};

// What the master asks of one server. Calls carry the master's epoch (fencing number of the master
// lock); one below the highest that the server has seen is refused: kAborted, "an older master".
class TabletControl {
 public:
  virtual ~TabletControl() = default;

  // Serves the tablet when OK; the record is kAssigned to this server at record.tablet_epoch. The
  // records of `record.logs` behind the redo point are replayed first. OK when served already at
  // this epoch. kFailedPrecondition: served at another epoch, or closed at this one.
  [[nodiscard]] virtual Status LoadTablet(uint64_t master_epoch, const TabletRecord& record,
                                          const TableRecord& table) = 0;
  // Planned move: minor compaction, close, short second one. When OK the saved state holds
  // everything and nothing is served. OK when not served (any more). An OK here, as a final answer
  // but OK to LoadTablet, closes the epoch for this life of the server: a load at `tablet_epoch` or
  // below that was delayed on its way is refused, also when it is the first to come (N9). Only then
  // may METADATA name another server. kFailedPrecondition: served at a higher epoch.
  [[nodiscard]] virtual Status UnloadTablet(uint64_t master_epoch, uint64_t tablet_id,
                                            uint64_t tablet_epoch) = 0;
  // All that it serves: the truth after a change of masters, and the load report.
  [[nodiscard]] virtual StatusOr<ServerReport> Report(uint64_t master_epoch) = 0;
  // New schema of a table; families' births are recorded before OK. When OK, no tablet of the table
  // is served here under an older one any more. kUnavailable: one is coming or going just now.
  [[nodiscard]] virtual Status SetSchema(uint64_t master_epoch, const TableRecord& table) = 0;
  // `row` becomes the first of a tablet; the server commits it in METADATA itself.
  [[nodiscard]] virtual Status SplitTablet(uint64_t master_epoch, uint64_t tablet_id,
                                           const std::string& row) = 0;
  // As SplitTablet, at the row that halves the calls of late. kFailedPrecondition: none does.
  [[nodiscard]] virtual Status SplitByLoad(uint64_t master_epoch, uint64_t tablet_id) = 0;
  // Sorts one segment of a dead server's sealed log by tablet into a file beside it
  // (engine/log/log_sort.h); OK when it is there already.
  [[nodiscard]] virtual Status SortLogPart(uint64_t master_epoch, const ServerId& dead,
                                           uint64_t segment) = 0;

  // Which of `files` a tablet or a reader here may still want to open.
  [[nodiscard]] virtual StatusOr<std::vector<uint64_t>> HeldFiles(
      const std::vector<uint64_t>& files) = 0;

  // Before a merge: rewrites the tablet, so that its births of families, sequence numbers that mean
  // nothing in another tablet, are forgotten.
  [[nodiscard]] virtual Status ForgetBirths(uint64_t master_epoch, uint64_t tablet_id) = 0;

  // For administrators, fanned out by the master.
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

// What servers tell the master. A lost message does no harm: the master finds the same in METADATA.
class MasterNotices {
 public:
  virtual ~MasterNotices() = default;
  [[nodiscard]] virtual Status SplitDone(const ServerId& server, uint64_t parent_tablet_id) = 0;
};

}  // namespace sippar::cluster
