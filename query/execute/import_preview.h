// What an IMPORT with DRY_RUN would write: counts, and the first cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/mutation.h"
#include "query/session/session.h"

namespace sippar::query {

class ImportPreview {
 public:
  // `schema` outlives the object.
  explicit ImportPreview(const engine::TableSchema& schema) : schema_(schema) {}
  void Add(const engine::RowMutation& mutation);
  // Passes the first cells to the statement's sink, in the columns of SELECT CELLS. A time that the
  // server would set is NULL.
  void Give(const StatementContext& context) const;

  // Consecutive records of the same row count as one row.
  uint64_t rows() const { return rows_; }
  uint64_t cells() const { return cells_; }

 private:
  const engine::TableSchema& schema_;
  std::string last_row_;
  uint64_t rows_ = 0, cells_ = 0;
  std::vector<Row> first_;
};

}  // namespace sippar::query
