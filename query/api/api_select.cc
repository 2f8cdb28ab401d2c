// SPDX-License-Identifier: Apache-2.0
#include "query/api/api_select.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/checksum.h"
#include "query/analyze/compile.h"
#include "query/parse/parse.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using cluster::QueryColumn;
using engine::DataType;
using enum engine::ValueType;

// Memory for a sort. It is a constant here, because an API client cannot SET sort_memory.
constexpr uint64_t kSortBytes = 64 << 20;

Value SampleOf(const DataType& type) {
  switch (type.kind) {
    case kBool:
      return Value::Bool(false);
    case kInt64:
      return Value::Int64(1);  // the least count that VERSIONS and ARRAY_AGG accept
    case kFloat64:
      return Value::Float64(1);
    case kBytes:
      return Value::Bytes("");
    case kText:
      return Value::Text("");
    case kTimestamp:
      return Value::Timestamp(0);
    case kDate:
      return Value::Date(0);
    case kArray:
      return Value::Array({SampleOf(type.parts[0])});
    case kNull:
    case kDuration:
    case kMap:
    case kStruct:
      break;  // no parameter has such a type
  }
  return Value::Null();
}

bool IsOfType(const Value& value, const DataType& type) {
  if (value.is_null()) return true;  // NULL is a value of every type
  if (value.type() != type.kind) return false;
  return type.kind != kArray ||
         std::all_of(value.items().begin(), value.items().end(),
                     [&](const Value& item) { return IsOfType(item, type.parts[0]); });
}

// False for kNull, a type that is unknown before the query runs: the server could not tell the
// client how to decode the column. False for durations, for which the API has no type.
bool HasApiType(const DataType& type) {
  return type.kind != kNull && type.kind != kDuration &&
         std::all_of(type.parts.begin(), type.parts.end(), HasApiType);
}

syntax::Expr LiteralOf(syntax::Literal::Type type, int64_t integer, std::string bytes) {
  syntax::Expr expr;
  expr.kind = syntax::ExprKind::kLiteral;
  expr.literal.type = type;
  expr.literal.integer = integer;
  expr.literal.text = std::move(bytes);
  return expr;
}

// What is stored besides the cells is for those who run the table, not for the clients of the API.
Status CheckNoDeletes(const syntax::Select& select) {
  if (select.read.with_deletes) {
    return ErrorAt("UNSUPPORTED", select.read.span, "WITH DELETES is not supported here", {},
                   StatusCode::kUnimplemented);
  }
  const bool has_inner = select.from && select.from->select;
  return has_inner ? CheckNoDeletes(*select.from->select) : OkStatus();
}

}  // namespace

void SetUpSession(cluster::Client* client, const std::string& table_prefix, Params params,
                  SessionState* session) {
  session->client = client;
  session->table_prefix = table_prefix;
  // The name that GoogleSQL gives to the row key in the columns of `*`.
  session->key_column = "_key";
  session->settings.sort_memory_bytes = kSortBytes;
  session->parameters = std::move(params);
}

StatusOr<syntax::Select> ParseSelect(std::string_view text) {
  ASSIGN_OR_RETURN(syntax::Statement statement, ParseStatement(text));
  auto* select = std::get_if<syntax::Select>(&statement.node);
  if (select != nullptr) {
    RETURN_IF_ERROR(CheckNoDeletes(*select));
    return std::move(*select);
  }
  // PrepareQuery and ExecuteQuery are reads, which client libraries retry; a write that is retried
  // could apply twice.
  return ErrorAt("READ_ONLY", statement.span, "PrepareQuery and ExecuteQuery support only SELECT");
}

Params SampleParams(const ParamTypes& types) {
  Params samples;
  for (const auto& [name, type] : types) samples[name] = SampleOf(type);
  return samples;
}

Status CheckParams(const ParamTypes& types, const Params& params) {
  for (const auto& [name, value] : params) {
    // A value without a declaration is refused: the query was planned without it, so it can only be
    // a mistake.
    auto declared = types.find(name);
    if (declared == types.end()) {
      return InvalidArgument(fmt::format("params: the prepared query has no parameter @{}", name));
    }
    if (!IsOfType(value, declared->second)) {
      return InvalidArgument(fmt::format("params: @{} was prepared as {}, but its value is {}",
                                         name, engine::TypeName(declared->second.kind),
                                         engine::TypeName(value.type())));
    }
  }
  for (const auto& [name, type] : types) {
    if (!params.contains(name)) {
      return InvalidArgument(
          fmt::format("params: @{} ({}) has no value", name, engine::TypeName(type.kind)));
    }
  }
  return OkStatus();
}

StatusOr<std::vector<QueryColumn>> ColumnsOf(const SelectPlan& plan) {
  std::vector<QueryColumn> columns;
  for (const ResultColumn& column : plan.columns) {
    if (!HasApiType(column.type)) {
      return ErrorAt(
          "NO_TYPE", {},
          fmt::format("column {} {}", column.name,
                      column.type.IsKnown() ? "is a DURATION, which the API does not have"
                                            : "has a type that depends on its values"),
          "CAST(x AS INT64), CAST(x AS STRING)");
    }
    columns.push_back({column.name, column.type});
  }
  return columns;
}

// The token holds this hash instead of the columns, so that its size does not grow with the number
// of families.
uint64_t HashColumns(const std::vector<QueryColumn>& columns) {
  std::string bytes;
  for (const QueryColumn& column : columns) {
    engine::PutBytes(&bytes, column.name);
    EncodeType(column.type, &bytes);
  }
  return engine::Hash(bytes);
}

bool CanGoOn(const SelectPlan& plan) {
  // In a plan for which this test is false, a row may depend on the rows before it. To resume in
  // the middle of such a result, the server would have to keep state between calls, which it does
  // not.
  return plan.source == SelectPlan::kTable && !plan.program.aggregate && !plan.sorts &&
         !plan.distinct && plan.limit_by == kNoLimit;
}

size_t AddKey(syntax::Select* select, size_t columns) {
  // SELECT CELLS takes only patterns, so no item can be added to it.
  if (select->cells) return 0;
  syntax::SelectItem key;
  key.expr.kind = syntax::ExprKind::kName;
  key.expr.name = "_key";
  select->items.push_back(std::move(key));
  return columns;
}

Status GoOn(const StatementContext& context, const ResumeToken& token, syntax::Select* select) {
  // LIMIT counts the rows of the whole execution, so the rows already sent are subtracted. OFFSET
  // is removed, because the execution skipped its rows before it sent the first row.
  select->after = LiteralOf(syntax::Literal::kBytes, 0, token.row);
  select->after_row = true;
  if (!select->limit) return OkStatus();
  ASSIGN_OR_RETURN(uint64_t count, CompileCount(context, select->limit->count, "LIMIT"));
  auto left = static_cast<int64_t>(count - std::min(count, token.given));
  select->limit->count = LiteralOf(syntax::Literal::kInt64, left, "");
  select->limit->offset.reset();
  return OkStatus();
}

Status WithPlace(const Status& status) {
  if (status.ok()) return status;
  QueryError error = QueryErrorOf(WithQueryCode(status));
  std::string text = fmt::format("{}: {}", error.code, error.message);
  if (error.span.line > 0) text += fmt::format(" [at {}:{}]", error.span.line, error.span.column);
  // The usual hint names options of the shell, which a client of the API does not have.
  if (error.code == "UNKNOWN_PARAM") error.hint = "declare it in param_types";
  if (!error.hint.empty()) text += "; " + error.hint;
  return {status.code(), text};
}

}  // namespace sippar::query
