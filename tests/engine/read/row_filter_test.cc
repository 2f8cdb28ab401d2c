// Row filters, applied to a stream of cells or pushed into the read, compared with their definition
// (tests/support/filter_model.h).
// SPDX-License-Identifier: Apache-2.0
#include "engine/read/row_filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/base/printable.h"
#include "engine/model/whole_regex.h"
#include "engine/read/filter_pushdown.h"
#include "engine/read/run_filter.h"
#include "tests/support/filter_model.h"
#include "tests/support/random_history.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {
namespace {

// A stream whose views become invalid at the next move, like those of a real stream.
class ListStream final : public CellStream {
 public:
  explicit ListStream(std::vector<Cell> cells) : cells_(std::move(cells)) { Show(); }
  bool Valid() const override { return next_ < cells_.size(); }
  const CellView& cell() const override { return view_; }
  void Next() override {
    ++next_;
    Show();
  }
  void NextRow() override {
    std::string row = shown_.row;
    while (Valid() && shown_.row == row) Next();
  }
  Status status() const override { return OkStatus(); }

 private:
  void Show() {
    shown_.value.assign(shown_.value.size(), '#');
    shown_ = Valid() ? cells_[next_] : Cell();
    view_ = shown_.view();
  }
  std::vector<Cell> cells_;
  size_t next_ = 0;
  Cell shown_;
  CellView view_;
};

class ListSink final : public CellSink {
 public:
  void BeginRow(std::string_view) override { cells.clear(); }
  void Put(const FilteredCell& cell) override {
    EXPECT_TRUE(cells.empty() || cell.position >= cells.back().position) << "out of order";
    cells.push_back({Cell(cell.cell), std::string(cell.label), cell.position});
  }
  void EndRow() override {
    if (!cells.empty()) rows.push_back(cells);
  }
  bool IsSated() const override { return false; }

  std::vector<ModelCell> cells;
  std::vector<std::vector<ModelCell>> rows;
};

// Prints without positions: they count the cells of the read, and a narrowed read has fewer.
std::string Print(const std::vector<std::vector<ModelCell>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += PrintableBytes(row.front().cell.row) + "\n" + PrintModelCells(row);
  }
  return text;
}

std::string Describe(const RowFilter& filter) {
  std::string text = fmt::format("{}'{}'{}", int{filter.kind}, filter.text, filter.count);
  for (const RowFilter& inner : filter.filters) text += "(" + Describe(inner) + ")";
  return text;
}

std::string RunFilter(const RowFilter& filter, std::vector<Cell> cells) {
  ListStream stream(std::move(cells));
  ListSink sink;
  auto run = FilterRun::Compile(filter, &sink, 1);
  EXPECT_TRUE(run.ok()) << run.status();
  uint64_t seen = 0;
  while (stream.Valid()) EXPECT_TRUE((*run)->RunRow(&stream, &seen).ok());
  return Print(sink.rows);
}

std::vector<std::vector<Cell>> Rows(const std::vector<Cell>& cells) {
  std::vector<std::vector<Cell>> rows;
  for (const Cell& cell : cells) {
    if (rows.empty() || rows.back()[0].row != cell.row) rows.emplace_back();
    rows.back().push_back(cell);
  }
  return rows;
}

TEST(RowFilterTest, RandomTreesGiveWhatTheModelGives) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomHistory history(seed);
    TableSchema schema = history.Schema();
    ReferenceTable table(schema);
    for (int64_t now = 1'000; now < 1'100; ++now) {
      table.Apply(history.Mutation(schema, now), now);
    }
    std::vector<std::string> families;
    for (const FamilySchema& family : schema.families) families.push_back(family.name);
    std::vector<Cell> cells = table.Read({}, 1'100);
    for (int i = 0; i < 200; ++i) {
      RowFilter filter = RandomFilter(history.random());
      SCOPED_TRACE(Describe(filter));
      std::vector<std::vector<ModelCell>> expected;
      bool is_open = false;
      for (const std::vector<Cell>& row : Rows(cells)) {
        expected.push_back(RunFilterModel(filter, row, &is_open));
        if (expected.back().empty()) expected.pop_back();
      }
      if (is_open) continue;
      ++compared;
      ASSERT_EQ(RunFilter(filter, cells), Print(expected));
      ReadSpec narrowed;
      bool covered = PushDownFilter(filter, families, &narrowed);
      std::vector<Cell> fewer = table.Read(narrowed, 1'100);
      ASSERT_LE(fewer.size(), cells.size());
      ASSERT_EQ(RunFilter(covered ? RowFilter() : filter, fewer), Print(expected));
    }
  }
  EXPECT_GT(compared, 9'000);
}

// The filter is interleave(if(no value is 'absent', pass, pass), nothing): a cell waits in the
// condition until the row ends, and then in the interleave.
TEST(RowFilterTest, ARowHasAllItsCellsOrAnErrorAndNoEnd) {
  RowFilter absent;
  absent.kind = RowFilter::kValueRegex;
  absent.text = "absent";
  RowFilter condition;
  condition.kind = RowFilter::kCondition;
  condition.filters = {absent, RowFilter(), RowFilter()};
  RowFilter nothing;
  nothing.kind = RowFilter::kBlockAll;
  RowFilter filter;
  filter.kind = RowFilter::kInterleave;
  filter.filters = {condition, nothing};
  const std::string value(1000, 'v');
  const std::vector<Cell> cells = {Cell(CellView{"row", "f", "q", 1, 1, value}),
                                   Cell(CellView{"row", "f", "r", 1, 2, value})};
  int failed = 0;
  for (size_t held_max = 0; held_max <= 6'000; held_max += 100) {
    ListStream stream(cells);
    ListSink sink;
    auto run = FilterRun::Compile(filter, &sink, 1, held_max);
    ASSERT_TRUE(run.ok()) << run.status();
    uint64_t seen = 0;
    Status status = (*run)->RunRow(&stream, &seen);
    EXPECT_EQ(sink.rows.size(), status.ok() ? 1u : 0u) << held_max;
    if (status.ok()) EXPECT_EQ(sink.rows[0].size(), 2u) << held_max;
    if (!status.ok()) EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    failed += status.ok() ? 0 : 1;
  }
  EXPECT_GT(failed, 20);  // two copies of two cells
  EXPECT_LT(failed, 55);
}

TEST(RowFilterTest, CommonFiltersAreReadsAlone) {
  using F = RowFilter;
  const std::vector<std::string> families = {"f", "g"};
  F family = F::Text(F::kFamilyRegex, "f");
  F column = F::Text(F::kQualifierRegex, "name\\.x");
  F newest = F::Count(F::kColumnLimit, 1);
  ReadSpec read;
  EXPECT_TRUE(PushDownFilter(F::List(F::kChain, {family, column, newest}), families, &read));
  EXPECT_EQ(read.columns, (std::vector<ColumnPattern>{ColumnPattern::Exact("f", "name.x")}));
  EXPECT_EQ(read.versions_per_column, 1u);
  ReadSpec count;
  EXPECT_TRUE(PushDownFilter(F::List(F::kChain, {F::Count(F::kRowLimit, 1), F::Of(F::kStripValue)}),
                             families, &count));
  EXPECT_EQ(count.cells_per_row, 1u);
  EXPECT_TRUE(count.strip_values);
  ReadSpec prefix;
  EXPECT_FALSE(PushDownFilter(F::Text(F::kRowKeyRegex, "com\\.cnn.*"), families, &prefix));
  EXPECT_EQ(prefix.rows.Print(), RowSet(RowRange::Prefix("com.cnn")).Print());
}

TEST(RowFilterTest, RowSampleTakesWholeRowsAboutAsOftenAsItSays) {
  std::vector<Cell> cells;
  for (int row = 0; row < 2000; ++row) {
    for (const char* qualifier : {"a", "b"}) {
      Cell& cell = cells.emplace_back();
      cell.row = fmt::format("{:04}", row);
      cell.qualifier = qualifier;
    }
  }
  RowFilter sample = RowFilter::Of(RowFilter::kRowSample);
  sample.probability = 0.25;
  ListStream stream(cells);
  ListSink sink;
  auto run = FilterRun::Compile(sample, &sink, 7);
  uint64_t seen = 0;
  while (stream.Valid()) ASSERT_TRUE((*run)->RunRow(&stream, &seen).ok());
  EXPECT_NEAR(static_cast<double>(sink.rows.size()), 500, 80);
  for (const auto& row : sink.rows) EXPECT_EQ(row.size(), 2u);
  // The stream skips all other rows as soon as they are rejected.
  EXPECT_EQ(seen, 2 * sink.rows.size());
}

TEST(RowFilterTest, MalformedFiltersAreRefusedBeforeAnyRowIsRead) {
  using F = RowFilter;
  auto chain = [](std::vector<F> links) { return F::List(F::kChain, std::move(links)); };
  F deep = F::Of(F::kBlockAll);
  for (int i = 0; i < 20; ++i) deep = chain({deep});
  F label = F::Text(F::kLabel, "a");
  F sample = F::Of(F::kRowSample);
  F range = F::Of(F::kValueRange);
  range.range = {"b", "a"};
  F sink_inside = F::List(F::kCondition, {F(), chain({F::Of(F::kSink)}), F::Of(F::kBlockAll)});
  for (const F& bad :
       {deep, F::Text(F::kLabel, ""), F::Text(F::kLabel, "UPPER"),
        F::Text(F::kLabel, "sixteen-letters-"), chain({label, chain({label})}), sample, range,
        sink_inside, F::Text(F::kValueRegex, "("), F::Text(F::kRowKeyRegex, "(a{1000}){1000}")}) {
    EXPECT_EQ(bad.Validate().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(F::List(F::kInterleave, {label, label}).Validate().ok());
  EXPECT_TRUE(deep.filters[0].Validate().ok());
}

TEST(RowFilterTest, ARegexMatchesWholeBytesAndADotIsNoNewline) {
  auto found = [](const char* regex, std::string_view text) {
    return (*WholeRegex::Compile(regex))->Matches(text);
  };
  EXPECT_FALSE(found("a|b", "ab"));
  EXPECT_TRUE(found("a|b", "b"));
  EXPECT_FALSE(found(".", "\n"));
  EXPECT_TRUE(found("\\C", "\n"));
  EXPECT_TRUE(found(".", "\xff"));
  EXPECT_TRUE(found("", ""));
  EXPECT_FALSE(found("", "a"));
  EXPECT_TRUE(found("a\\.b", "a.b"));
  EXPECT_TRUE(found("ab?", "a"));
}

}  // namespace
}  // namespace sippar::engine
