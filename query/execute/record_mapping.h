// What each record of a file becomes: the mapping of IMPORT, or what the names of the file's
// columns say, made into mutations of rows. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/mutation.h"
#include "engine/program/evaluate.h"
#include "query/execute/file_rows.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

class RecordMapping {
 public:
  // All outlive it.
  RecordMapping(const StatementContext& context, const engine::TableSchema& schema, FileRows* file)
      : context_(context), schema_(schema), file_(file) {}

  // The mapping of the statement, or what the columns' names say.
  [[nodiscard]] Status Plan(const syntax::Import& import);
  [[nodiscard]] StatusOr<engine::RowMutation> Mutation(const Row& record);

 private:
  // What one column of the table, or the row key, is made of.
  struct Mapped {
    std::unique_ptr<engine::Evaluator> value;
    std::optional<uint32_t> column;  // of the file, when it is that alone
    std::string family, qualifier;
  };
  [[nodiscard]] StatusOr<Mapped> Prepare(const engine::Expression& expression) const;
  [[nodiscard]] Status PlanByName(const syntax::Import& import);
  void AddCell(Mapped mapped, std::string_view family, std::string_view qualifier);
  std::string ColumnList() const;
  // A name that the file lacks: the names it has.
  [[nodiscard]] Status WithColumns(const Status& status) const;
  // Record of (row, column, timestamp, value).
  [[nodiscard]] StatusOr<engine::RowMutation> CellMutation(const Row& record);
  // What an accumulator of another table has come to joins what is here.
  void Put(const std::string& family, const std::string& qualifier, const std::string& bytes,
           int64_t time_us, engine::RowMutation* mutation) const;
  [[nodiscard]] static StatusOr<Value> ValueOf(engine::Evaluator* evaluator, const Row& record);
  // A column of the file alone is written as it stands there: the digits of a number.
  Value Exact(uint32_t column, const Value& value) const;
  [[nodiscard]] StatusOr<Value> ValueOf(const Mapped& mapped, const Row& record) const;
  [[nodiscard]] static StatusOr<engine::RowMutation> Start(const Value& key);
  // INT64, TIMESTAMP, or text with digits or an ISO time.
  [[nodiscard]] static StatusOr<int64_t> Time(const Value& value);
  [[nodiscard]] StatusOr<std::string> Bytes(const std::string& family, const std::string& qualifier,
                                            const Value& value) const;

  const StatementContext& context_;
  const engine::TableSchema& schema_;
  FileRows* file_;
  bool as_cells_ = false;
  Mapped row_;
  std::unique_ptr<engine::Evaluator> time_;
  std::vector<Mapped> cells_;
};

}  // namespace sippar::query
