// Turns each record of a file into a mutation of one row, by the mapping in the IMPORT statement.
// If it has no mapping, the names of the file's columns decide.
// SPDX-License-Identifier: Apache-2.0
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
  // The arguments outlive the mapping.
  RecordMapping(const StatementContext& context, const engine::TableSchema& schema, FileRows* file)
      : context_(context), schema_(schema), file_(file) {}

  // Prepares the mapping that the statement contains. If it contains none, makes the mapping from
  // the names of the file's columns.
  [[nodiscard]] Status Plan(const syntax::Import& import);
  // The mutation made from `record`; it has no entries if all values are NULL.
  [[nodiscard]] StatusOr<engine::RowMutation> Mutation(const Row& record);

 private:
  // Where the value of one column of the table, or of the row key, comes from.
  struct Mapped {
    std::unique_ptr<engine::Evaluator> value;
    // Index of the file's column if `value` is a column and nothing else; otherwise nullopt.
    std::optional<uint32_t> column;
    std::string family, qualifier;  // the column to write; empty for the row key
    bool is_text = false;           // the family takes text as it is
    bool is_utf8 = false;           // the family takes only text that is UTF-8
  };
  [[nodiscard]] StatusOr<Mapped> Prepare(const engine::Expression& expression) const;
  [[nodiscard]] Status PlanByName(const syntax::Import& import);
  void AddCell(Mapped mapped, std::string_view family, std::string_view qualifier);
  // Adds the names of the file's columns to the error of an unknown name.
  [[nodiscard]] Status WithColumns(const Status& status) const;
  // The mutation of a record (row, column, timestamp, value).
  [[nodiscard]] StatusOr<engine::RowMutation> CellMutation(const Row& record);
  [[nodiscard]] static StatusOr<Value> ValueOf(engine::Evaluator* evaluator, const Row& record);
  // `value`, or the column's text in the file if that differs, so that 1.50 is stored as written.
  Value Exact(uint32_t column, const Value& value) const;
  [[nodiscard]] StatusOr<Value> ValueOf(const Mapped& mapped, const Row& record) const;
  // Returns the text in the record if `mapped` is only a column and its value is text; nullptr for
  // any other expression or value. Most columns are of this kind, and their text is not copied.
  const std::string* PlainText(const Mapped& mapped, const Row& record) const;
  [[nodiscard]] static StatusOr<engine::RowMutation> Start(const Value& key);
  [[nodiscard]] static Status CheckRowKey(const std::string& row);
  // Microseconds from an INT64, a TIMESTAMP, or text with digits or an ISO time.
  [[nodiscard]] static StatusOr<int64_t> Time(const Value& value);
  [[nodiscard]] StatusOr<std::string> Bytes(const std::string& family, const std::string& qualifier,
                                            const Value& value) const;

  const StatementContext& context_;
  const engine::TableSchema& schema_;
  FileRows* file_;
  bool as_cells_ = false;                    // records are (row, column, timestamp, value)
  Mapped row_;                               // the row key
  std::unique_ptr<engine::Evaluator> time_;  // null: the server's clock
  std::vector<Mapped> cells_;
};

}  // namespace sippar::query
