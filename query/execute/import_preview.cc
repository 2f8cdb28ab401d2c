// SPDX-License-Identifier: Apache-2.0
#include "query/execute/import_preview.h"

#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/execute/select.h"

namespace sippar::query {
namespace {

constexpr size_t kShown = 20;  // number of cells that are shown

}  // namespace

void ImportPreview::Add(const engine::RowMutation& mutation) {
  rows_ += mutation.row != last_row_ ? 1 : 0;
  last_row_ = mutation.row;
  cells_ += mutation.entries.size();
  for (const engine::MutationEntry& entry : mutation.entries) {
    if (first_.size() == kShown) return;
    bool now = entry.timestamp_us == engine::kServerTime;
    first_.push_back({Value::Bytes(mutation.row),
                      Value::Bytes(fmt::format("{}:{}", entry.family, entry.qualifier)),
                      now ? Value::Null() : Value::Int64(entry.timestamp_us),
                      CellValue(schema_, entry.family, entry.value)});
  }
}

void ImportPreview::Give(const StatementContext& context) const {
  context.summary->kind = ResultKind::kRows;
  // A statement that is only analyzed has no sink.
  if (context.sink == nullptr) return;
  context.sink->Begin({{"row", {ValueType::kBytes}},
                       {"column", {ValueType::kBytes}},
                       {"timestamp", {ValueType::kInt64}},
                       {"value", {}}});
  bool goes_on = true;
  GiveRows(context, first_, &goes_on);
}

}  // namespace sippar::query
