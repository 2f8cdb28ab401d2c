// The data calls of a client in plain C++ types: reads, writes, row programs and change streams by
// table name. cluster/client implements it over tablets, cluster/wire over gRPC. Thread safe.
// Errors: kNotFound (table not found), kInvalidArgument, kUnavailable (the tablet is moving or its
// server restarts: retry), kAborted (lost a race: retry the row), kDataLoss, kResourceExhausted,
// kCancelled, kDeadlineExceeded. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/call_options.h"
#include "cluster/api/change_api.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
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

// A read of a row transaction. The commit runs it again and compares the digest (XXH3 over all
// cells with their times and sequence numbers).
struct ReadCheck {
  ReadSpec read;  // its rows are ignored: it reads the row of the transaction
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

  // Changes one row atomically; durable when OK. After kUnavailable or kDeadlineExceeded the
  // outcome is unknown.
  [[nodiscard]] virtual Status Apply(const std::string& table, const RowMutation& mutation) = 0;
  // Returns one status per mutation, in the same order. Each row is atomic, the batch is not.
  [[nodiscard]] virtual std::vector<Status> ApplyBatch(const std::string& table,
                                                       const std::vector<RowMutation>& batch) = 0;
  // Rows with the same lane are in one tablet, so their writes are best sent as one batch. nullopt:
  // the tablet is not known without a remote look-up.
  virtual std::optional<uint64_t> LaneOf(const std::string& /*table*/, std::string_view /*row*/) {
    return std::nullopt;
  }
  // Returns a stream that reads one consistent snapshot of each tablet.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table,
                                                                   const ReadSpec& read,
                                                                   const CallOptions& options) = 0;
  // Runs `program` over those of program.read.rows that lie in `tablet_range`, the range of one
  // tablet, and passes every batch to `sink`. A sink that returns false stops the run.
  [[nodiscard]] virtual Status Run(const std::string& table, const RowRange& tablet_range,
                                   const engine::Program& program, const CallOptions& options,
                                   engine::ProgramSink* sink) = 0;
  // Reads, decides and writes under the row's lock: SQL's UPDATE, IF, INCREMENT, APPEND and DELETE
  // by pattern, and the Bigtable API's CheckAndMutateRow and ReadModifyWriteRow.
  [[nodiscard]] virtual StatusOr<engine::RowUpdateResult> Update(
      const std::string& table, const engine::RowUpdate& update) = 0;
  // Returns one answer per update, in the same order. Each row is atomic, the batch is not. If the
  // server is in this process, updates of one tablet share the wait for the log's sync.
  [[nodiscard]] virtual std::vector<StatusOr<engine::RowUpdateResult>> UpdateBatch(
      const std::string& table, const std::vector<engine::RowUpdate>& batch) {
    std::vector<StatusOr<engine::RowUpdateResult>> answers;
    for (const engine::RowUpdate& update : batch) answers.push_back(Update(table, update));
    return answers;
  }
  // Applies `mutation` if every check still yields its digest; otherwise kAborted names the row.
  [[nodiscard]] virtual Status CommitRow(const std::string& table, const RowMutation& mutation,
                                         const std::vector<ReadCheck>& checks) = 0;
  // Tablets of the table in key order, with their sizes. Asks every server.
  [[nodiscard]] virtual StatusOr<std::vector<TabletInfo>> Tablets(const std::string& table) = 0;
  // Streams the changes of one partition. kFailedPrecondition: the table has no change stream;
  // TooOld: the start is older than the retention; kInvalidArgument: tokens that do not cover
  // the partition, or a start in the future.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(
      const std::string& table, const ChangesRequest&, const CallOptions&) {
    return Unimplemented("changes of table " + table +
                         ": not through another process; ask it by ReadChangeStream");
  }
  // The ranges of the tablets alone, possibly from a cache. Callers use them to divide a table into
  // parts that can be read separately.
  [[nodiscard]] virtual StatusOr<std::vector<RowRange>> TabletRanges(const std::string& table) {
    ASSIGN_OR_RETURN(std::vector<TabletInfo> tablets, Tablets(table));
    std::vector<RowRange> ranges;
    for (TabletInfo& tablet : tablets) ranges.push_back(std::move(tablet.range));
    return ranges;
  }
};

// Computes the digest for a ReadCheck; reads `stream`, the cells of one row, to its end.
[[nodiscard]] StatusOr<uint64_t> DigestCells(CellStream* stream);

}  // namespace sippar::cluster
