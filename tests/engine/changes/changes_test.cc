// Positions in a change stream, and which files and which times of unfinished writes count.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/changes/change_archive.h"
#include "engine/changes/change_position.h"
#include "engine/changes/change_tail.h"

namespace sippar::engine {
namespace {

TEST(ChangePosition, TokensComeBackOrAreRefused) {
  ChangePosition position = ChangePosition::From(7, {"a", "x"}, 123);
  position.Pass({40, 2});
  position.time_us = 456;
  std::string token = position.Encode();
  auto decoded = ChangePosition::Decode(token);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->Encode(), token);
  EXPECT_EQ(decoded->table_id, 7);
  EXPECT_EQ(decoded->rows(), (RowRange{"a", "x"}));
  EXPECT_EQ(decoded->time_us, 456);
  EXPECT_FALSE(decoded->Wants("b", 200, {40, 2}));
  EXPECT_TRUE(decoded->Wants("b", 200, {40, 3}));
  EXPECT_FALSE(decoded->Wants("b", 122, {41, 1}));
  EXPECT_FALSE(decoded->Wants("x", 200, {41, 1}));
  for (size_t i = 0; i < token.size(); ++i) {
    std::string bad = token;
    bad[i] = bad[i] == '0' ? '1' : '0';
    EXPECT_EQ(ChangePosition::Decode(bad).status().code(), StatusCode::kInvalidArgument) << i;
    EXPECT_FALSE(ChangePosition::Decode(token.substr(0, i)).ok()) << i;
  }
  EXPECT_FALSE(ChangePosition::Decode("no token at all, is it").ok());
}

TEST(ChangePosition, PiecesAreJoinedAndMergeWhenTheyMeet) {
  ChangePosition left = ChangePosition::From(1, {"", "k"}, 5);
  ChangePosition right = ChangePosition::From(1, {"k", ""}, 5);
  left.Pass({10, 1});
  right.Pass({20, 2});
  auto joined = JoinPositions({right, left});
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->parts.size(), 2);
  EXPECT_TRUE(joined->Wants("a", 9, {15, 3}));
  EXPECT_FALSE(joined->Wants("z", 9, {15, 3}));
  joined->Pass({15, 3});
  EXPECT_EQ(joined->parts.size(), 2);
  joined->Pass({21, 3});
  EXPECT_EQ(joined->parts.size(), 1);
  EXPECT_EQ(joined->rows(), RowRange::All());
  EXPECT_EQ(joined->Clip({"b", "c"}).rows(), (RowRange{"b", "c"}));
  EXPECT_FALSE(JoinPositions({left, left}).ok());
  EXPECT_FALSE(JoinPositions({ChangePosition::From(1, {"", "j"}, 5), right}).ok());
  EXPECT_FALSE(JoinPositions({left, ChangePosition::From(2, {"k", ""}, 5)}).ok());
}

TEST(ChangeArchive, TheNewerFileCounts) {
  // Ordered by file id: the second life lost the changes 81 to 100 and used these numbers again.
  auto counted = FilesThatCount({{1, 1, 60, 0, 1}, {1, 61, 100, 0, 2}, {1, 81, 120, 0, 3}});
  ASSERT_EQ(counted.size(), 3);
  EXPECT_EQ(counted[0].last_sequence, 60);
  EXPECT_EQ(counted[1].last_sequence, 80);
  EXPECT_EQ(counted[2].last_sequence, 120);
  counted = FilesThatCount({{1, 1, 60, 0, 1}, {1, 61, 100, 0, 2}, {1, 61, 90, 0, 3}});
  ASSERT_EQ(counted.size(), 2);
  EXPECT_EQ(counted[1].name.file_id, 3);
}

TEST(ChangeFileName, ParsesOnlyItself) {
  ChangeFileName name{1, 2, 3, 4, 5};
  auto parsed = ChangeFileName::Parse(name.Print());
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->Print(), name.Print());
  EXPECT_FALSE(ChangeFileName::Parse(name.Print() + ".tmp").has_value());
  EXPECT_FALSE(ChangeFileName::Parse("1-2-3-4-5.changes").has_value());
  EXPECT_FALSE(ChangeFileName::Parse("").has_value());
}

std::string Body(uint64_t sequence, int64_t wall_us) {
  std::string body;
  PutFixed64(&body, sequence);
  RowMutation mutation("r");
  mutation.Set("f", "q", "v", 1);
  AppendLogBody(&body, 1, wall_us, mutation);
  return body;
}

TEST(ChangeTail, NobodyIsToldOfATimeThatAWriteUnderWayHas) {
  ManualClock clock(100);
  ChangeTail tail;
  tail.Keep(1);
  ChangeTail::Flight early;
  EXPECT_EQ(early.TakeOff(&tail, &clock, 50), 100);
  clock.Set(200);
  {
    ChangeTail::Flight late;
    EXPECT_EQ(late.TakeOff(&tail, &clock, 250), 250);
    tail.Add(Body(1, 250));
  }
  EXPECT_EQ(tail.After(0, 1 << 20, &clock).records.size(), 1);
  EXPECT_EQ(tail.After(0, 1 << 20, &clock).low_watermark_us, 100);
  tail.Add(Body(2, 100));
  early.TakeOff(&tail, &clock, 0);
  EXPECT_EQ(tail.After(0, 1 << 20, &clock).low_watermark_us, 200);
}

TEST(ChangeTail, ViewsEndWhereTheirBytesDo) {
  ManualClock clock(100);
  ChangeTail tail;
  tail.Keep(5);
  for (uint64_t i = 5; i < 10; ++i) tail.Add(Body(i, 100));
  ChangeTail::View view = tail.After(5, 1, &clock);
  ASSERT_EQ(view.records.size(), 1);
  EXPECT_EQ(view.records[0].head.first_sequence, 6);
  EXPECT_FALSE(view.is_whole);
  EXPECT_EQ(view.end, 7);
  EXPECT_EQ(tail.Through(6).size(), 2);
  EXPECT_GT(tail.Drop(6), 0);
  view = tail.After(5, 1 << 20, &clock);
  EXPECT_EQ(view.begin, 7);
  EXPECT_EQ(view.end, 10);
  EXPECT_TRUE(view.is_whole);
  tail.Keep(50);  // time 50 is kept already
  EXPECT_EQ(tail.After(0, 1, &clock).begin, 7);
  EXPECT_GT(tail.Stop(), 0);
  EXPECT_FALSE(tail.is_kept());
}

}  // namespace
}  // namespace sippar::engine
