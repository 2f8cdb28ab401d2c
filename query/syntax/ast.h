// The syntax trees of all statements of the query language (query/LANGUAGE.md). query/parse makes
// them, the planner reads them, syntax/ast_print.h prints them. They are plain values that can be
// copied and compared; places in the text do not count in a comparison. A member whose comment
// names kinds is used by these kinds only.
// SPDX-License-Identifier: Apache-2.0
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
  bool star = false;  // the item is *, and `expr` is not used
  Expr expr;
  Identifier alias;  // name after AS; empty: none
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
  bool time = false;  // there is a TIME clause, perhaps without bounds
  OptionalExpr time_from;
  OptionalExpr time_to;  // exclusive limit
  std::optional<CellsPer> cells_per_row;
  std::optional<CellsPer> cells_per_family;
  std::optional<CellsPer> cells_per_column;
  bool with_deletes = false;
  bool strip_values = false;
  bool reverse = false;
  OptionalExpr sample;
  enum SampleUnit : uint8_t { kShare, kPercent, kRows };
  SampleUnit sample_unit = kShare;
  Span span;  // place of the first option
  bool operator==(const ReadOptions&) const = default;
};

struct NamedArg {  // as_of => … in FROM web(as_of => …), as GoogleSQL writes it
  Identifier name;
  Expr value;
  bool operator==(const NamedArg&) const = default;
};

struct Select;

struct Source {
  enum Kind : uint8_t { kTable, kCells, kSelect, kUnpack, kUnnest };
  Kind kind = kTable;
  Identifier table;                   // only for kTable, kCells
  std::vector<NamedArg> named_args;   // only for kTable
  std::vector<PatternNode> patterns;  // kCells: columns to read; empty: every column
  Box<Select> select;                 // only for kSelect, kUnpack
  Expr list;                          // kUnnest: the items are the rows
  Identifier item;                    // kUnnest: name of the column; empty: it has no name
  Identifier offset;       // kUnnest: name of the column of offsets; empty: no such column
  bool keeps_row = false;  // kUnnest: LEFT JOIN, which keeps a row that has no items
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
  Unit unit = kRows;  // kCells: LIMIT n CELLS, the same as kRows in the cell view
  OptionalExpr by;    // kBy: expression of LIMIT n BY
  OptionalExpr offset;
  Span span;
  bool operator==(const Limit&) const = default;
};

struct Select {
  bool cells = false;  // SELECT CELLS rather than SELECT
  bool distinct = false;
  std::vector<SelectItem> items;
  std::optional<Source> from;
  std::vector<Source> unnests;  // FROM …, UNNEST(list): the UNNESTs after `from`, all kUnnest
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
  OptionalExpr from;  // a time or a stored position
  OptionalExpr to;
  std::optional<Limit> limit;
  bool operator==(const Tail&) const = default;
};

// --- Writing -------------------------------------------------------------------------------------

struct Assign {
  enum Op : uint8_t { kSet, kAdd, kAppend };  // operators =, += and ||=
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
  PatternNode column;  // only for kColumn
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
    kSelect,  // [(columns)] SELECT …
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
  OptionalExpr condition;             // test after IF
  std::vector<SelectItem> returning;  // items of RETURNING; empty: none
  bool operator==(const Update&) const = default;
};

struct TimeSpan {  // the versions that a deletion removes; all if nothing is set
  bool time = false;
  OptionalExpr from;
  OptionalExpr to;       // exclusive limit
  std::vector<Expr> at;  // times of AT
  Span span;
  bool operator==(const TimeSpan&) const = default;
};

struct Delete {
  std::vector<PatternNode> patterns;  // empty: whole rows
  Identifier table;
  TimeSpan times;
  OptionalExpr where;
  bool all_rows = false;  // ALL ROWS in place of WHERE
  OptionalExpr condition;
  bool operator==(const Delete&) const = default;
};

struct Increment {
  Identifier table;
  PatternNode column;
  OptionalExpr by;  // nullopt: 1
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

// One statement inside ATOMIC { }.
struct RowStatement {
  enum Kind : uint8_t { kIf, kSet, kDelete, kLet, kFail, kReturn };
  Kind kind = kSet;
  Expr expr;                             // kIf: condition; kLet, kFail: value
  std::vector<RowStatement> then_block;  // only for kIf
  bool has_else = false;                 // only for kIf
  // kIf: the ELSE block. ELSE IF is stored as an ELSE block with one kIf.
  std::vector<RowStatement> else_block;
  std::vector<Assign> assigns;        // only for kSet
  bool delete_row = false;            // kDelete: the statement is DELETE ROW
  std::vector<PatternNode> patterns;  // only for kDelete
  TimeSpan times;                     // only for kDelete
  Identifier name;                    // only for kLet
  std::vector<SelectItem> items;      // only for kReturn
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

// --- Other statements ----------------------------------------------------------------------------

struct Show {
  Identifier what;   // upper case: TABLES, TABLETS, "LOCALITY GROUPS", "CREATE TABLE" …
  Identifier table;  // table after OF; empty: none
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
  Identifier format;  // empty: the file's suffix decides
  std::vector<MapItem> mapping;
  std::vector<Option> options;
  bool operator==(const Import&) const = default;
};

struct Export {
  Identifier table;    // the table to export, if `select` is empty
  Box<Select> select;  // the rows to export
  Expr to;
  Identifier format;
  std::vector<Option> options;
  bool operator==(const Export&) const = default;
};

struct SetOption {
  Identifier name;
  Expr value;  // ON, OFF and ALL are ExprKind::kName
  bool operator==(const SetOption&) const = default;
};

struct ResetOption {
  Identifier name;  // empty: RESET ALL
  bool operator==(const ResetOption&) const = default;
};

struct Compact {
  Identifier table;
  Identifier group;  // empty: all locality groups
  Identifier kind;   // MAJOR, MINOR or empty, which means MAJOR
  OptionalExpr where;
  bool operator==(const Compact&) const = default;
};

struct Flush {
  Identifier table;
  bool operator==(const Flush&) const = default;
};

struct SplitTable {
  Identifier table;
  std::vector<Expr> at;  // row keys at which new tablets begin
  bool operator==(const SplitTable&) const = default;
};

struct MergeTablets {
  Identifier table;
  OptionalExpr where;  // none: the whole table
  bool operator==(const MergeTablets&) const = default;
};

struct MoveTablet {
  Identifier table;
  Expr row;     // a row of the tablet
  Expr server;  // NAME or NAME.EPOCH, a text
  bool operator==(const MoveTablet&) const = default;
};

struct Balance {
  Identifier mode;  // ON, OFF or NOW, upper case, or an invalid word; empty: NOW
  bool operator==(const Balance&) const = default;
};

struct Backup {  // BACKUP TABLE t AS name; SNAPSHOT is a synonym
  Identifier table;
  Identifier name;
  std::vector<Option> options;
  bool operator==(const Backup&) const = default;
};

struct Restore {
  Identifier table;
  Identifier backup;
  OptionalExpr as_of;
  bool operator==(const Restore&) const = default;
};

struct AlterBackup {
  Identifier name;
  std::vector<Option> options;
  bool operator==(const AlterBackup&) const = default;
};

struct DropBackup {
  Identifier name;
  bool if_exists = false;
  bool operator==(const DropBackup&) const = default;
};

struct Cancel {
  Identifier kind;  // QUERY; empty: left out
  Expr id;
  bool operator==(const Cancel&) const = default;
};

// Statements that the grammar accepts but that are not supported and have no tree of their own:
// GRANT, REVOKE.
struct Other {
  std::string name;                // first word, upper case
  std::vector<std::string> words;  // all tokens, as written
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
                 SetOption, ResetOption, Compact, Flush, SplitTable, MergeTablets, MoveTablet,
                 Balance, Backup, Restore, AlterBackup, DropBackup, Cancel, Explain, Other>;

struct Statement {
  StatementNode node;
  Span span;
  bool operator==(const Statement&) const = default;
};

}  // namespace sippar::query::syntax
