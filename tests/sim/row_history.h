// What clients did to the rows of one table and saw of them, and whether each row was a single
// thing that changed in steps (invariants I1 to I3): the data model of the oracle
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
  // The cells (CellsText) that `read` gave before the mutation; of a conditional one the cells it
  // depended on.
  bool reads = false;
  engine::ReadSpec read;
  std::string cells;
  engine::RowMutation mutation;  // no entries: only read
  std::string by;                // for people
};

std::string Print(const RowOperation& operation);  // for people

class RowHistories {
 public:
  // Families whose name begins with "s" take the server's time only, and keep one version: their
  // times are not compared.
  explicit RowHistories(engine::TableSchema schema) : schema_(std::move(schema)) {}

  uint64_t NextMoment() { return ++moment_; }
  void Add(const std::string& row, RowOperation operation) {
    rows_[row].push_back(std::move(operation));
  }
  // "" when every row is explained, else the first row that is not, with its history.
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
// For comparing: as PrintCells, without the times that the server gave.
std::string CellsText(std::vector<engine::Cell> cells);

}  // namespace sippar::sim
