// Statements that write rows. SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Gathers rows and writes them in batches; each row is atomic. Used by INSERT and IMPORT.
class RowWriter {
 public:
  RowWriter(const StatementContext& context, std::string table)
      : context_(context), table_(std::move(table)) {}
  // Joins entries of a row that comes again while its batch waits.
  [[nodiscard]] Status Add(engine::RowMutation mutation, const Span& span = {});
  [[nodiscard]] Status Flush();
  bool IsFlushed() const { return batch_.empty(); }
  uint64_t rows() const { return rows_; }
  uint64_t flushed_rows() const { return flushed_rows_; }  // known to be written
  uint64_t cells() const { return cells_; }

 private:
  const StatementContext& context_;
  std::string table_;
  std::vector<engine::RowMutation> batch_;
  std::map<std::string, size_t, std::less<>> index_;
  size_t bytes_ = 0;
  uint64_t rows_ = 0, cells_ = 0, flushed_rows_ = 0;
};

// The bytes of a cell of this family; TYPE when the value is of no use there.
[[nodiscard]] StatusOr<std::string> CellBytes(const engine::TableSchema& schema,
                                              std::string_view family, std::string_view qualifier,
                                              const Value& value, const Span& span);

}  // namespace sippar::query
