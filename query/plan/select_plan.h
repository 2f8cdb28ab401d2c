// The plan of a SELECT: the Program that runs on the tablets, and what is done with its rows in
// this process (merge, HAVING, order, limits). Made by plan/plan_select.cc, run by
// execute/select.cc, shown by EXPLAIN. A row of the program holds the shown values first and hidden
// values after them: LIMIT BY value, page key, order keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "query/session/result.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

inline constexpr uint64_t kNoLimit = UINT64_MAX;

// UNNEST after another source in FROM. It makes several lines of one line.
struct UnnestPlan {
  engine::Expression list;          // on the values that the line already has; an ARRAY or NULL
  Span span;                        // place of the list
  size_t item_at = 0;               // index in the line of the item
  std::optional<size_t> offset_at;  // index in the line of the item's offset, which counts from 0
  bool keeps_row = false;  // LEFT JOIN: a list without items gives one line, with NULL as the item
};

struct SelectPlan {
  enum Source : uint8_t {
    kTable,     // tablets run `program`
    kRelation,  // `program` runs in this process on the rows of `input`
    kNothing,   // there is no FROM: `program` runs in this process on one row without values
    kValues,    // `program` runs in this process on `values`
  };
  Source source = kNothing;
  std::string table;
  std::unique_ptr<SelectPlan> input;
  std::vector<engine::Row> values;
  // FROM UNPACK: the columns of `input` that list versions. A row of `input` becomes several rows,
  // one for each time in these lists; the time is the last column. Empty: there is no UNPACK.
  std::vector<size_t> unpacked;
  // FROM …, UNNEST(list): they make lines of each row of `input`, on which `program` then runs. A
  // line holds the columns of the UNNESTs first and the row of `input` after them.
  std::vector<UnnestPlan> unnests;
  size_t unnest_columns = 0;
  engine::Program program;
  std::vector<ResultColumn> columns;  // the shown values, first in each row

  // With aggregates: expressions on (group keys, finished aggregates), evaluated in this process.
  std::optional<engine::Expression> having;
  std::vector<engine::Expression> final_outputs;  // shown values, followed by order keys

  bool sorts = false;            // rows are sorted in this process
  size_t sort_at = 0;            // index of the first order key in a row
  std::vector<bool> descending;  // direction of each order key

  // SAMPLE n ROWS: only the n rows with the least HASH64(row) are read. 0: all rows.
  uint64_t sample_rows = 0;
  engine::Expression sample_row;  // the slot of the row key in `program`

  bool distinct = false;
  uint64_t limit_by = kNoLimit;  // n of LIMIT n BY expression
  size_t limit_by_at = 0;        // index of the expression's value in a row
  uint64_t limit = kNoLimit;
  uint64_t offset = 0;

  enum Paging : uint8_t { kNoPaging, kByRow, kByCell };
  Paging paging = kNoPaging;
  // Index in a row at which the page key begins; the next page continues after this key. The page
  // key is the row key or, with kByCell, four values: row, family, qualifier, timestamp.
  size_t page_at = 0;
  uint64_t fingerprint = 0;  // hash of the query, by which a page token is recognized
  std::vector<std::string> notices;
  // True if ChooseColumns has added the pattern *:*, so that the read also finds rows that have no
  // cell in the slots' columns.
  bool reads_every_column = false;
};

[[nodiscard]] StatusOr<SelectPlan> PlanSelect(const StatementContext& context,
                                              const syntax::Select& select);
// The names of the result's columns, which an outer query can use.
std::vector<std::string> ColumnNames(const SelectPlan& plan);
// Sets plan->program.read.columns and keys_only, so that all rows that exist are read: see "Which
// rows exist" in query/README.md. `patterns` are the patterns of the program's slots.
void ChooseColumns(const engine::TableSchema& schema,
                   const std::vector<engine::ColumnPattern>& patterns, SelectPlan* plan);
// Facts that PlanNamedArgs finds in a table's arguments and that the ReadSpec does not hold.
struct TableArgs {
  bool with_history = false;
  bool has_as_of = false;
  bool has_latest = false;    // latest_n is given
  bool has_versions = false;  // the arguments say how many versions are read
};
// Applies the arguments that GoogleSQL gives to a table (as_of => …) to *read.
[[nodiscard]] StatusOr<TableArgs> PlanNamedArgs(const StatementContext& context,
                                                const std::vector<syntax::NamedArg>& args,
                                                engine::ReadSpec* read);
// Applies the read options TIME, AS OF, VERSIONS, CELLS PER … to *read, after the table's
// arguments.
[[nodiscard]] Status PlanReadOptions(const StatementContext& context,
                                     const syntax::ReadOptions& options, const TableArgs& args,
                                     engine::ReadSpec* read);
// The lines of EXPLAIN. `tablets` are the tablets of the plan's table.
std::vector<std::string> ExplainSelect(const SelectPlan& plan,
                                       const std::vector<cluster::TabletInfo>& tablets);
// The pattern as EXPLAIN shows it: anchor:^my.
std::string PrintColumn(const engine::ColumnPattern& pattern);
// What each slot holds: "$0 = row", "$1 = newest of language:". Slots name their patterns by index
// in `columns`.
std::vector<std::string> PrintSlots(const std::vector<engine::SlotDef>& slots,
                                    const std::vector<engine::ColumnPattern>& columns);

// What each UNNEST does, as EXPLAIN shows it.
std::vector<std::string> PrintUnnests(const SelectPlan& plan);

// The name of an item's column: its alias, or its text in the statement.
std::string ItemName(const StatementContext& context, const syntax::SelectItem& item);

// The place at which a page of cells ended, as the user passes it to AFTER.
struct PageToken {
  uint64_t fingerprint = 0;
  int64_t now_us = 0;
  std::string row, family, qualifier;
  int64_t timestamp_us = 0;
};
std::string EncodePageToken(const PageToken& token);
// False if `text` is not a page token.
[[nodiscard]] bool DecodePageToken(std::string_view text, PageToken* token);

}  // namespace sippar::query
