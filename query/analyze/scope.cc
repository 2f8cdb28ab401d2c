// Scopes. SPDX-License-Identifier: Apache-2.0
#include "query/analyze/scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

uint32_t FindOrAdd(std::vector<SlotDef>* slots, const SlotDef& slot) {
  auto found = std::find(slots->begin(), slots->end(), slot);
  if (found == slots->end()) found = slots->insert(found, slot);
  return static_cast<uint32_t>(found - slots->begin());
}

}  // namespace

bool IsRowName(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "row" || lower == "_key";  // _key: the GoogleSQL spelling
}

StatusOr<Expression> ConstantScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind) {
  return ErrorAt("NOT_CONSTANT", node.span,
                 fmt::format("{} is a column; only constants are known here", Print(node)),
                 "text is written in quotes");
}

// --- RowScope ---

Expression RowScope::Slot(SlotDef::Kind kind, uint32_t pattern) {
  return Expression::Slot(FindOrAdd(&slots_, {kind, pattern}));
}

uint32_t RowScope::AddPattern(const engine::ColumnPattern& pattern) {
  auto found = std::find(patterns_.begin(), patterns_.end(), pattern);
  if (found == patterns_.end()) found = patterns_.insert(found, pattern);
  return static_cast<uint32_t>(found - patterns_.begin());
}

Expression RowScope::PatternSlot(const engine::ColumnPattern& pattern, SlotDef::Kind kind) {
  if (!pattern.IsExact()) {
    if (kind == SlotDef::kNewest) kind = SlotDef::kMap;
    if (kind == SlotDef::kHistory) kind = SlotDef::kMapHistory;
  }
  return Slot(kind, AddPattern(pattern));
}

StatusOr<std::optional<Expression>> RowScope::Name(std::string_view name) {
  for (size_t i = lets_.size(); i > 0; --i) {
    if (lets_[i - 1].name == name) return std::optional(Slot(SlotDef::kLet, lets_[i - 1].index));
  }
  if (IsRowName(name)) return std::optional(Slot(SlotDef::kRow));
  if (schema_->FindFamily(name) == nullptr) return std::optional<Expression>();
  engine::ColumnPattern pattern{engine::NamePattern::Exact(name), engine::NamePattern::Any()};
  return std::optional(PatternSlot(pattern, SlotDef::kNewest));
}

StatusOr<std::optional<Expression>> RowScope::FamilyItem(std::string_view family,
                                                         std::string_view qualifier) {
  if (schema_->FindFamily(family) == nullptr) return std::optional<Expression>();
  return std::optional(
      PatternSlot(engine::ColumnPattern::Exact(family, qualifier), SlotDef::kNewest));
}

StatusOr<Expression> RowScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) {
  ASSIGN_OR_RETURN(engine::ColumnPattern pattern, BindPattern(*context_, *schema_, node));
  return PatternSlot(pattern, kind);
}

std::vector<std::string> RowScope::KnownNames() const {
  std::vector<std::string> names = {"row"};
  for (const Let& let : lets_) names.push_back(let.name);
  for (const engine::FamilySchema& family : schema_->families) names.push_back(family.name);
  return names;
}

// --- CellScope ---

Expression CellScope::Slot(SlotDef::Kind kind) {
  return Expression::Slot(FindOrAdd(&slots_, {kind, 0}));
}

StatusOr<std::optional<Expression>> CellScope::Name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (IsRowName(lower)) return std::optional(Slot(SlotDef::kRow));
  if (lower == "family") return std::optional(Slot(SlotDef::kFamily));
  if (lower == "qualifier") return std::optional(Slot(SlotDef::kQualifier));
  if (lower == "column") return std::optional(Slot(SlotDef::kColumn));
  if (lower == "timestamp") return std::optional(Slot(SlotDef::kTimestamp));
  if (lower == "value") return std::optional(Slot(SlotDef::kValue));
  return std::optional<Expression>();
}

StatusOr<Expression> CellScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind) {
  return ErrorAt("UNKNOWN_NAME", node.span,
                 fmt::format("{} is a column of the row view; cells have row, family, qualifier, "
                             "column, timestamp, value",
                             Print(node)),
                 "write SELECT without CELLS, or test family and qualifier");
}

std::vector<std::string> CellScope::KnownNames() const {
  return {"row", "family", "qualifier", "column", "timestamp", "value"};
}

// --- RelationScope ---

StatusOr<std::optional<Expression>> RelationScope::Name(std::string_view name) {
  auto equal = [&](const std::string& column) {
    return std::equal(column.begin(), column.end(), name.begin(), name.end(), [](char a, char b) {
      auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
      return lower(a) == lower(b);
    });
  };
  auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) found = std::find_if(columns_.begin(), columns_.end(), equal);
  if (found == columns_.end()) return std::optional<Expression>();
  return std::optional(Expression::Slot(static_cast<uint32_t>(found - columns_.begin())));
}

StatusOr<Expression> RelationScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind) {
  ASSIGN_OR_RETURN(std::optional<Expression> column, Name(Print(node)));
  if (column) return *column;
  return ErrorAt("UNKNOWN_NAME", node.span,
                 fmt::format("no column {} in what is selected from", Print(node)),
                 "give it a name there with AS");
}

}  // namespace sippar::query
