// The tree of every statement of the query language (query/LANGUAGE.md). Made by query/parse, read
// by the planner, printed by syntax/ast_print. Plain values: copyable, comparable (places in the
// text do not count). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "query/syntax/box.h"
#include "query/syntax/expr.h"
#include "query/syntax/schema_ast.h"

namespace sippar::query::syntax {

// --- Reading -------------------------------------------------------------------------------------

struct SelectItem {
  bool star = false;  // *
  Expr expr;
  Identifier alias;  // AS …; empty when none
  Span span;
  bool operator==(const SelectItem&) const = default;
};

struct CellsPer {
  Expr count;
  OptionalExpr offset;
  bool operator==(const CellsPer&) const = default;
};

struct ReadOptions {
  OptionalExpr as_of;
  bool versions_all = false;
  OptionalExpr versions;
  bool time = false;  // a TIME clause was there, perhaps without bounds
  OptionalExpr time_from;
  OptionalExpr time_to;  // exclusive
  std::optional<CellsPer> cells_per_row;
  std::optional<CellsPer> cells_per_family;
  std::optional<CellsPer> cells_per_column;
  bool with_deletes = false;
  bool strip_values = false;
  bool reverse = false;
  OptionalExpr sample;
  Span span;  // of the first option
  bool operator==(const ReadOptions&) const = default;
};

struct NamedArg {  // web(as_of => …), kept for GoogleSQL texts
  Identifier name;
  Expr value;
  bool operator==(const NamedArg&) const = default;
};

struct Select;

struct Source {
  enum Kind : uint8_t { kTable, kCells, kSelect };
  Kind kind = kTable;
  Identifier table;                   // kTable, kCells
  std::vector<NamedArg> named_args;   // kTable
  std::vector<PatternNode> patterns;  // kCells; empty: every column
  Box<Select> select;                 // kSelect
  Span span;
  bool operator==(const Source&) const = default;
};

struct OrderItem {
  Expr expr;
  bool descending = false;
  bool operator==(const OrderItem&) const = default;
};

struct Limit {
  enum Unit : uint8_t { kRows, kCells, kBy };
  Expr count;
  Unit unit = kRows;  // result rows; kCells: LIMIT n CELLS
  OptionalExpr by;    // kBy
  OptionalExpr offset;
  Span span;
  bool operator==(const Limit&) const = default;
};

struct Select {
  bool cells = false;  // SELECT CELLS
  bool distinct = false;
  std::vector<SelectItem> items;
  std::optional<Source> from;
  ReadOptions read;
  OptionalExpr where;
  std::vector<Expr> group_by;
  OptionalExpr having;
  std::vector<OrderItem> order_by;
  std::optional<Limit> limit;
  OptionalExpr after;
  bool after_row = false;  // AFTER ROW 'k' rather than AFTER 'token'
  Span span;
  bool operator==(const Select&) const = default;
};

struct Tail {
  Identifier table;
  std::vector<PatternNode> patterns;
  OptionalExpr where;
  OptionalExpr from;
  std::optional<Limit> limit;
  bool operator==(const Tail&) const = default;
};

// --- Writing -------------------------------------------------------------------------------------

struct Assign {
  enum Op : uint8_t { kSet, kAdd, kAppend };  // = += ||=
  PatternNode column;
  Op op = kSet;
  Expr value;
  OptionalExpr at;
  Span span;
  bool operator==(const Assign&) const = default;
};

// One column of INSERT (…) VALUES or of IMPORT's mapping.
struct ColumnTarget {
  enum Kind : uint8_t { kRow, kTimestamp, kColumn };
  Kind kind = kColumn;
  PatternNode column;  // kColumn
  Span span;
  bool operator==(const ColumnTarget&) const = default;
};

struct Tuple {
  std::vector<Expr> values;
  Span span;
  bool operator==(const Tuple&) const = default;
};

struct Insert {
  enum Kind : uint8_t {
    kRow,     // ROW key SET assigns [IF condition]
    kTuples,  // (columns) VALUES tuples [AT at]
    kCells,   // CELLS VALUES tuples of (row, column, timestamp, value)
    kSelect,  // select
  };
  Kind kind = kRow;
  Identifier table;
  Expr row;
  std::vector<Assign> assigns;
  OptionalExpr condition;
  std::vector<ColumnTarget> columns;
  std::vector<Tuple> tuples;
  OptionalExpr at;
  Box<Select> select;
  bool operator==(const Insert&) const = default;
};

struct Update {
  Identifier table;
  std::vector<Assign> assigns;
  Expr where;
  OptionalExpr condition;             // IF …
  std::vector<SelectItem> returning;  // empty: none
  bool operator==(const Update&) const = default;
};

struct TimeSpan {  // which versions a delete means; all when nothing is set
  bool time = false;
  OptionalExpr from;
  OptionalExpr to;       // exclusive
  std::vector<Expr> at;  // exact times
  Span span;
  bool operator==(const TimeSpan&) const = default;
};

struct Delete {
  std::vector<PatternNode> patterns;  // empty: whole rows
  Identifier table;
  TimeSpan times;
  OptionalExpr where;
  bool all_rows = false;  // ALL ROWS instead of WHERE
  OptionalExpr condition;
  bool operator==(const Delete&) const = default;
};

struct Increment {
  Identifier table;
  PatternNode column;
  OptionalExpr by;  // 1 when absent
  Expr where;
  std::vector<SelectItem> returning;
  bool operator==(const Increment&) const = default;
};

struct Append {
  Expr value;
  Identifier table;
  PatternNode column;
  Expr where;
  std::vector<SelectItem> returning;
  bool operator==(const Append&) const = default;
};

// A statement inside ATOMIC { }.
struct RowStatement {
  enum Kind : uint8_t { kIf, kSet, kDelete, kLet, kFail, kReturn };
  Kind kind = kSet;
  Expr expr;                             // kIf: condition; kLet, kFail: value
  std::vector<RowStatement> then_block;  // kIf
  bool has_else = false;                 // kIf
  std::vector<RowStatement> else_block;  // kIf; ELSE IF is a block of one kIf
  std::vector<Assign> assigns;           // kSet
  bool delete_row = false;               // kDelete: DELETE ROW
  std::vector<PatternNode> patterns;     // kDelete
  TimeSpan times;                        // kDelete
  Identifier name;                       // kLet
  std::vector<SelectItem> items;         // kReturn
  Span span;
  bool operator==(const RowStatement&) const = default;
};

struct Atomic {
  Identifier table;
  Expr row;
  std::vector<RowStatement> block;
  bool operator==(const Atomic&) const = default;
};

struct BeginRow {
  Identifier table;
  Expr row;
  bool operator==(const BeginRow&) const = default;
};
struct Commit {
  bool operator==(const Commit&) const = default;
};
struct Rollback {
  bool operator==(const Rollback&) const = default;
};

// --- The rest ------------------------------------------------------------------------------------

struct Show {
  Identifier what;   // upper case: TABLES, TABLETS, "LOCALITY GROUPS", "CREATE TABLE" …
  Identifier table;  // OF t; empty when none
  OptionalExpr like;
  OptionalExpr where;
  bool operator==(const Show&) const = default;
};

struct Describe {
  Identifier table;
  bool operator==(const Describe&) const = default;
};

struct MapItem {
  ColumnTarget target;
  Expr value;
  bool operator==(const MapItem&) const = default;
};

struct Import {
  Identifier table;
  Expr from;
  Identifier format;  // empty: by the file's name
  std::vector<MapItem> mapping;
  std::vector<Option> options;
  bool operator==(const Import&) const = default;
};

struct Export {
  Identifier table;  // or select
  Box<Select> select;
  Expr to;
  Identifier format;
  std::vector<Option> options;
  bool operator==(const Export&) const = default;
};

struct SetOption {
  Identifier name;
  Expr value;  // ON, OFF, ALL arrive as kName
  bool operator==(const SetOption&) const = default;
};

struct ResetOption {
  Identifier name;  // empty: RESET ALL
  bool operator==(const ResetOption&) const = default;
};

struct Compact {
  Identifier table;
  Identifier group;  // empty: all
  Identifier kind;   // MAJOR, MINOR or empty
  OptionalExpr where;
  bool operator==(const Compact&) const = default;
};

struct Flush {
  Identifier table;
  bool operator==(const Flush&) const = default;
};

struct SplitTable {
  Identifier table;
  std::vector<Expr> at;  // row keys
  bool operator==(const SplitTable&) const = default;
};

struct MergeTablets {
  Identifier table;
  OptionalExpr where;  // none: all of the table
  bool operator==(const MergeTablets&) const = default;
};

// Statements of a real cluster that are read but have no tree of their own yet: GRANT, REVOKE,
// MOVE, BALANCE, BACKUP, RESTORE, CANCEL.
struct Other {
  std::string name;                // upper case
  std::vector<std::string> words;  // the tokens, as written
  bool operator==(const Other&) const = default;
};

struct Statement;

struct Explain {
  bool analyze = false;
  Identifier format;
  Box<Statement> statement;
  bool operator==(const Explain&) const = default;
};

using StatementNode =
    std::variant<Select, Tail, Insert, Update, Delete, Increment, Append, Atomic, BeginRow, Commit,
                 Rollback, CreateTable, AlterTable, DropTable, Show, Describe, Import, Export,
                 SetOption, ResetOption, Compact, Flush, SplitTable, MergeTablets, Explain, Other>;

struct Statement {
  StatementNode node;
  Span span;
  bool operator==(const Statement&) const = default;
};

}  // namespace sippar::query::syntax
