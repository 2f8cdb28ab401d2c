// Statements that write rows, and RowWriter, which writes plain mutations in batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/mutation.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

[[nodiscard]] Status ExecuteInsert(const StatementContext& context, const syntax::Insert& insert);
[[nodiscard]] Status ExecuteUpdate(const StatementContext& context, const syntax::Update& update);
[[nodiscard]] Status ExecuteDelete(const StatementContext& context,
                                   const syntax::Delete& statement);
[[nodiscard]] Status ExecuteIncrement(const StatementContext& context,
                                      const syntax::Increment& increment);
[[nodiscard]] Status ExecuteAppend(const StatementContext& context, const syntax::Append& append);
[[nodiscard]] Status ExecuteAtomic(const StatementContext& context, const syntax::Atomic& atomic);

// Gathers mutations and writes them in batches. Each row of a batch is atomic, the batch is not. In
// a row transaction the mutations are held back instead. What is not flushed is lost: the caller
// calls Flush at the end.
class RowWriter {
 public:
  RowWriter(const StatementContext& context, std::string table)
      : context_(context), table_(std::move(table)) {}
  // Adds a mutation; entries for a row that is in the batch already join its mutation. May flush.
  [[nodiscard]] Status Add(engine::RowMutation mutation, const Span& span = {});
  // Writes the batch. Returns the error of the first row that failed; other rows may be written.
  [[nodiscard]] Status Flush();
  bool IsFlushed() const { return batch_.empty(); }
  uint64_t rows() const { return rows_; }                  // rows added
  uint64_t flushed_rows() const { return flushed_rows_; }  // rows known to be written
  uint64_t cells() const { return cells_; }                // entries added

 private:
  const StatementContext& context_;
  std::string table_;
  std::vector<engine::RowMutation> batch_;
  std::unordered_map<std::string, size_t> index_;  // row key -> its mutation in batch_
  size_t bytes_ = 0;                               // size of batch_
  uint64_t rows_ = 0, cells_ = 0, flushed_rows_ = 0;
};

// `value` as the bytes of a cell in `family`: an INT64 of a counter becomes 8 bytes big-endian.
// TYPE if the family cannot hold the value.
[[nodiscard]] StatusOr<std::string> CellBytes(const engine::TableSchema& schema,
                                              std::string_view family, std::string_view qualifier,
                                              const Value& value, const Span& span);

}  // namespace sippar::query
