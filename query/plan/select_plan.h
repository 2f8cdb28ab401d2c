// The plan of a SELECT: what runs on the tablets (a Program), and what is done with its rows here:
// merge, HAVING, order, limits. Made by plan_select, run by execute/select, shown by EXPLAIN.
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

struct SelectPlan {
  enum Source : uint8_t {
    kTable,     // tablets run `program`
    kRelation,  // `program` runs here on the rows of `input`
    kNothing,   // no FROM: one row
  };
  Source source = kNothing;
  std::string table;
  std::unique_ptr<SelectPlan> input;
  engine::Program program;
  std::vector<ResultColumn> columns;  // the first of each row's values; the rest is hidden

  // Aggregates: evaluated on (group keys, finished aggregates), here.
  std::optional<engine::Expression> having;
  std::vector<engine::Expression> final_outputs;  // shown values, then order keys

  bool sorts = false;  // here, by the values behind `sort_at`
  size_t sort_at = 0;
  std::vector<bool> descending;  // one per order key

  bool distinct = false;
  uint64_t limit_by = kNoLimit;  // LIMIT n BY expr
  size_t limit_by_at = 0;        // hidden value
  uint64_t limit = kNoLimit;
  uint64_t offset = 0;

  enum Paging : uint8_t { kNoPaging, kByRow, kByCell };
  Paging paging = kNoPaging;
  size_t page_at = 0;        // hidden: row; or row, family, qualifier, timestamp
  uint64_t fingerprint = 0;  // of the query, for page tokens
  std::vector<std::string> notices;
  bool reads_every_column = false;  // rows without a cell in the slots' columns count too
};

[[nodiscard]] StatusOr<SelectPlan> PlanSelect(const StatementContext& context,
                                              const syntax::Select& select);
// The columns of a plan's relation as names for an outer query.
std::vector<std::string> ColumnNames(const SelectPlan& plan);
// Sets plan->program.read.columns and keys_only from the slots: see "rows that count" in
// query/README.md.
void ChooseColumns(const engine::TableSchema& schema,
                   const std::vector<engine::ColumnPattern>& patterns, SelectPlan* plan);
// TIME, AS OF, VERSIONS, CELLS PER …
[[nodiscard]] Status PlanReadOptions(const StatementContext& context,
                                     const syntax::ReadOptions& options, engine::ReadSpec* read);
[[nodiscard]] Status PlanNamedArgs(const StatementContext& context,
                                   const std::vector<syntax::NamedArg>& args,
                                   engine::ReadSpec* read, bool* with_history);
// Lines of EXPLAIN.
std::vector<std::string> ExplainSelect(const SelectPlan& plan,
                                       const std::vector<cluster::TabletInfo>& tablets);

// The text of an item, as its column's name.
std::string ItemName(const StatementContext& context, const syntax::SelectItem& item);

// Where a page of cells ended.
struct PageToken {
  uint64_t fingerprint = 0;
  int64_t now_us = 0;
  std::string row, family, qualifier;
  int64_t timestamp_us = 0;
};
std::string EncodePageToken(const PageToken& token);
[[nodiscard]] bool DecodePageToken(std::string_view text, PageToken* token);

}  // namespace sippar::query
