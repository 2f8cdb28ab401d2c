// The names of FROM source, UNNEST(list): those of the UNNESTs, and those of the source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/analyze/scope.h"

namespace sippar::query {

// Replaces the index of each slot in `expression` by `change` of it.
void ChangeSlots(Expression* expression, const std::function<uint32_t(uint32_t slot)>& change);
bool AnySlot(const Expression& expression, const std::function<bool(uint32_t slot)>& wanted);

// The slots are those of a line: the columns of the UNNESTs come first, then the slots of the
// source's scope. So a slot that the source's scope adds later changes no other slot.
class UnnestScope final : public Scope {
 public:
  // `source` outlives the scope. `columns` is the number of calls of Add that will follow.
  UnnestScope(Scope* source, uint32_t columns) : source_(source), columns_(columns) {}
  // Adds a column of an UNNEST. Only the columns added so far have a name.
  void Add(std::string name, DataType type);
  // True if a column of an UNNEST has this name; case is ignored.
  bool IsColumn(std::string_view name) const { return Find(name).has_value(); }
  // An expression of the source's scope, as an expression of this one.
  Expression FromSource(Expression expression) const;

  StatusOr<std::optional<Expression>> Name(std::string_view name) override;
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) override;
  StatusOr<std::optional<Expression>> FamilyItem(std::string_view family,
                                                 std::string_view qualifier) override;
  std::vector<std::string> KnownNames() const override;
  DataType SlotType(uint32_t slot) const override;
  bool IsTime(uint32_t slot) const override;
  bool IsMixed(uint32_t slot) const override;

  uint32_t columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }  // names of the columns

 private:
  std::optional<uint32_t> Find(std::string_view name) const;

  Scope* const source_;
  const uint32_t columns_;
  std::vector<std::string> names_;
  std::vector<DataType> types_;
};

}  // namespace sippar::query
