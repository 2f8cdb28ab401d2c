// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/program/program_coding.h"
#include "query/analyze/catalog.h"
#include "query/analyze/data_types.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {

// Case is ignored, since ROW is also a keyword, and keywords may have any case. Names of families
// and aliases are case-sensitive.
bool IsRowName(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "row" || lower == "_key";
}

StatusOr<Expression> ConstantScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind) {
  return ErrorAt("NOT_CONSTANT", node.span,
                 fmt::format("{} is a column; a constant was expected", Print(node)),
                 "text is written in quotes");
}

// --- RowScope ---

// Uses a map, since a statement may use 16,000 columns. CellScope has at most a slot for each of
// its names and searches them one by one.
Expression RowScope::Slot(SlotDef::Kind kind, uint32_t pattern) {
  auto [found, is_new] =
      slot_index_.try_emplace({kind, pattern}, static_cast<uint32_t>(slots_.size()));
  if (is_new) slots_.push_back({kind, pattern});
  return Expression::Slot(found->second);
}

uint32_t RowScope::AddPattern(const engine::ColumnPattern& pattern) {
  std::string key;
  // Patterns cannot be compared with <, so the map holds their encodings. Equal patterns have equal
  // encodings.
  engine::EncodeColumnPattern(pattern, &key);
  auto [found, is_new] =
      pattern_index_.try_emplace(std::move(key), static_cast<uint32_t>(patterns_.size()));
  if (is_new) patterns_.push_back(pattern);
  return found->second;
}

Expression RowScope::PatternSlot(const engine::ColumnPattern& pattern, SlotDef::Kind kind) {
  // A pattern of several columns has no single value: it is a map of the columns' values.
  if (!pattern.IsExact()) {
    if (kind == SlotDef::kNewest) kind = SlotDef::kMap;
    if (kind == SlotDef::kHistory) kind = SlotDef::kMapHistory;
  }
  return Slot(kind, AddPattern(pattern));
}

StatusOr<std::optional<Expression>> RowScope::Name(std::string_view name) {
  // Searches backwards, so that the latest LET of a name wins; a LET also hides `row` and families.
  for (size_t i = lets_.size(); i > 0; --i) {
    if (!name.empty() && lets_[i - 1].name == name)
      return std::optional(Slot(SlotDef::kLet, lets_[i - 1].index));
  }
  if (IsRowName(name)) return std::optional(Slot(SlotDef::kRow));
  if (schema_->FindFamily(name) == nullptr) return std::optional<Expression>();
  // A family by its name alone is a MAP of its columns, as in GoogleSQL.
  engine::ColumnPattern pattern{engine::NamePattern::Exact(name), engine::NamePattern::Any()};
  return std::optional(PatternSlot(pattern, SlotDef::kNewest));
}

// Reads one column instead of the whole family: Index would otherwise build the map of the family
// and take one entry from it.
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

// Nameless LETs hold the tests of IF and whether a RETURN was reached (execute/atomic.cc). No
// expression can name them, so they must not appear in a hint.
std::vector<std::string> RowScope::KnownNames() const {
  std::vector<std::string> names = {"row"};
  for (const Let& let : lets_) {
    if (!let.name.empty()) names.push_back(let.name);
  }
  for (const engine::FamilySchema& family : schema_->families) names.push_back(family.name);
  return names;
}

DataType RowScope::SlotType(uint32_t slot) const {
  const SlotDef& def = slots_[slot];
  if (def.kind != SlotDef::kLet) return SlotTypeInEngine(def, patterns_, *schema_);
  auto let = std::find_if(lets_.begin(), lets_.end(),
                          [&def](const Let& each) { return each.index == def.pattern; });
  return let == lets_.end() ? DataType() : let->type;
}

// --- CellScope ---

bool CellScope::IsMixed(uint32_t slot) const {
  if (slots_[slot].kind != SlotDef::kValue) return false;
  const std::set<engine::ValueType> types = CellTypes(*patterns_, *schema_);
  return types.size() > 1 && types.contains(engine::ValueType::kInt64);
}

bool CellScope::IsTime(uint32_t slot) const {
  const SlotDef::Kind kind = slots_[slot].kind;
  return kind == SlotDef::kTimestamp || kind == SlotDef::kTimeFrom || kind == SlotDef::kTimeTo;
}

DataType CellScope::SlotType(uint32_t slot) const {
  return SlotTypeInEngine(slots_[slot], *patterns_, *schema_);
}

Expression CellScope::Slot(SlotDef::Kind kind) {
  auto found = std::find(slots_.begin(), slots_.end(), SlotDef{kind, 0});
  if (found == slots_.end()) found = slots_.insert(found, {kind, 0});
  return Expression::Slot(static_cast<uint32_t>(found - slots_.begin()));
}

StatusOr<std::optional<Expression>> CellScope::Name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (IsRowName(lower)) return std::optional(Slot(SlotDef::kRow));
  if (lower == "family") return std::optional(Slot(SlotDef::kFamily));
  if (lower == "qualifier") return std::optional(Slot(SlotDef::kQualifier));
  if (lower == "column") return std::optional(Slot(SlotDef::kColumn));
  if (lower == "timestamp") return std::optional(Slot(SlotDef::kTimestamp));
  if (with_deletes_) {
    if (lower == "op") return std::optional(Slot(SlotDef::kOp));
    if (lower == "visible") return std::optional(Slot(SlotDef::kVisible));
    if (lower == "time_from") return std::optional(Slot(SlotDef::kTimeFrom));
    if (lower == "time_to") return std::optional(Slot(SlotDef::kTimeTo));
    if (lower == "sequence") return std::optional(Slot(SlotDef::kSequence));
  }
  if (lower == "value") {
    // If the SELECT reads families whose values have different types, `value` is cast to BYTES, so
    // that it has a single type.
    Expression value = Slot(SlotDef::kValue);
    return std::optional(CellTypes(*patterns_, *schema_).size() > 1
                             ? Expression::Cast(engine::ValueType::kBytes, std::move(value))
                             : std::move(value));
  }
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
  std::vector<std::string> names = {"row", "family", "qualifier", "column", "timestamp", "value"};
  if (with_deletes_) {
    names.insert(names.end(), {"op", "visible", "time_from", "time_to", "sequence"});
  }
  return names;
}

// --- RelationScope ---

std::string PrintNames(const std::vector<std::string>& names) {
  constexpr size_t kShown = 20;
  const size_t shown = std::min(names.size(), kShown);
  std::string list = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return list + (names.size() > shown ? ", …" : "");
}

StatusOr<std::optional<Expression>> RelationScope::Name(std::string_view name) {
  auto equal = [&](const std::string& column) {
    return std::equal(column.begin(), column.end(), name.begin(), name.end(), [](char a, char b) {
      auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
      return lower(a) == lower(b);
    });
  };
  // An exact match is preferred, so that columns that differ only in case can all be named.
  auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) found = std::find_if(columns_.begin(), columns_.end(), equal);
  if (found == columns_.end()) return std::optional<Expression>();
  return std::optional(Expression::Slot(static_cast<uint32_t>(found - columns_.begin())));
}

// In `SELECT contents: FROM (SELECT contents: FROM web)`, the result of the inner SELECT has a
// column that is named `contents:`, like its pattern. So this function takes the text of the outer
// pattern as the name of a column and looks that up.
StatusOr<Expression> RelationScope::Pattern(const syntax::PatternNode& node, SlotDef::Kind) {
  ASSIGN_OR_RETURN(std::optional<Expression> column, Name(Print(node)));
  if (column) return *column;
  if (relation_.empty()) {
    return ErrorAt("UNKNOWN_NAME", node.span,
                   fmt::format("column {} needs FROM a table", Print(node)));
  }
  std::string hint = fmt::format("{} has: {}", relation_, PrintNames(columns_));
  if (relation_ == kInnerSelect) {
    hint += fmt::format("; select {} there, or name one of these with AS {}", Print(node),
                        QuoteName(Print(node)));
  }
  return ErrorAt("UNKNOWN_NAME", node.span,
                 fmt::format("column {} not found in {}", Print(node), relation_), hint);
}

}  // namespace sippar::query
