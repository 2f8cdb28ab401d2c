// What a client does to a few rows, and how it records it: for every workload the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/cell_iterator.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "tests/sim/row_history.h"
#include "tests/sim/sim_world.h"

namespace sippar::sim {

struct RowWithDigest {
  std::vector<engine::Cell> cells;
  uint64_t digest = 0;
};
// Both of one read: two reads may see two states of the row.
StatusOr<RowWithDigest> Digested(engine::CellStream* row);

// What is tested, as a client reaches it; one table.
class RowStore {
 public:
  virtual ~RowStore() = default;
  virtual StatusOr<std::vector<engine::Cell>> Read(const engine::ReadSpec& read,
                                                   int64_t timeout_us) = 0;
  // One row. The digest may be of an earlier moment than the cells, never of a later one: what is
  // the same then and at the commit was the same in between.
  virtual StatusOr<RowWithDigest> ReadWithDigest(const engine::ReadSpec& read) = 0;
  // Of distinct rows; one status each.
  virtual std::vector<Status> Apply(const std::vector<engine::RowMutation>& batch) = 0;
  // If `read` of the row still has the digest, else kAborted.
  virtual Status Commit(const engine::RowMutation& mutation, const engine::ReadSpec& read,
                        uint64_t digest) = 0;
};

class RowClient {
 public:
  // Everything outlives it. `by` is its name, in its values, too.
  RowClient(World* world, RowHistories* histories, const std::vector<std::string>* rows,
            RowStore* store, std::string by)
      : world_(world), histories_(histories), rows_(rows), store_(store), by_(std::move(by)) {}

  // False: it met trouble.
  bool OneOperation();
  bool ReadTable(int64_t timeout_us);
  bool Write(const std::vector<engine::RowMutation>& batch);
  // One cell of every row.
  bool WriteAll();
  std::string DrawRow();

 private:
  bool ReadRow(const std::string& row, const engine::ReadSpec& read);
  bool Transact(const std::string& row);
  void NoteRefused(const std::string& row, const RowOperation& operation, const Status& status);
  void Record(const std::string& row, const RowOperation& operation);
  engine::ReadSpec DrawRead();
  engine::RowMutation DrawMutation(const std::string& row);
  std::string DrawRowToWrite();  // "": none with few enough unknown outcomes

  World* const world_;
  RowHistories* const histories_;
  const std::vector<std::string>* const rows_;
  RowStore* const store_;
  const std::string by_;
  uint64_t next_value_ = 0;
};

}  // namespace sippar::sim
