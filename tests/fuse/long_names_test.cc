// Long names: any number of keys with one head, listed or not, with and without room for the index.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/long_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "tests/fuse/fake_client.h"
#include "tests/fuse/tree_walk.h"

namespace sippar::fuse {
namespace {

// Above what a listing of a second holds, and 100,000 was once a limit.
constexpr int kRows = 100'500;

std::string KeyOf(int i) { return std::string(210, 'k') + fmt::format("{:060}", i); }

class LongNamesTest : public ::testing::Test {
 protected:
  void AddRows(int count) {
    client_.AddTable("t", {"f"});
    for (int i = 0; i < count; ++i) client_.Set("t", KeyOf(i), "f", "", 1, "");
  }
  // How many cells the client was asked for, to find that row.
  uint64_t Find(TreeWalk* walk, int i) {
    uint64_t before = client_.cells_taken();
    auto found = walk->Find("t/" + codec_.Encode(KeyOf(i)));
    EXPECT_TRUE(found.ok()) << i << found.status();
    if (found.ok()) {
      EXPECT_EQ(found->node.row, KeyOf(i));
    }
    return client_.cells_taken() - before;
  }

  FakeClient client_;
  NameCodec codec_;
};

TEST_F(LongNamesTest, F_M4_AnyNumberOfKeysWithOneHeadIsFound) {
  AddRows(kRows);
  engine::Random random(1);
  TreeView tree(&client_, TreeOptions());
  TreeWalk walk(&tree);
  Find(&walk, kRows - 1);  // nothing was listed: a scan of all, which fills the index
  for (int i = 0; i < 30; ++i) {
    EXPECT_LT(Find(&walk, static_cast<int>(random.Uniform(kRows))), 1'100u);
  }
  TreeView listed(&client_, TreeOptions());
  TreeWalk walk_listed(&listed);
  EXPECT_EQ(walk_listed.List("t").size(), size_t{kRows} + 3);
  for (int i = 0; i < 30; ++i) {
    EXPECT_LT(Find(&walk_listed, static_cast<int>(random.Uniform(kRows))), 1'100u);
  }
  for (int i : {0, 1, 31, 32, 33, kRows - 2, kRows - 1}) {
    EXPECT_LT(Find(&walk_listed, i), 1'100u);
  }
  uint64_t in_order = 0;
  for (int i = 40'000; i < 40'320; ++i) in_order += Find(&walk_listed, i);
  EXPECT_LT(in_order, 320u * 4) << "a search meets the next names too";
  client_.DeleteRow("t", KeyOf(77));
  client_.manual_clock()->SleepMicros(1'000'001);
  EXPECT_EQ(walk_listed.Find("t/" + codec_.Encode(KeyOf(77))).status().code(),
            StatusCode::kNotFound);
}

TEST_F(LongNamesTest, F_M4_WithoutRoomForTheIndexNamesAreFoundInOrderAllTheSame) {
  AddRows(5'000);
  TreeOptions options;
  options.long_name_bytes = 4'096;
  TreeView tree(&client_, options);
  TreeWalk walk(&tree);
  walk.List("t");
  uint64_t cells = 0;
  for (int i = 0; i < 5'000; i += 5) cells += Find(&walk, i);
  EXPECT_LT(cells / 1'000, 200u) << "each goes on where the one before was found";
  Find(&walk, 4'999);
  Find(&walk, 3);
}

TEST_F(LongNamesTest, F_M4_ASearchThatRanOutOfTimeGoesOn) {
  AddRows(5'000);
  TreeView tree(&client_, TreeOptions());
  TreeWalk walk(&tree);
  std::string name = "t/" + codec_.Encode(KeyOf(4'500));
  client_.FailNextRead(DeadlineExceeded("slow"), 3'000);
  EXPECT_EQ(walk.Find(name).status().code(), StatusCode::kDeadlineExceeded);
  uint64_t before = client_.cells_taken();
  EXPECT_TRUE(walk.Find(name).ok());
  EXPECT_LT(client_.cells_taken() - before, 5'100u) << "the keys behind, then those before";
}

TEST_F(LongNamesTest, OnlyTheSearchForARowPromisesToGoOn) {
  client_.AddTable("t", {"f"});
  for (int i = 0; i < 50; ++i) {
    client_.Set("t", KeyOf(i), "f", "", 1, "");
    client_.Set("t", "row", "f", KeyOf(i), 1, "");
  }
  TreeView tree(&client_, TreeOptions());
  TreeWalk walk(&tree);
  auto message = [&](const std::string& directory) {
    Entry entry = *walk.Find(directory);
    client_.FailNextRead(DeadlineExceeded("slow"), 30);
    auto found = tree.Lookup(entry.node, codec_.Encode(KeyOf(40)), {});
    EXPECT_EQ(found.status().code(), StatusCode::kDeadlineExceeded);
    return std::string(MessageOf(found.status()));
  };
  EXPECT_NE(message("t").find("the next lookup of this name continues"), std::string::npos);
  std::string of_column = message("t/row/f");
  EXPECT_EQ(of_column.find("continues"), std::string::npos) << of_column;
  EXPECT_NE(of_column.find("--timeout"), std::string::npos) << of_column;
}

TEST_F(LongNamesTest, F_M4_RowsWrittenAndDeletedMeanwhileAreFound) {
  AddRows(2'000);
  TreeView tree(&client_, TreeOptions());
  TreeWalk walk(&tree);
  walk.List("t");
  for (int i = 0; i < 3'000; ++i)
    client_.Set("t", KeyOf(500) + fmt::format("{:05}", i), "f", "", 1, "");
  for (int i = 0; i < 2'000; i += 2) client_.DeleteRow("t", KeyOf(i));
  client_.manual_clock()->SleepMicros(1'000'001);
  for (int i = 1; i < 2'000; i += 38) Find(&walk, i);
  for (int i = 0; i < 3'000; i += 299) {
    std::string key = KeyOf(500) + fmt::format("{:05}", i);
    auto found = walk.Find("t/" + codec_.Encode(key));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->node.row, key);
  }
}

TEST(LongNames, F_M4_TheIndexIsBounded) {
  LongNames names(1 << 20);
  NameCodec codec;
  engine::Random random(1);
  for (int i = 0; i < 30'000; ++i) {
    std::string key = std::string(200 + random.Uniform(100), static_cast<char>('a' + i % 20)) +
                      std::to_string(i) + std::string(100, 'x');
    names.Note("scope" + std::to_string(i % 7), codec.Encode(key), key, 32);
    ASSERT_LT(names.size_bytes(), size_t{1 << 20} + (64 << 10));
  }
}

}  // namespace
}  // namespace sippar::fuse
