// Scopes give names and column patterns their meaning at one place of a statement. A scope collects
// the slots and patterns that the expressions compiled in it use. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
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

// True for the names of the row key: row, and _key as in GoogleSQL. Case is ignored.
bool IsRowName(std::string_view name);

class Scope {
 public:
  virtual ~Scope() = default;
  // The expression that `name` stands for; nullopt if the scope has no such name.
  virtual StatusOr<std::optional<Expression>> Name(std::string_view name) = 0;
  // The expression for a column pattern. `kind` selects the value, the time, the count or the
  // history.
  virtual StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) = 0;
  // The column family['qualifier'], as GoogleSQL writes it; nullopt if the scope has no such
  // family.
  virtual StatusOr<std::optional<Expression>> FamilyItem(std::string_view, std::string_view) {
    return std::optional<Expression>();
  }
  // The names that a hint ("did you mean") is chosen from. In a RelationScope they are also the
  // columns of `*`.
  virtual std::vector<std::string> KnownNames() const = 0;
  // The type of a slot's value; kNull: the type is known only when rows are read.
  virtual DataType SlotType(uint32_t slot) const = 0;
  // True if the slot holds the time of a cell, which is an INT64.
  virtual bool IsTime(uint32_t) const { return false; }
  // True if the slot holds cells of counters and of other families. Expressions see it as BYTES, of
  // which 8 are a number when they are compared with one.
  virtual bool IsMixed(uint32_t) const { return false; }
  // The types of the variables of the lambdas that are being compiled.
  std::vector<DataType> variables;
};

// A scope that has no names. It is used for VALUES, LIMIT and AT, which are evaluated before any
// row is read.
class ConstantScope final : public Scope {
 public:
  StatusOr<std::optional<Expression>> Name(std::string_view) override {
    return std::optional<Expression>();
  }
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind) override;
  std::vector<std::string> KnownNames() const override { return {}; }
  DataType SlotType(uint32_t) const override { return {}; }
};

// Names of the row view: row, LET names, families, column patterns.
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

  // The slot that reads `kind` of the pattern with this index; equal requests share one slot.
  Expression Slot(SlotDef::Kind kind, uint32_t pattern = 0);
  Expression PatternSlot(const engine::ColumnPattern& pattern, SlotDef::Kind kind);
  // Returns the index of the pattern in patterns(); equal patterns share one.
  uint32_t AddPattern(const engine::ColumnPattern& pattern);
  // Makes `name` stand for LET value number `index`. If `name` is empty, no expression can name the
  // value.
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
  std::map<std::string, uint32_t> pattern_index_;  // encoded pattern -> index in patterns_
  std::vector<Let> lets_;                          // a LET hides earlier ones with the same name
};

// Names of the cell view: row, family, qualifier, column, timestamp, value; with deletes also op,
// visible, time_from, time_to, sequence.
class CellScope final : public Scope {
 public:
  // `schema` and `patterns` outlive the scope. Empty patterns mean every column.
  CellScope(const engine::TableSchema* schema, const std::vector<engine::ColumnPattern>* patterns,
            bool with_deletes)
      : schema_(schema), patterns_(patterns), with_deletes_(with_deletes) {}

  StatusOr<std::optional<Expression>> Name(std::string_view name) override;
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) override;
  std::vector<std::string> KnownNames() const override;
  DataType SlotType(uint32_t slot) const override;
  bool IsTime(uint32_t slot) const override;
  bool IsMixed(uint32_t slot) const override;
  Expression Slot(SlotDef::Kind kind);
  const std::vector<SlotDef>& slots() const { return slots_; }

 private:
  const engine::TableSchema* schema_;
  const std::vector<engine::ColumnPattern>* patterns_;
  const bool with_deletes_;
  std::vector<SlotDef> slots_;
};

// "a, b": all names, or the first 20 and "…": a file may have thousands of columns.
std::string PrintNames(const std::vector<std::string>& names);

inline constexpr std::string_view kInnerSelect = "the inner SELECT";

// Names of the columns of a relation: a subselect, SHOW, a file of IMPORT. Slot i is column i.
class RelationScope final : public Scope {
 public:
  // `relation` is its name in errors, such as kInnerSelect; "" for a SELECT without FROM. `types`
  // holds the type of each column, kNull if unknown; it may be shorter than `columns`.
  RelationScope(std::string_view relation, std::vector<std::string> columns,
                std::vector<DataType> types = {})
      : relation_(relation), columns_(std::move(columns)), types_(std::move(types)) {}
  StatusOr<std::optional<Expression>> Name(std::string_view name) override;
  StatusOr<Expression> Pattern(const syntax::PatternNode& node, SlotDef::Kind kind) override;
  std::vector<std::string> KnownNames() const override { return columns_; }
  DataType SlotType(uint32_t slot) const override {
    return slot < types_.size() ? types_[slot] : DataType();
  }

 private:
  std::string_view relation_;
  std::vector<std::string> columns_;
  std::vector<DataType> types_;
};

}  // namespace sippar::query
