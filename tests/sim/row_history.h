// Records what clients did to the rows of one table and what they read, and checks whether each row
// changed in atomic steps (invariants I1 to I3): the data model of the oracle
// (tests/support/reference_table.h) under the linearizability check.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"
#include "tests/sim/linearizability.h"

namespace sippar::sim {

struct RowOperation {
  Interval when;
  // The cells (CellsText) that `read` returned before the mutation; for a conditional mutation, the
  // cells on which it depended.
  bool reads = false;
  engine::ReadSpec read;
  std::string cells;
  engine::RowMutation mutation;  // no entries: the operation only reads
  std::string by;                // name of the client, for messages
};

std::string Print(const RowOperation& operation);  // text for messages

class RowHistories {
 public:
  // Families whose name begins with "s" use only the server's times, which are not compared, and
  // keep one version.
  explicit RowHistories(engine::TableSchema schema) : schema_(std::move(schema)) {}

  uint64_t NextMoment() { return ++moment_; }
  void Add(const std::string& row, RowOperation operation) {
    rows_[row].push_back(std::move(operation));
  }
  // Returns "" if every row is explained, else the first row that is not, with its history.
  std::string Check() const;
  uint64_t unknown_in(const std::string& row) const;
  uint64_t operations() const;
  uint64_t unknown() const;

 private:
  engine::TableSchema schema_;
  uint64_t moment_ = 0;
  std::map<std::string, std::vector<RowOperation>> rows_;
};

bool HasServerTime(const std::string& family);
// The cells as text for comparison: like PrintCells, but without the times that the server chose.
std::string CellsText(std::vector<engine::Cell> cells);

}  // namespace sippar::sim
