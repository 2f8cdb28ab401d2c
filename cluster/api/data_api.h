// The data calls of a client, by table name: the calls on rows and tablets (row_calls.h, which
// lists the errors), and streams of cells, of a program's result rows, and of changes.
// cluster/client implements DataApi over tablets, cluster/wire over a connection to another
// process. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/call_options.h"
#include "cluster/api/change_api.h"
#include "cluster/api/row_calls.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/program/program.h"
#include "engine/program/run_program.h"

namespace sippar::cluster {

using engine::Cell;
using engine::CellStream;
using engine::CellView;

class DataApi : public Port<calls::DataCalls> {
 public:
  // Returns a stream that reads one consistent snapshot of each tablet. If the stream has to go on
  // after a failure, it reads the rest of the tablet from a later snapshot, but never mixes two
  // versions of a row (kAborted instead).
  [[nodiscard]] virtual StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table,
                                                                   const ReadSpec& read,
                                                                   const CallOptions& options) = 0;
  // Runs `program` over those of program.read.rows that lie in `tablet_range`, the range of one
  // tablet, and passes every batch to `sink`. A sink that returns false stops the run.
  [[nodiscard]] virtual Status Run(const std::string& table, const RowRange& tablet_range,
                                   const engine::Program& program, const CallOptions& options,
                                   engine::ProgramSink* sink) = 0;
  // Streams the changes of one partition. kFailedPrecondition: the table has no change stream;
  // TooOld: the start is older than the retention; kInvalidArgument: tokens that do not cover
  // the partition, or a start in the future.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(
      const std::string& table, const ChangesRequest&, const CallOptions&) {
    return Unimplemented("reading the changes of table " + table +
                         " is not supported by this client");
  }
  // Rows with the same bundle are in one tablet, so their writes are best sent as one batch.
  // nullopt: the tablet is not known without a remote look-up.
  virtual std::optional<uint64_t> BundleOf(const std::string& /*table*/, std::string_view /*row*/) {
    return std::nullopt;
  }

  // Shorter forms of Do for the calls on rows.
  [[nodiscard]] Status Apply(const std::string& table, const RowMutation& mutation) {
    const RowMutation* only = &mutation;
    return OnlyPart(Do(calls::ApplyRows<LentTable>{table, {&only, 1}}));
  }
  [[nodiscard]] std::vector<Status> ApplyBatch(const std::string& table,
                                               const std::vector<RowMutation>& batch,
                                               const CallOptions& options = {}) {
    return PartsOf(Do(calls::ApplyRows<LentTable>{table, PointersTo(batch)}, options),
                   batch.size());
  }
  [[nodiscard]] StatusOr<engine::RowUpdateResult> Update(const std::string& table,
                                                         const engine::RowUpdate& update,
                                                         const CallOptions& options = {}) {
    const engine::RowUpdate* only = &update;
    return OnlyPart(Do(calls::UpdateRows<LentTable>{table, {&only, 1}}, options));
  }
  [[nodiscard]] std::vector<StatusOr<engine::RowUpdateResult>> UpdateBatch(
      const std::string& table, const std::vector<engine::RowUpdate>& batch) {
    return PartsOf(Do(calls::UpdateRows<LentTable>{table, PointersTo(batch)}), batch.size());
  }
  [[nodiscard]] Status CommitRow(const std::string& table, const RowMutation& mutation,
                                 const std::vector<ReadCheck>& checks) {
    return Do(calls::CommitRow<LentTable>{table, mutation, checks});
  }

 private:
  template <class T>
  static std::vector<const T*> PointersTo(const std::vector<T>& values) {
    std::vector<const T*> pointers;
    pointers.reserve(values.size());
    for (const T& value : values) pointers.push_back(&value);
    return pointers;
  }
};

// Computes the digest for a ReadCheck; reads `stream`, the cells of one row, to its end.
[[nodiscard]] StatusOr<uint64_t> DigestCells(CellStream* stream);

}  // namespace sippar::cluster
