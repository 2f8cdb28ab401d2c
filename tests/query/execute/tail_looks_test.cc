// The looks of TAIL at a table without a change stream: which times they read, what is new, where a
// position continues.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail_looks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "query/execute/tail_position.h"

namespace sippar::query {
namespace {

using engine::Cell;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kStart = 1'000 * kSecond;

Cell CellOf(const std::string& row, int64_t time_us, const std::string& value = "v") {
  Cell cell;
  cell.row = row;
  cell.family = "f";
  cell.qualifier = "q";
  cell.timestamp_us = time_us;
  cell.value = value;
  return cell;
}

// Reads `cells`, which are in the order of the table, as a look does: at most `limit` new ones.
// Returns "row@seconds" for each; the look ends unless the limit cut it.
std::vector<std::string> LookAt(TailLooks* looks, const std::vector<Cell>& cells,
                                size_t limit = SIZE_MAX) {
  std::vector<std::string> given;
  for (const Cell& cell : cells) {
    if (!looks->times().Contains(cell.timestamp_us)) continue;
    if (!looks->rows().Contains(cell.row) || !looks->IsNew(cell.view())) continue;
    looks->Give(cell.view());
    given.push_back(fmt::format("{}@{}", cell.row, (cell.timestamp_us - kStart) / kSecond));
    if (given.size() == limit) return given;
  }
  looks->End();
  return given;
}

TailLooks Stored(const TailLooks& looks) {
  uint64_t table_id = 0;
  auto stored = TailLooks::FromPosition(looks.Position(7), &table_id);
  EXPECT_TRUE(stored.has_value());
  EXPECT_EQ(table_id, 7U);
  return stored.value_or(TailLooks(0));
}

using Given = std::vector<std::string>;

TEST(TailLooksTest, EachCellIsGivenOnce) {
  TailLooks looks(kStart);
  std::vector<Cell> cells = {CellOf("a", kStart + kSecond), CellOf("b", kStart - 1)};
  ASSERT_TRUE(looks.Begin(kStart + 2 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells), Given{"a@1"});
  cells.push_back(CellOf("c", kStart + 3 * kSecond));
  for (int64_t i = 3; i < 20; ++i) {
    ASSERT_TRUE(looks.Begin(kStart + i * kSecond, {}));
    EXPECT_EQ(LookAt(&looks, cells), i == 3 ? Given{"c@3"} : Given{}) << i;
  }
}

TEST(TailLooksTest, ACellThatBecomesVisibleLateIsGivenWithinTheLookBack) {
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + 20 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, {CellOf("a", kStart + 19 * kSecond)}), Given{"a@19"});
  ASSERT_TRUE(looks.Begin(kStart + 21 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, {CellOf("a", kStart + 19 * kSecond), CellOf("b", kStart + 16 * kSecond),
                            CellOf("c", kStart + 14 * kSecond)}),
            Given{"b@16"});
}

TEST(TailLooksTest, AnotherValueAtTheSameTimeIsNew) {
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + 2 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, {CellOf("a", kStart + kSecond, "1")}), Given{"a@1"});
  ASSERT_TRUE(looks.Begin(kStart + 3 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, {CellOf("a", kStart + kSecond, "2")}), Given{"a@1"});
}

TEST(TailLooksTest, AFutureCellComesAtItsTime) {
  TailLooks looks(kStart);
  const std::vector<Cell> cells = {CellOf("a", kStart + 9 * kSecond)};
  ASSERT_TRUE(looks.Begin(kStart + kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells), Given{});
  ASSERT_TRUE(looks.Begin(kStart + 9 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells), Given{"a@9"});
}

TEST(TailLooksTest, AClockThatGoesBackGivesNothingTwice) {
  TailLooks looks(kStart);
  const std::vector<Cell> cells = {CellOf("a", kStart + 9 * kSecond)};
  ASSERT_TRUE(looks.Begin(kStart + 10 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells), Given{"a@9"});
  ASSERT_TRUE(looks.Begin(kStart + 7 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells), Given{});
  EXPECT_FALSE(looks.Begin(kStart, {}));
  ASSERT_TRUE(looks.Begin(kStart + 11 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells), Given{});
}

TEST(TailLooksTest, TheLookAfterTheEndIsTheLast) {
  TailLooks looks(kStart);
  const int64_t end = kStart + 5 * kSecond;
  ASSERT_TRUE(looks.Begin(end - 1, end));
  EXPECT_EQ(LookAt(&looks, {}), Given{});
  EXPECT_FALSE(looks.IsOver(end));
  EXPECT_FALSE(looks.IsOver({}));
  ASSERT_TRUE(looks.Begin(end + kSecond, end));
  EXPECT_EQ(LookAt(&looks, {CellOf("a", end), CellOf("b", end + 1)}), Given{"a@5"});
  EXPECT_TRUE(looks.IsOver(end));
  // The next TAIL gives what this one left out.
  TailLooks next = Stored(looks);
  ASSERT_TRUE(next.Begin(end + kSecond, {}));
  EXPECT_EQ(LookAt(&next, {CellOf("a", end), CellOf("b", end + kSecond)}), Given{"b@6"});

  TailLooks future(end + 1);
  EXPECT_FALSE(future.Begin(end + kSecond, end));
  EXPECT_TRUE(future.IsOver(end));
}

TEST(TailLooksTest, APositionContinuesInTheMiddleOfALook) {
  std::vector<Cell> cells;
  for (const char* row : {"a", "b", "c", "d"}) {
    cells.push_back(CellOf(row, kStart + 2 * kSecond));  // within a row, newest first
    cells.push_back(CellOf(row, kStart + kSecond));
  }
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + 3 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells, 3), (Given{"a@2", "a@1", "b@2"}));
  TailLooks next = Stored(looks);
  // A new cell in the part that the look has passed comes with the look after it.
  cells.insert(cells.begin(), CellOf("a", kStart + 4 * kSecond));
  ASSERT_TRUE(next.Begin(kStart + 5 * kSecond, {}));
  EXPECT_EQ(LookAt(&next, cells, 2), (Given{"b@1", "c@2"}));
  next = Stored(next);
  ASSERT_TRUE(next.Begin(kStart + 5 * kSecond, {}));
  EXPECT_EQ(LookAt(&next, cells), (Given{"c@1", "d@2", "d@1"}));
  next = Stored(next);
  ASSERT_TRUE(next.Begin(kStart + 5 * kSecond, {}));
  EXPECT_EQ(LookAt(&next, cells), Given{"a@4"});
}

TEST(TailLooksTest, APositionAfterTheEndIsNotMoved) {
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + 9 * kSecond, {}));
  const std::vector<Cell> cells = {CellOf("a", kStart + kSecond), CellOf("b", kStart + kSecond)};
  EXPECT_EQ(LookAt(&looks, cells, 1), Given{"a@1"});
  TailLooks next = Stored(looks);
  EXPECT_FALSE(next.Begin(kStart + 10 * kSecond, kStart + 5 * kSecond));
  EXPECT_TRUE(next.IsOver(kStart + 5 * kSecond));
  next = Stored(next);
  ASSERT_TRUE(next.Begin(kStart + 10 * kSecond, {}));
  EXPECT_EQ(LookAt(&next, cells), Given{"b@1"});
}

TEST(TailLooksTest, APositionOfABusyTableIsShortAndGivesNothingTwice) {
  std::vector<Cell> cells;
  for (int64_t i = 0; i < 1'000; ++i) cells.push_back(CellOf("a", kStart + 1'000 - i));
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + kSecond, {}));
  EXPECT_EQ(LookAt(&looks, cells).size(), cells.size());
  EXPECT_LT(looks.Position(7).size(), 3'000U);
  TailLooks next = Stored(looks);
  cells.push_back(CellOf("b", kStart + 1'000));
  ASSERT_TRUE(next.Begin(kStart + 2 * kSecond, {}));
  EXPECT_EQ(next.times().start_us,
            kStart + 1'000 - static_cast<int64_t>(kRememberedInPosition) + 1);
  EXPECT_EQ(LookAt(&next, cells), Given{"b@0"});
}

TEST(TailLooksTest, MemoryIsBoundedAndNothingIsGivenTwice) {
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + 3 * kSecond, {}));
  std::vector<Cell> cells;
  for (int64_t i = 0; i < static_cast<int64_t>(kRememberedMax) + 10; ++i) {
    cells.push_back(CellOf("a", kStart + 2 * kSecond - i));
  }
  EXPECT_EQ(LookAt(&looks, cells).size(), cells.size());
  ASSERT_TRUE(looks.Begin(kStart + 3 * kSecond, {}));
  EXPECT_GT(looks.times().start_us, kStart + kSecond);
  EXPECT_EQ(LookAt(&looks, cells), Given{});

  // Very many cells of one time are all forgotten, and none of them is given again.
  TailLooks at_once(kStart);
  ASSERT_TRUE(at_once.Begin(kStart + 3 * kSecond, {}));
  cells.clear();
  for (size_t i = 0; i < kRememberedMax + 10; ++i) {
    cells.push_back(CellOf(fmt::format("r{:07}", i), kStart + kSecond));
  }
  EXPECT_EQ(LookAt(&at_once, cells).size(), cells.size());
  ASSERT_TRUE(at_once.Begin(kStart + 3 * kSecond, {}));
  EXPECT_EQ(at_once.times().start_us, kStart + kSecond + 1);
}

TEST(TailLooksTest, OtherTextsAreNoPositions) {
  TailLooks looks(kStart);
  ASSERT_TRUE(looks.Begin(kStart + 3 * kSecond, {}));
  EXPECT_EQ(LookAt(&looks, {CellOf("a", kStart + kSecond)}, 1).size(), 1U);
  uint64_t table_id = 0;
  const std::string text = looks.Position(7);
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(TailLooks::FromPosition(text.substr(0, i), &table_id).has_value()) << i;
  }
  EXPECT_FALSE(DecodeTailPosition(text).has_value());
  const std::string of_stream = EncodeTailPosition({7, {{{"", ""}, "token", 0}}});
  EXPECT_FALSE(TailLooks::FromPosition(of_stream, &table_id).has_value());
}

}  // namespace
}  // namespace sippar::query
