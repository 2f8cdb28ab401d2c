// What a tablet server does for data, in plain C++ types. The in-process transport
// calls it directly; RPC adapters will only translate. Thread safe.
// Errors: kNotFound (no such table), kInvalidArgument, kUnavailable (moved or restarting: ask
// again), kAborted (lost a race: retry the row), kDataLoss, kResourceExhausted, kCancelled,
// kDeadlineExceeded. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/change_api.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
#include "engine/model/read_counters.h"
#include "engine/model/read_spec.h"
#include "engine/program/program.h"
#include "engine/program/row_update.h"
#include "engine/program/run_program.h"

namespace sippar::cluster {

using engine::Cell;
using engine::CellStream;
using engine::CellView;
using engine::ReadSpec;
using engine::RowMutation;
using engine::RowRange;

// Shared by a caller and the calls it started; set once, checked by scans between rows and cells.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

struct CallOptions {
  CancelFlag cancel;       // may be null
  int64_t timeout_us = 0;  // 0 = none; counted from the start of the call
  // What a read did is added here when its call or stream ends. May be null; outlives the stream.
  engine::ReadCounters* counters = nullptr;
};

// A read that a row transaction remembers: the commit runs it again and compares the digest
// (XXH3 over all cells with times and sequences).
struct ReadCheck {
  ReadSpec read;  // read.rows is ignored: it is the transaction's row
  uint64_t digest = 0;
};

struct TabletInfo {
  uint64_t tablet_id = 0;
  RowRange range;
  std::string server;
  std::string state;  // "online"
  uint64_t stored_bytes = 0;
  uint64_t memtable_bytes = 0;
  uint64_t sstable_count = 0;
};

class DataApi {
 public:
  virtual ~DataApi() = default;

  // Atomic; durable when OK. After kUnavailable or kDeadlineExceeded the outcome is unknown.
  [[nodiscard]] virtual Status Apply(const std::string& table, const RowMutation& mutation) = 0;
  // One status per mutation, in order; each row is atomic, the batch is not.
  [[nodiscard]] virtual std::vector<Status> ApplyBatch(const std::string& table,
                                                       const std::vector<RowMutation>& batch) = 0;
  // Writes of a table that have the same lane are best sent as one batch: they go to one tablet.
  // nullopt: that is not known without asking.
  virtual std::optional<uint64_t> LaneOf(const std::string& /*table*/, std::string_view /*row*/) {
    return std::nullopt;
  }
  // A stream over one consistent snapshot of each tablet.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table,
                                                                   const ReadSpec& read,
                                                                   const CallOptions& options) = 0;
  // Runs `program` over the rows of one tablet range (clipped to program.read.rows), giving every
  // batch to `sink`; a sink that returns false stops the run. Rows of one call come from one
  // tablet.
  [[nodiscard]] virtual Status Run(const std::string& table, const RowRange& tablet_range,
                                   const engine::Program& program, const CallOptions& options,
                                   engine::ProgramSink* sink) = 0;
  // Read, decide, write, under the row's lock: UPDATE, IF, INCREMENT, APPEND, DELETE by pattern;
  // check-and-mutate and read-modify-write.
  [[nodiscard]] virtual StatusOr<engine::RowUpdateResult> Update(
      const std::string& table, const engine::RowUpdate& update) = 0;
  // One answer each, in order; each row is atomic, the batch is not. Those of one tablet share what
  // they wait for where calls are direct.
  [[nodiscard]] virtual std::vector<StatusOr<engine::RowUpdateResult>> UpdateBatch(
      const std::string& table, const std::vector<engine::RowUpdate>& batch) {
    std::vector<StatusOr<engine::RowUpdateResult>> answers;
    for (const engine::RowUpdate& update : batch) answers.push_back(Update(table, update));
    return answers;
  }
  // Applies `mutation` if every check still answers the same, else kAborted naming the row.
  [[nodiscard]] virtual Status CommitRow(const std::string& table, const RowMutation& mutation,
                                         const std::vector<ReadCheck>& checks) = 0;
  // Tablets of the table in key order, with their sizes: asks every server.
  [[nodiscard]] virtual StatusOr<std::vector<TabletInfo>> Tablets(const std::string& table) = 0;
  // The changes of one partition. kFailedPrecondition: the table has no change stream; kOutOfRange:
  // a start older than what is kept; kInvalidArgument: tokens that do not fit, a start in the
  // future.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(
      const std::string& table, const ChangesRequest&, const CallOptions&) {
    return Unimplemented("changes of table " + table +
                         ": not through another process; ask it by ReadChangeStream");
  }
  // Their ranges alone, as far as known: what a table is cut into to be read piece by piece.
  [[nodiscard]] virtual StatusOr<std::vector<RowRange>> TabletRanges(const std::string& table) {
    ASSIGN_OR_RETURN(std::vector<TabletInfo> tablets, Tablets(table));
    std::vector<RowRange> ranges;
    for (TabletInfo& tablet : tablets) ranges.push_back(std::move(tablet.range));
    return ranges;
  }
};

// Digest of a row's cells as ReadCheck wants it; reads `stream` to its end.
[[nodiscard]] StatusOr<uint64_t> DigestCells(CellStream* stream);

}  // namespace sippar::cluster
