// Restores one table: creates it, writes its cells, and makes it what it was. Between the two the
// store has a note of it (RestoreMark), with which another run goes on. SPDX-License-Identifier:
// Apache-2.0
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
  // All arguments outlive the object. `jobs`: batches that are written at once.
  TableRestore(cluster::Client* client, query::Session* session, const std::string& dump_id,
               size_t jobs)
      : client_(client), session_(session), dump_id_(dump_id), jobs_(jobs) {}

  // What to do with the table; changes nothing.
  [[nodiscard]] StatusOr<RestoreAction> Decide(const std::string& table, IfExists if_exists);

  // Creates the table, or takes up the one that an earlier run has left.
  [[nodiscard]] Status Begin(const DumpedTable& table, RestoreAction action);
  [[nodiscard]] Status Add(std::string_view line);
  // Writes what is left and sets the options that only a complete table has.
  [[nodiscard]] Status End();

  uint64_t skipped() const { return skipped_; }  // cells that an earlier run had written

 private:
  [[nodiscard]] Status Create(const DumpedTable& table);
  [[nodiscard]] Status Drop();
  // Sets `options` besides those that the table has, or takes the late ones away.
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
  uint64_t cells_ = 0;    // lines that were given to Add
  uint64_t skipped_ = 0;  // the first of them, which are written already
  size_t unmarked_ = 0;   // bytes of lines since the last mark
  std::unique_ptr<CellBatches> batches_;
};

}  // namespace sippar::cli
