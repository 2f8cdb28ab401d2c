// The METADATA table as the master and the servers use it (paper section 5.1): one record for each
// tablet, read in key order and changed one at a time. The root tablet's own record is in the lock
// service, which callers need not know.
//
// Every change of a stored record is conditional on TabletRecord::change, which rises with each
// write: the record must be the one that the caller read. So dead servers, old masters and lost
// races are all refused with kAborted (read and decide again), and a placement decided from an
// older reading cannot undo a server's newer list of files. After kUnavailable or kDeadlineExceeded
// the outcome is unknown: repeating the same call is safe and returns OK if it was done. Thread
// safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/api/tablet_record.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// The reason for a change of a record, for SHOW EVENTS. Kept for 30 days, and the last 50 of a kind
// for each tablet; not kept at all for the root tablet.
struct TabletEvent {
  std::string kind;  // one word, used as a column name: "assigned", "saved", "split"
  std::string text;  // details for people
};

struct PastEvent {
  int64_t time_us = 0;
  uint64_t table_id = 0;
  std::string limit;  // end of the tablet's rows, from the key of its record
  TabletEvent event;
};

class MetadataTable {
 public:
  virtual ~MetadataTable() = default;

  // --- Reading. Records tile each table's rows: a reading call finishes each committed split or
  // merge that it finds unfinished, by writing to METADATA. So the records it returns never have
  // `split` set, and it returns a kMerging record only if no other tablet has its rows.
  //
  // Visits the records of the tables first_table to last_table, both included, in key order, until
  // `visit` returns false. Not a snapshot: each record is as it was at some moment of the call. But
  // no split during the call hides a record: rows without one are read again (ScanBorder).
  [[nodiscard]] virtual Status Scan(uint64_t first_table, uint64_t last_table,
                                    const std::function<bool(TabletRecord record)>& visit) = 0;
  // The tablet that has `row`. kNotFound: the table has no tablet there.
  [[nodiscard]] virtual StatusOr<TabletRecord> Find(uint64_t table_id, const std::string& row) = 0;

  // --- Changing.
  // Replaces the record with the same table, limit, tablet id and `change`; OK sets the new
  // `change`. kAborted: the stored record is not the one that was read. kInvalidArgument: the limit
  // of the left child in `split` is too long for a key (use CheckLimit in meta_row.h before a
  // split).
  //
  // A split is committed by writing the parent's record with `split` set and a higher epoch;
  // FinishSplit then makes two records of it.
  [[nodiscard]] virtual Status Write(TabletRecord* record, const TabletEvent& event) = 0;
  // Adds a record where there is none; OK raises `change`. kAborted: another record is there, or
  // the epoch is not above that of the tablet erased there. kInvalidArgument: the limit is too long
  // for a key.
  [[nodiscard]] virtual Status Add(TabletRecord* record, const TabletEvent& event) = 0;
  // Erases the record. The tablet's events stay for 30 days. One of them contains the tablet's
  // epoch, so that a process that slept during the erasure cannot add the record again.
  [[nodiscard]] virtual Status Erase(const TabletRecord& record, const TabletEvent& event) = 0;
  // Replaces a record whose `split` is set, given as it is stored, by the records of the two
  // children. Any process may do so, any number of times.
  [[nodiscard]] virtual Status FinishSplit(const TabletRecord& record) = 0;
  // Merges `left` and its right neighbour into `*merged`, which has the range and state of both, a
  // new tablet id and an epoch above both. Requires that both are kMerging, so no server serves
  // them. One write of the right record commits the merge; `left` is then erased, here or by the
  // next Scan or Find. To give a merge up instead, write the right record first: a process that
  // still tries to commit the merge then fails.
  [[nodiscard]] virtual Status Merge(const TabletRecord& left, const TabletRecord& right,
                                     TabletRecord* merged, const TabletEvent& event) = 0;

  // --- For people: the events of one table in order of time, including those of tablets that no
  // longer exist.
  [[nodiscard]] virtual StatusOr<std::vector<PastEvent>> Events(uint64_t table_id) = 0;
};

// Reads the root tablet's record from the lock service.
[[nodiscard]] StatusOr<TabletRecord> ReadRootRecord(LockSession* session);

// The implementation over the ordinary client. `data` (client/cluster_data.h) reads and writes the
// table kMetadataName; `session` reads and writes the root tablet's record. Both outlive the
// result.
std::unique_ptr<MetadataTable> NewMetadataTable(DataApi* data, LockSession* session);

}  // namespace sippar::cluster
