// The METADATA table as master and servers use it (paper section 5.1): one record for each tablet,
// read in key order, changed one record at a time. The root tablet's own record lies in the lock
// service; nobody but this file's implementation notices.
//
// Every change is conditional on the record being what the caller read: TabletRecord::change, which
// rises at each write. So dead servers, old masters and lost races are refused alike (kAborted:
// read again, decide again), and no write of a placement can take back a server's newer list of
// files. After kUnavailable or kDeadlineExceeded the outcome is unknown: the same call again is
// safe and says OK when it finds its own work. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/api/tablet_record.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// Why a record changed, kept for SHOW EVENTS (30 days, the last 50 of a kind for each tablet).
struct TabletEvent {
  std::string kind;  // one word, a column name: "assigned", "flushed", "split"
  std::string text;  // for people
};

struct PastEvent {
  int64_t time_us = 0;
  uint64_t table_id = 0;
  std::string limit;  // of the tablet's range: what was the key of its record
  TabletEvent event;
};

class MetadataTable {
 public:
  virtual ~MetadataTable() = default;

  // --- Reading. Records tile each table's rows: a split or merge that was committed and not
  // spelled out is finished first (by this call: writes), so `split` is never set in what they
  // give, and a kMerging record is only seen while its rows are nobody else's.
  //
  // Of the tables first_table..last_table, both included, in key order. `visit` says whether to go
  // on. Not one snapshot: each record is as of some moment during the call.
  [[nodiscard]] virtual Status Scan(uint64_t first_table, uint64_t last_table,
                                    const std::function<bool(TabletRecord record)>& visit) = 0;
  // The tablet that has `row`. kNotFound: the table has no tablet there.
  [[nodiscard]] virtual StatusOr<TabletRecord> Find(uint64_t table_id, const std::string& row) = 0;

  // --- Changing.
  // Replaces the record with the same table, limit, tablet id and `change`; OK sets the new
  // `change`. kAborted: it is not what was read. kInvalidArgument: the limit is too long for a key
  // (CheckLimit in meta_row.h, to be asked before a split is chosen).
  //
  // A split: the parent's record with `split` set and the epoch raised commits it; FinishSplit
  // spells it out.
  [[nodiscard]] virtual Status Write(TabletRecord* record, const TabletEvent& event) = 0;
  // A record where there is none. kAborted: there is another tablet's, or the epoch is not above
  // that of the one that was erased there.
  [[nodiscard]] virtual Status Add(TabletRecord* record, const TabletEvent& event) = 0;
  // Its events stay for their time, and its epoch, so that nobody who slept adds it again.
  [[nodiscard]] virtual Status Erase(const TabletRecord& record, const TabletEvent& event) = 0;
  // Two records in place of one whose `split` is set (as written). Anybody may, any number of
  // times.
  [[nodiscard]] virtual Status FinishSplit(const TabletRecord& record) = 0;
  // `left` and its right neighbour become `*merged`: range and state of both, a new tablet id, an
  // epoch above both. Requires: both kMerging, which nobody serves. One write of right's record
  // commits it; what is left of `left` is then erased, here or by the next Scan or Find. Who gives
  // a merge up instead writes right's record first, so that a sleeper cannot commit it any more.
  [[nodiscard]] virtual Status Merge(const TabletRecord& left, const TabletRecord& right,
                                     TabletRecord* merged, const TabletEvent& event) = 0;

  // --- For people: of one table, in order of time; those of tablets that are gone included.
  [[nodiscard]] virtual StatusOr<std::vector<PastEvent>> Events(uint64_t table_id) = 0;
};

// The root tablet's record, from the lock service.
[[nodiscard]] StatusOr<TabletRecord> ReadRootRecord(LockSession* session);

// Over the ordinary client: `data` reads and writes the table kMetadataName
// (client/cluster_data.h). `session` reads and writes the root tablet's record. Both outlive it.
std::unique_ptr<MetadataTable> NewMetadataTable(DataApi* data, LockSession* session);

}  // namespace sippar::cluster
