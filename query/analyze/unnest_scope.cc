// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/unnest_scope.h"

#include <algorithm>
#include <utility>

#include "query/analyze/compile.h"

namespace sippar::query {

void ChangeSlots(Expression* expression, const std::function<uint32_t(uint32_t slot)>& change) {
  if (expression->kind == Expression::kSlot) expression->slot = change(expression->slot);
  for (Expression& arg : expression->args) ChangeSlots(&arg, change);
}

bool AnySlot(const Expression& expression, const std::function<bool(uint32_t slot)>& wanted) {
  if (expression.kind == Expression::kSlot) return wanted(expression.slot);
  return std::any_of(expression.args.begin(), expression.args.end(),
                     [&](const Expression& arg) { return AnySlot(arg, wanted); });
}

void UnnestScope::Add(std::string name, DataType type) {
  names_.push_back(std::move(name));
  types_.push_back(std::move(type));
}

Expression UnnestScope::FromSource(Expression expression) const {
  ChangeSlots(&expression, [this](uint32_t slot) { return slot + columns_; });
  return expression;
}

std::optional<uint32_t> UnnestScope::Find(std::string_view name) const {
  auto found = std::find_if(names_.begin(), names_.end(),
                            [&](const std::string& column) { return SameWord(column, name); });
  if (found == names_.end()) return std::nullopt;
  return static_cast<uint32_t>(found - names_.begin());
}

StatusOr<std::optional<Expression>> UnnestScope::Name(std::string_view name) {
  if (std::optional<uint32_t> column = Find(name)) return std::optional(Expression::Slot(*column));
  ASSIGN_OR_RETURN(std::optional<Expression> found, source_->Name(name));
  if (found) found = FromSource(*std::move(found));
  return found;
}

StatusOr<Expression> UnnestScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) {
  ASSIGN_OR_RETURN(Expression found, source_->Pattern(node, kind));
  return FromSource(std::move(found));
}

StatusOr<std::optional<Expression>> UnnestScope::FamilyItem(std::string_view family,
                                                            std::string_view qualifier) {
  // e.key is a field of the item e and not the column e:key.
  if (IsColumn(family)) return std::optional<Expression>();
  ASSIGN_OR_RETURN(std::optional<Expression> found, source_->FamilyItem(family, qualifier));
  if (found) found = FromSource(*std::move(found));
  return found;
}

std::vector<std::string> UnnestScope::KnownNames() const {
  std::vector<std::string> names = source_->KnownNames();
  names.insert(names.end(), names_.begin(), names_.end());
  return names;
}

DataType UnnestScope::SlotType(uint32_t slot) const {
  if (slot >= columns_) return source_->SlotType(slot - columns_);
  return slot < types_.size() ? types_[slot] : DataType();
}

bool UnnestScope::IsTime(uint32_t slot) const {
  return slot >= columns_ && source_->IsTime(slot - columns_);
}

bool UnnestScope::IsMixed(uint32_t slot) const {
  return slot >= columns_ && source_->IsMixed(slot - columns_);
}

}  // namespace sippar::query
