// Scopes: what names and column patterns mean at a place of a statement. A scope collects the slots
// and patterns its expressions use. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/schema.h"
#include "engine/program/data_type.h"
#include "engine/program/program.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

using engine::DataType;
using engine::Expression;
using engine::SlotDef;

bool IsRowName(std::string_view name);  // the row key: row, _key

class Scope {
 public:
  virtual ~Scope() = default;
  // nullopt: no such name here.
  virtual StatusOr<std::optional<Expression>> Name(std::string_view name) = 0;
  // A pattern as a value, or its time, count or history.
  virtual StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) = 0;
  // family['qualifier'], the spelling of GoogleSQL.
  virtual StatusOr<std::optional<Expression>> FamilyItem(std::string_view, std::string_view) {
    return std::optional<Expression>();
  }
  virtual std::vector<std::string> KnownNames() const = 0;
  // kNull: not known before the rows.
  virtual DataType SlotType(uint32_t slot) const = 0;
  virtual bool IsTime(uint32_t) const { return false; }  // a cell's time, INT64
  // The value of a cell that may be a counter's or another: BYTES in expressions.
  virtual bool IsMixed(uint32_t) const { return false; }
};

// No names at all: VALUES, LIMIT, AT.
class ConstantScope final : public Scope {
 public:
  StatusOr<std::optional<Expression>> Name(std::string_view) override {
    return std::optional<Expression>();
  }
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind) override;
  std::vector<std::string> KnownNames() const override { return {}; }
  DataType SlotType(uint32_t) const override { return {}; }
};

// Row view: row, patterns, families.
class RowScope final : public Scope {
 public:
  RowScope(const StatementContext* context, const engine::TableSchema* schema)
      : context_(context), schema_(schema) {}

  StatusOr<std::optional<Expression>> Name(std::string_view name) override;
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) override;
  StatusOr<std::optional<Expression>> FamilyItem(std::string_view family,
                                                 std::string_view qualifier) override;
  std::vector<std::string> KnownNames() const override;
  DataType SlotType(uint32_t slot) const override;
  bool IsTime(uint32_t slot) const override { return slots_[slot].kind == SlotDef::kNewestTime; }

  Expression Slot(SlotDef::Kind kind, uint32_t pattern = 0);
  Expression PatternSlot(const engine::ColumnPattern& pattern, SlotDef::Kind kind);
  uint32_t AddPattern(const engine::ColumnPattern& pattern);  // its index
  // `name` may be empty: a value without one.
  void AddLet(const std::string& name, uint32_t index, DataType type) {
    lets_.push_back({name, index, std::move(type)});
  }

  const std::vector<SlotDef>& slots() const { return slots_; }
  const std::vector<engine::ColumnPattern>& patterns() const { return patterns_; }

 private:
  struct Let {
    std::string name;
    uint32_t index;
    DataType type;
  };
  const StatementContext* context_;
  const engine::TableSchema* schema_;
  std::vector<SlotDef> slots_;
  std::vector<engine::ColumnPattern> patterns_;
  std::map<std::pair<SlotDef::Kind, uint32_t>, uint32_t> slot_index_;
  std::map<std::string, uint32_t> pattern_index_;  // by their encoding
  std::vector<Let> lets_;                          // the last of a name counts
};

// Cell view: row, family, qualifier, column, timestamp, value.
class CellScope final : public Scope {
 public:
  // Which live as long. No patterns: every column.
  CellScope(const engine::TableSchema* schema, const std::vector<engine::ColumnPattern>* patterns)
      : schema_(schema), patterns_(patterns) {}

  StatusOr<std::optional<Expression>> Name(std::string_view name) override;
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) override;
  std::vector<std::string> KnownNames() const override;
  DataType SlotType(uint32_t slot) const override;
  bool IsTime(uint32_t slot) const override { return slots_[slot].kind == SlotDef::kTimestamp; }
  bool IsMixed(uint32_t slot) const override;
  Expression Slot(SlotDef::Kind kind);
  const std::vector<SlotDef>& slots() const { return slots_; }

 private:
  const engine::TableSchema* schema_;
  const std::vector<engine::ColumnPattern>* patterns_;
  std::vector<SlotDef> slots_;
};

// Columns of a relation: a subselect, SHOW, a file of IMPORT. Slot i is column i.
class RelationScope final : public Scope {
 public:
  // `types` of the columns, as far as they are known; may be empty.
  explicit RelationScope(std::vector<std::string> columns, std::vector<DataType> types = {})
      : columns_(std::move(columns)), types_(std::move(types)) {}
  StatusOr<std::optional<Expression>> Name(std::string_view name) override;
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) override;
  std::vector<std::string> KnownNames() const override { return columns_; }
  DataType SlotType(uint32_t slot) const override {
    return slot < types_.size() ? types_[slot] : DataType();
  }

 private:
  std::vector<std::string> columns_;
  std::vector<DataType> types_;
};

}  // namespace sippar::query
