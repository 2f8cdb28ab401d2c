// SPDX-License-Identifier: Apache-2.0
#include "query/execute/unnest.h"

#include <fmt/format.h>

#include <utility>

#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {

using engine::Row;
using engine::Value;

StatusOr<std::unique_ptr<LineMaker>> LineMaker::Prepare(const SelectPlan& plan,
                                                        const engine::StopSignal& stop) {
  std::unique_ptr<LineMaker> maker(new LineMaker(plan, stop));
  for (const UnnestPlan& unnest : plan.unnests) {
    auto list = engine::Evaluator::Prepare(unnest.list, &stop);
    if (!list.ok()) return WithQueryCode(list.status(), unnest.span);
    maker->lists_.push_back(*std::move(list));
  }
  return maker;
}

StatusOr<bool> LineMaker::MakeLines(Row row, const LineConsumer& give) {
  line_.resize(plan_.unnest_columns);
  for (Value& value : row) line_.push_back(std::move(value));
  return AddItems(0, give);
}

StatusOr<bool> LineMaker::AddItems(size_t index, const LineConsumer& give) {
  if (index == plan_.unnests.size()) return give(line_);
  // Many combinations of items may give no line, if the last list has no items.
  RETURN_IF_ERROR(budget_.Spend(engine::StopBudget::kStep));
  const UnnestPlan& unnest = plan_.unnests[index];
  // `list` stays valid in the loop: the list of each UNNEST has an evaluator of its own, and the
  // loop changes only values of the line that this list does not use.
  const Value* list = nullptr;
  Status status = lists_[index]->Evaluate(line_, nullptr, &list);
  if (!status.ok()) return WithQueryCode(status, unnest.span);
  if (list->type() != ValueType::kArray && !list->is_null()) {
    return ErrorAt("TYPE", unnest.span,
                   fmt::format("UNNEST takes an ARRAY, not {}", engine::TypeName(list->type())));
  }
  const Value::Items& items = list->items();
  if (items.empty() && unnest.keeps_row) {
    line_[unnest.item_at] = Value::Null();
    if (unnest.offset_at) line_[*unnest.offset_at] = Value::Null();
    return AddItems(index + 1, give);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    line_[unnest.item_at] = items[i];
    if (unnest.offset_at) line_[*unnest.offset_at] = Value::Int64(static_cast<int64_t>(i));
    ASSIGN_OR_RETURN(bool goes_on, AddItems(index + 1, give));
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace sippar::query
