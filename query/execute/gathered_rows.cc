// SPDX-License-Identifier: Apache-2.0
#include "query/execute/gathered_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "engine/program/value.h"
#include "query/execute/row_writer.h"

namespace sippar::query {
namespace {

bool IsConstant(const syntax::Expr& expr) {
  return expr.kind == syntax::ExprKind::kLiteral || expr.kind == syntax::ExprKind::kParam;
}

}  // namespace

bool IsPlainInsert(const syntax::Statement& statement) {
  const auto* insert = std::get_if<syntax::Insert>(&statement.node);
  if (insert == nullptr || insert->kind == syntax::Insert::kSelect || insert->condition) {
    return false;
  }
  // The tuples of VALUES need no test: they hold only constants.
  return std::all_of(insert->assigns.begin(), insert->assigns.end(),
                     [](const syntax::Assign& assign) {
                       return assign.op == syntax::Assign::kSet && IsConstant(assign.value);
                     });
}

bool GatheredRows::MustWait(const std::string& table,
                            const std::vector<engine::RowMutation>& rows) const {
  return table != table_ || rows_.size() + rows.size() > kBatchRows || bytes_ > kBatchBytes ||
         std::any_of(rows.begin(), rows.end(),
                     [this](const engine::RowMutation& row) { return keys_.contains(row.row); });
}

Status GatheredRows::Take(const std::string& table, std::vector<engine::RowMutation> rows) {
  if (!rows_.empty() && MustWait(table, rows)) Send();
  if (!failed_.empty()) return Aborted("an INSERT before this one failed");
  table_ = table;
  for (engine::RowMutation& row : rows) {
    bytes_ += row.StoredSize();
    keys_.insert(row.row);
    statements_.push_back(statement_);
    rows_.push_back(std::move(row));
  }
  return OkStatus();
}

void GatheredRows::Send() {
  const std::vector<Status> statuses =
      client_->data()->ApplyBatch(table_, rows_, {.cancel = cancel_});
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) continue;
    failed_.emplace(
        statements_[i],
        Annotate(statuses[i], fmt::format("row '{}'", engine::PrintEscaped(rows_[i].row))));
  }
  rows_.clear();
  statements_.clear();
  keys_.clear();
  bytes_ = 0;
}

std::map<size_t, Status> GatheredRows::Finish() {
  if (!rows_.empty()) Send();
  return std::exchange(failed_, {});
}

}  // namespace sippar::query
