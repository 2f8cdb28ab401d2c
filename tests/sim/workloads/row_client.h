// RowClient: a client that operates on a few rows and records the results; the same for every
// workload.
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
// Takes the row and the digest from one read, because two reads may see two states of the row.
StatusOr<RowWithDigest> Digested(engine::CellStream* row);

// One table of the system under test, as a client reaches it.
class RowStore {
 public:
  virtual ~RowStore() = default;
  virtual StatusOr<std::vector<engine::Cell>> Read(const engine::ReadSpec& read,
                                                   int64_t timeout_us) = 0;
  // Reads one row. The digest may be older than the cells but never newer: if the digest still
  // matches at the commit, the row did not change in between.
  virtual StatusOr<RowWithDigest> ReadWithDigest(const engine::ReadSpec& read) = 0;
  // Writes distinct rows; returns one status for each.
  virtual std::vector<Status> Apply(const std::vector<engine::RowMutation>& batch) = 0;
  // Writes if `read` of the row still has the digest; otherwise kAborted.
  virtual Status Commit(const engine::RowMutation& mutation, const engine::ReadSpec& read,
                        uint64_t digest) = 0;
};

class RowClient {
 public:
  // All arguments must outlive the object. `by` is the client's name, which is also part of its
  // values.
  RowClient(World* world, RowHistories* histories, const std::vector<std::string>* rows,
            RowStore* store, std::string by)
      : world_(world), histories_(histories), rows_(rows), store_(store), by_(std::move(by)) {}

  // Returns false if the operation failed.
  bool OneOperation();
  bool ReadTable(int64_t timeout_us);
  bool Write(const std::vector<engine::RowMutation>& batch);
  // Writes one cell of every row.
  bool WriteAll();
  std::string DrawRow();

 private:
  bool ReadRow(const std::string& row, const engine::ReadSpec& read);
  bool Transact(const std::string& row);
  void NoteRefused(const std::string& row, const RowOperation& operation, const Status& status);
  void Record(const std::string& row, const RowOperation& operation);
  engine::ReadSpec DrawRead();
  engine::RowMutation DrawMutation(const std::string& row);
  std::string DrawRowToWrite();  // "": every row has too many unknown outcomes

  World* const world_;
  RowHistories* const histories_;
  const std::vector<std::string>* const rows_;
  RowStore* const store_;
  const std::string by_;
  uint64_t next_value_ = 0;
};

}  // namespace sippar::sim
