// Restores one table: creates it, writes its cells, and sets its remaining options. Meanwhile the
// store holds a RestoreMark, from which another run can continue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/dump/cell_batches.h"
#include "cli/dump/dump_reader.h"
#include "cli/dump/restore_plan.h"
#include "cluster/client/client.h"
#include "query/query.h"

namespace sippar::cli {

class TableRestore {
 public:
  // All arguments must outlive the object. `jobs` is the number of batches that are written at
  // the same time.
  TableRestore(cluster::Client* client, query::Session* session, const std::string& dump_id,
               size_t jobs)
      : client_(client), session_(session), dump_id_(dump_id), jobs_(jobs) {}

  // Decides what to do with the table; changes nothing.
  [[nodiscard]] StatusOr<RestoreAction> Decide(const std::string& table, IfExists if_exists);

  // Creates the table (for kReplace after dropping it), or continues with the table that an earlier
  // run has left.
  [[nodiscard]] Status Begin(const DumpedTable& table, RestoreAction action);
  [[nodiscard]] Status Add(std::string_view line);
  // Writes the remaining cells and sets the options that only a complete table has.
  [[nodiscard]] Status End();

  uint64_t skipped() const { return skipped_; }  // cells that an earlier run had already written

 private:
  [[nodiscard]] Status Create(const DumpedTable& table);
  [[nodiscard]] Status Drop();
  // Adds `options` to the table's options. If `takes` is true, first removes the options that
  // TakeLateOptions takes.
  [[nodiscard]] Status Alter(const std::map<std::string, std::string>& options, bool takes);
  [[nodiscard]] StatusOr<std::optional<RestoreMark>> ReadMark(const std::string& table,
                                                              uint64_t* version) const;
  [[nodiscard]] Status WriteMark();

  cluster::Client* const client_;
  query::Session* const session_;
  const std::string dump_id_;
  const size_t jobs_;
  std::string table_;
  engine::TableSchema schema_;
  RestoreMark mark_;
  uint64_t mark_version_ = 0;
  uint64_t cells_ = 0;    // lines passed to Add
  uint64_t skipped_ = 0;  // number of leading lines that an earlier run had already written
  size_t unmarked_ = 0;   // bytes of the lines since the last mark
  std::unique_ptr<CellBatches> batches_;
};

}  // namespace sippar::cli
