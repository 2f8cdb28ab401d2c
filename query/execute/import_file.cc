// IMPORT: every record of a file becomes a mutation of one row. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/program/evaluate.h"
#include "engine/program/scalar_function.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/file_rows.h"
#include "query/execute/transaction.h"
#include "query/execute/transfer.h"
#include "query/execute/write.h"
#include "query/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Evaluator;

constexpr size_t kSkippedLinesShown = 10;

struct Mapped {
  std::unique_ptr<Evaluator> value;
  std::string family, qualifier;
  Span span;
};

// Names that expressions read: the members of a jsonl object to look at.
void CollectNames(const syntax::Expr& expr, std::vector<std::string>* names) {
  if (expr.kind == syntax::ExprKind::kName) names->push_back(expr.name);
  if (expr.kind == syntax::ExprKind::kPattern) names->push_back(Print(expr.pattern));
  for (const syntax::Expr& child : expr.children) CollectNames(child, names);
}

class Importer {
 public:
  Importer(const StatementContext& context, const engine::TableSchema& schema)
      : context_(context), schema_(schema) {}

  // The mapping of the statement, or what the columns' names say.
  Status Plan(const syntax::Import& import, const std::vector<std::string>& columns) {
    if (import.mapping.empty()) return PlanByName(import, columns);
    RelationScope scope(columns);
    ExpressionCompiler compiler(context_, &scope);
    for (const syntax::MapItem& item : import.mapping) {
      ASSIGN_OR_RETURN(Expression expression, compiler.Compile(item.value));
      ASSIGN_OR_RETURN(auto evaluator, Evaluator::Prepare(expression));
      if (item.target.kind == syntax::ColumnTarget::kRow) {
        row_ = std::move(evaluator);
      } else if (item.target.kind == syntax::ColumnTarget::kTimestamp) {
        time_ = std::move(evaluator);
      } else {
        ASSIGN_OR_RETURN(engine::ColumnPattern pattern,
                         BindPattern(context_, schema_, item.target.column));
        if (!pattern.IsExact()) {
          return ErrorAt("NOT_EXACT", item.target.span, "a column of IMPORT must name one column");
        }
        cells_.push_back(
            {std::move(evaluator), pattern.family.text, pattern.qualifier.text, item.target.span});
      }
    }
    if (row_ != nullptr) return OkStatus();
    return ErrorAt("NO_ROW", import.table.span, "the mapping of IMPORT lacks ROW",
                   "(ROW = name, …)");
  }

  StatusOr<engine::RowMutation> Mutation(const Row& record) {
    if (as_cells_) return CellMutation(record);
    ASSIGN_OR_RETURN(Value key, ValueOf(row_.get(), record));
    ASSIGN_OR_RETURN(engine::RowMutation mutation, Start(key));
    int64_t time_us = engine::kServerTime;
    if (time_ != nullptr) {
      ASSIGN_OR_RETURN(Value time, ValueOf(time_.get(), record));
      ASSIGN_OR_RETURN(time_us, Time(time));
    }
    for (const Mapped& cell : cells_) {
      ASSIGN_OR_RETURN(Value value, ValueOf(cell.value.get(), record));
      if (value.is_null()) continue;
      ASSIGN_OR_RETURN(std::string bytes, Bytes(cell.family, cell.qualifier, value));
      Put(cell.family, cell.qualifier, bytes, time_us, &mutation);
    }
    return mutation;
  }

 private:
  Status PlanByName(const syntax::Import& import, const std::vector<std::string>& columns) {
    std::vector<std::string> cell = {"row", "column", "timestamp", "value"};
    as_cells_ = columns == cell || columns.empty();
    if (as_cells_) return OkStatus();
    for (uint32_t i = 0; i < columns.size(); ++i) {
      ASSIGN_OR_RETURN(auto evaluator, Evaluator::Prepare(Expression::Slot(i)));
      size_t colon = columns[i].find(':');
      if (SameWord(columns[i], "row")) {
        row_ = std::move(evaluator);
      } else if (SameWord(columns[i], "timestamp")) {
        time_ = std::move(evaluator);
      } else if (colon == std::string::npos) {
        return ErrorAt("BAD_COLUMN", import.table.span,
                       fmt::format("column '{}' of the file is no family:qualifier", columns[i]),
                       "say what goes where: (ROW = a, f:q = b)");
      } else {
        std::string family = columns[i].substr(0, colon);
        if (schema_.FindFamily(family) == nullptr) {
          return UnknownFamily(schema_, family, import.table.span);
        }
        cells_.push_back({std::move(evaluator), family, columns[i].substr(colon + 1), {}});
      }
    }
    if (row_ != nullptr) return OkStatus();
    return ErrorAt("NO_ROW", import.table.span, "the file has no column row",
                   "say what goes where: (ROW = a, f:q = b)");
  }

  // Record of (row, column, timestamp, value).
  StatusOr<engine::RowMutation> CellMutation(const Row& record) {
    ASSIGN_OR_RETURN(engine::RowMutation mutation, Start(record[0]));
    const std::string& column = record[1].bytes();
    size_t colon = column.find(':');
    if (colon == std::string::npos) {
      return ErrorAt("BAD_COLUMN", {},
                     fmt::format("'{}' is no family:qualifier", engine::PrintEscaped(column)));
    }
    std::string family = column.substr(0, colon);
    if (schema_.FindFamily(family) == nullptr) return UnknownFamily(schema_, family, {});
    ASSIGN_OR_RETURN(int64_t time_us, Time(record[2]));
    std::string qualifier = column.substr(colon + 1);
    ASSIGN_OR_RETURN(std::string bytes, Bytes(family, qualifier, record[3]));
    Put(family, qualifier, bytes, time_us, &mutation);
    return mutation;
  }

  // What an accumulator of another table has come to joins what is here.
  void Put(const std::string& family, const std::string& qualifier, const std::string& bytes,
           int64_t time_us, engine::RowMutation* mutation) const {
    const engine::FamilySchema* found = schema_.FindFamily(family);
    if (found != nullptr && engine::IsAggregate(found->type)) {
      mutation->Merge(family, qualifier, bytes, time_us);
    } else {
      mutation->Set(family, qualifier, bytes, time_us);
    }
  }

  static StatusOr<Value> ValueOf(Evaluator* evaluator, const Row& record) {
    const Value* value = nullptr;
    Status status = evaluator->Evaluate(record, nullptr, &value);
    if (!status.ok()) return WithQueryCode(status);
    return *value;
  }

  static StatusOr<engine::RowMutation> Start(const Value& key) {
    std::string row = key.is_string() ? key.bytes() : key.is_null() ? "" : key.Print();
    Status valid = engine::ValidateRowKey(row);
    if (!valid.ok()) return ErrorAt("BAD_ROW_KEY", {}, MessageOf(valid));
    return engine::RowMutation(row);
  }

  // INT64, TIMESTAMP, or text with digits or an ISO time.
  static StatusOr<int64_t> Time(const Value& value) {
    if (value.is_null()) return engine::kServerTime;
    Value time = value;
    if (value.is_string()) {
      Value text = Value::Text(value.bytes());
      if (!engine::ConvertValue(text, ValueType::kInt64, &time).ok()) {
        Status status = engine::ConvertValue(text, ValueType::kTimestamp, &time);
        if (!status.ok()) return WithQueryCode(status);
      }
    }
    if (time.type() == ValueType::kInt64 || time.type() == ValueType::kTimestamp) {
      return time.integer();
    }
    return ErrorAt("TYPE", {}, fmt::format("'{}' is no time", value.Print()));
  }

  StatusOr<std::string> Bytes(const std::string& family, const std::string& qualifier,
                              const Value& value) const {
    const engine::FamilySchema* found = schema_.FindFamily(family);
    bool counter = found != nullptr && engine::IsInt64(found->type);
    Value converted = value;
    if (counter && value.type() == ValueType::kText) {
      Status status = engine::ConvertValue(value, ValueType::kInt64, &converted);
      if (!status.ok()) return WithQueryCode(status);
    } else if (!counter && !value.is_string()) {
      converted = Value::Text(value.Print());  // a JSON number as its digits
    }
    return CellBytes(schema_, family, qualifier, converted, {});
  }

  const StatementContext& context_;
  const engine::TableSchema& schema_;
  bool as_cells_ = false;
  std::unique_ptr<Evaluator> row_, time_;
  std::vector<Mapped> cells_;
};

std::string Tag(const RowWriter& writer, uint64_t read, const std::vector<uint64_t>& skipped,
                uint64_t skipped_count, uint64_t bytes) {
  std::string lines;
  for (uint64_t line : skipped) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", line);
  if (skipped_count > skipped.size()) lines += ", …";
  std::string tag = fmt::format("{} read, {}, {} written", Plural(read, "record"),
                                Plural(writer.rows(), "row"), Plural(writer.cells(), "cell"));
  if (skipped_count > 0) tag += fmt::format(", {} skipped (lines {})", skipped_count, lines);
  return tag + fmt::format(", {}", Plural(bytes, "byte"));
}

}  // namespace

Status ExecuteImport(const StatementContext& context, const syntax::Import& import) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "IMPORT"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, import.table));
  ASSIGN_OR_RETURN(TransferOptions options, PlanTransferOptions(import.options));
  ASSIGN_OR_RETURN(std::string path, TransferPath(context, import.from));
  FileRowsOptions file_options;
  ASSIGN_OR_RETURN(file_options.format, TransferFormat(import.format, path, import.from.span));
  file_options.header = options.header;
  for (const syntax::MapItem& item : import.mapping) CollectNames(item.value, &file_options.wanted);
  ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, context.session->files->OpenInput(path));
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows, FileRows::Open(std::move(file), file_options));
  Importer importer(context, info.schema);
  RETURN_IF_ERROR(importer.Plan(import, rows->columns()));
  RowWriter writer(context, info.schema.name);
  uint64_t read = 0, skipped_count = 0;
  std::vector<uint64_t> skipped;
  for (;;) {
    if (context.session->cancel->load()) return Cancelled("cancelled; what was written stays");
    Row record;
    auto more = rows->Next(&record);
    Status status = more.status();
    if (more.ok() && !*more) break;
    ++read;
    if (status.ok()) {
      auto mutation = importer.Mutation(record);
      status = mutation.status();
      if (mutation.ok() && !mutation->entries.empty()) {
        RETURN_IF_ERROR(writer.Add(*std::move(mutation)));
      }
    }
    if (status.ok()) continue;
    bool broken_record =
        status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound;
    if (!options.skip_errors || !broken_record) {
      QueryError error = QueryErrorOf(status);
      return ErrorAt(
          error.code, import.from.span, fmt::format("{}:{}: {}", path, rows->line(), error.message),
          broken_record ? "WITH (ON_ERROR = SKIP) leaves such records out" : "", status.code());
    }
    ++skipped_count;
    if (skipped.size() < kSkippedLinesShown) skipped.push_back(rows->line());
    context.session->rows_read = read;
  }
  RETURN_IF_ERROR(writer.Flush());
  context.summary->tag = Tag(writer, read, skipped, skipped_count, rows->bytes());
  return OkStatus();
}

}  // namespace sippar::query
