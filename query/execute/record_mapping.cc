// SPDX-License-Identifier: Apache-2.0
#include "query/execute/record_mapping.h"

#include <fmt/format.h>

#include "engine/program/calendar.h"
#include "engine/program/scalar_function.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/insert_columns.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {

using engine::Evaluator;

namespace {

std::string HowToMap(const syntax::Import& import) {
  return fmt::format(
      "map the columns of the file: IMPORT INTO {} FROM 'file' (ROW = id, f:name = name), or --map "
      "\"ROW = id, f:name = name\"",
      QuoteName(import.table.text));
}

}  // namespace

StatusOr<RecordMapping::Mapped> RecordMapping::Prepare(const Expression& expression) const {
  Mapped mapped;
  ASSIGN_OR_RETURN(mapped.value, Evaluator::Prepare(expression, &context_.stop));
  // If the expression is only a column, its index is kept, so that the column's text in the file
  // can be stored as it is.
  if (expression.kind == Expression::kSlot) mapped.column = expression.slot;
  return mapped;
}

// All names are resolved before the first record, so that a wrong mapping writes nothing.
Status RecordMapping::Plan(const syntax::Import& import) {
  if (import.mapping.empty()) return PlanByName(import);
  RelationScope scope("the file", file_->columns());
  ExpressionCompiler compiler(context_, &scope);
  for (const syntax::MapItem& item : import.mapping) {
    auto expression = compiler.Compile(item.value);
    if (!expression.ok()) return WithColumns(expression.status());
    ASSIGN_OR_RETURN(Mapped mapped, Prepare(*expression));
    if (item.target.kind == syntax::ColumnTarget::kRow) {
      row_ = std::move(mapped);
    } else if (item.target.kind == syntax::ColumnTarget::kTimestamp) {
      time_ = std::move(mapped.value);
    } else {
      ASSIGN_OR_RETURN(engine::ColumnPattern pattern,
                       BindPattern(context_, schema_, item.target.column));
      if (!pattern.IsExact()) {
        return ErrorAt("NOT_EXACT", item.target.span,
                       "a column of IMPORT must name exactly one column");
      }
      AddCell(std::move(mapped), pattern.family.text, pattern.qualifier.text);
    }
  }
  if (row_.value != nullptr) return OkStatus();
  return ErrorAt(
      "NO_ROW", import.table.span, "ROW is missing from the mapping of IMPORT",
      fmt::format("(ROW = column, …); the columns of the file: {}", PrintNames(file_->columns())));
}

// An error here concerns one record; ImportRun adds the line of the file as its place.
StatusOr<engine::RowMutation> RecordMapping::Mutation(const Row& record) {
  if (as_cells_) return CellMutation(record);
  engine::RowMutation mutation;
  if (const std::string* key = PlainText(row_, record); key != nullptr) {
    RETURN_IF_ERROR(CheckRowKey(*key));
    mutation.row = *key;
  } else {
    ASSIGN_OR_RETURN(Value value, ValueOf(row_, record));
    ASSIGN_OR_RETURN(mutation, Start(value));
  }
  mutation.entries.reserve(cells_.size());
  int64_t time_us = engine::kServerTime;
  if (time_ != nullptr) {
    ASSIGN_OR_RETURN(Value time, ValueOf(time_.get(), record));
    ASSIGN_OR_RETURN(time_us, Time(time));
  }
  for (const Mapped& cell : cells_) {
    const std::string* text = cell.is_text ? PlainText(cell, record) : nullptr;
    if (text != nullptr) {
      if (cell.is_utf8) {
        Status valid = engine::CheckText(cell.family, cell.qualifier, *text);
        if (!valid.ok()) return WithQueryCode(valid);
      }
      mutation.Set(cell.family, cell.qualifier, *text, time_us);
      continue;
    }
    ASSIGN_OR_RETURN(Value value, ValueOf(cell, record));
    // NULL writes no cell; an empty text writes an empty cell.
    if (value.is_null()) continue;
    ASSIGN_OR_RETURN(std::string bytes, Bytes(cell.family, cell.qualifier, value));
    PutCell(schema_, cell.family, cell.qualifier, bytes, time_us, &mutation);
  }
  return mutation;
}

Status RecordMapping::PlanByName(const syntax::Import& import) {
  const std::vector<std::string>& columns = file_->columns();
  std::vector<std::string> cell = {"row", "column", "timestamp", "value"};
  // A file without columns is empty; IMPORT accepts it and writes nothing.
  as_cells_ = columns == cell || columns.empty();
  if (as_cells_) return OkStatus();
  for (uint32_t i = 0; i < columns.size(); ++i) {
    ASSIGN_OR_RETURN(Mapped mapped, Prepare(Expression::Slot(i)));
    // The first colon ends the family: a family's name has no colon, but a qualifier may have one.
    size_t colon = columns[i].find(':');
    if (SameWord(columns[i], "row")) {
      row_ = std::move(mapped);
    } else if (SameWord(columns[i], "timestamp")) {
      time_ = std::move(mapped.value);
    } else if (colon == std::string::npos) {
      return ErrorAt("BAD_COLUMN", import.table.span,
                     fmt::format("column '{}' of the file is not family:qualifier", columns[i]),
                     HowToMap(import));
    } else {
      std::string family = columns[i].substr(0, colon);
      if (schema_.FindFamily(family) == nullptr) {
        return UnknownFamily(schema_, family, import.table.span);
      }
      AddCell(std::move(mapped), family, columns[i].substr(colon + 1));
    }
  }
  if (row_.value != nullptr) return OkStatus();
  return ErrorAt("NO_ROW", import.table.span,
                 "the file has no column named row; its columns: " + PrintNames(file_->columns()),
                 HowToMap(import));
}

const std::string* RecordMapping::PlainText(const Mapped& mapped, const Row& record) const {
  if (!mapped.column || !record[*mapped.column].is_string()) return nullptr;
  return file_->Exact(*mapped.column).empty() ? &record[*mapped.column].bytes() : nullptr;
}

void RecordMapping::AddCell(Mapped mapped, std::string_view family, std::string_view qualifier) {
  const engine::FamilySchema* found = schema_.FindFamily(family);
  mapped.is_utf8 = found != nullptr && found->type == engine::FamilyType::kText;
  mapped.is_text =
      found != nullptr && (found->type == engine::FamilyType::kBytes || mapped.is_utf8);
  mapped.family = family;
  mapped.qualifier = qualifier;
  cells_.push_back(std::move(mapped));
}

// Adds the list of the file's columns only to an UNKNOWN_NAME error, unless its hint has the list.
// For any other error of a mapping the list is no help, because that error concerns the expression.
Status RecordMapping::WithColumns(const Status& status) const {
  QueryError error = QueryErrorOf(status);
  const std::string columns = PrintNames(file_->columns());
  if (error.code != "UNKNOWN_NAME" || error.hint.ends_with(columns)) return status;
  error.message += "; the columns of the file: " + columns;
  return ToStatus(error, status.code());
}

StatusOr<engine::RowMutation> RecordMapping::CellMutation(const Row& record) {
  if (record.size() != 4) return ErrorAt("BAD_RECORD", {}, "this object has no members");
  ASSIGN_OR_RETURN(engine::RowMutation mutation, Start(Exact(0, record[0])));
  const std::string& column = record[1].bytes();
  size_t colon = column.find(':');
  if (colon == std::string::npos) {
    return ErrorAt(
        "BAD_COLUMN", {},
        fmt::format("column '{}' is not family:qualifier", engine::PrintEscaped(column)));
  }
  std::string family = column.substr(0, colon);
  if (schema_.FindFamily(family) == nullptr) return UnknownFamily(schema_, family, {});
  ASSIGN_OR_RETURN(int64_t time_us, Time(record[2]));
  std::string qualifier = column.substr(colon + 1);
  ASSIGN_OR_RETURN(std::string bytes, Bytes(family, qualifier, Exact(3, record[3])));
  PutCell(schema_, family, qualifier, bytes, time_us, &mutation);
  return mutation;
}

StatusOr<Value> RecordMapping::ValueOf(Evaluator* evaluator, const Row& record) {
  const Value* value = nullptr;
  Status status = evaluator->Evaluate(record, nullptr, &value);
  if (!status.ok()) return WithQueryCode(status);
  return *value;
}

Value RecordMapping::Exact(uint32_t column, const Value& value) const {
  std::string_view text = file_->Exact(column);
  return text.empty() ? value : Value::Text(std::string(text));
}

StatusOr<Value> RecordMapping::ValueOf(const Mapped& mapped, const Row& record) const {
  if (mapped.column) return Exact(*mapped.column, record[*mapped.column]);
  return ValueOf(mapped.value.get(), record);
}

StatusOr<engine::RowMutation> RecordMapping::Start(const Value& key) {
  // NULL becomes the empty key, which is refused below like an empty field. A number as a key is
  // stored as its digits, like a number in a family that is not a counter.
  std::string row = key.is_string() ? key.bytes() : key.is_null() ? "" : key.Print();
  RETURN_IF_ERROR(CheckRowKey(row));
  return engine::RowMutation(row);
}

Status RecordMapping::CheckRowKey(const std::string& row) {
  Status valid = engine::ValidateRowKey(row);
  return valid.ok() ? valid : ErrorAt("BAD_ROW_KEY", {}, MessageOf(valid));
}

StatusOr<int64_t> RecordMapping::Time(const Value& value) {
  if (value.is_null()) return engine::kServerTime;
  Value time = value;
  bool is_time = engine::IsTime(time);
  if (value.is_string()) {
    Value text = Value::Text(value.bytes());
    // Digits are microseconds, as in a cells file; only other text is read as an ISO time.
    is_time = engine::ConvertValue(text, ValueType::kInt64, &time).ok() ||
              engine::ConvertValue(text, ValueType::kTimestamp, &time).ok();
  }
  if (!is_time) {
    return ErrorAt(
        "TYPE", {},
        fmt::format("TIMESTAMP: '{:.60}' is not a time; write microseconds since 1970, or "
                    "2026-11-20T12:00:00Z",
                    value.Print()));
  }
  const int64_t time_us = engine::MicrosOf(time);
  RETURN_IF_ERROR(CheckCellTime(time_us, {}));
  return time_us;
}

StatusOr<std::string> RecordMapping::Bytes(const std::string& family, const std::string& qualifier,
                                           const Value& value) const {
  const engine::FamilySchema* found = schema_.FindFamily(family);
  bool counter = found != nullptr && engine::IsInt64(found->type);
  Value converted = value;
  // A file holds a counter's value as digits. Values of other families are stored as their text.
  if (counter && value.type() == ValueType::kText) {
    if (!engine::ConvertValue(value, ValueType::kInt64, &converted).ok()) {
      return ErrorAt("DECODE", {},
                     fmt::format("{}:{}: '{:.60}' is not an INT64, which family {} takes", family,
                                 engine::PrintEscaped(qualifier), value.Print(), family),
                     "TRY_CAST(x AS INT64) in the mapping writes no cell for such a value");
    }
  } else if (!counter && !value.is_string()) {
    converted = Value::Text(value.Print());
  }
  return CellBytes(schema_, family, qualifier, converted, {});
}

}  // namespace sippar::query
