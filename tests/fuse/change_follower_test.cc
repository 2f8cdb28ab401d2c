// Which names a change makes stale, and which names may be kept until a change, against a fake
// client.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/change_follower.h"

#include <gtest/gtest.h>

#include "engine/model/change_config.h"
#include "fuse/directories/tree_view.h"
#include "tests/fuse/fake_client.h"
#include "tests/fuse/tree_walk.h"

namespace sippar::fuse {
namespace {

class ChangeFollowerTest : public ::testing::Test {
 protected:
  ChangeFollowerTest() {
    client_.AddTable("web", {"anchor", "contents"});
    client_.AddTable("plain", {"f"});
    client_.KeepChanges("web");
    client_.Set("web", "r/1", "contents", "", 1, "v1");
    client_.Set("plain", "p", "f", "q", 1, "v1");
    TreeOptions options;
    options.follows_changes = true;
    tree_ = std::make_unique<TreeView>(&client_, options);
    walk_ = std::make_unique<TreeWalk>(tree_.get());
  }
  void Pass(int64_t micros) { client_.manual_clock()->SleepMicros(micros); }
  int64_t Now() { return client_.manual_clock()->MonotonicNanos(); }
  std::vector<StaleName> Poll() { return tree_->follower()->Poll(); }
  bool IsCurrent(const std::string& directory, const std::string& path, int64_t read_at_ns) {
    return tree_->follower()->IsCurrent(walk_->Find(directory)->node, walk_->Find(path)->node,
                                        read_at_ns);
  }

  FakeClient client_;
  std::unique_ptr<TreeView> tree_;
  std::unique_ptr<TreeWalk> walk_;
};

Node PlaceOf(NodeKind kind, uint64_t table_id, std::string row = "", std::string family = "") {
  Node node;
  node.kind = kind;
  node.table_id = table_id;
  node.row = std::move(row);
  node.family = std::move(family);
  return node;
}

TEST(StaleNames, ASetMakesItsColumnStaleAndADeleteItsRow) {
  std::vector<StaleName> stale;
  engine::RowMutation row("a/b");
  row.Set("f", "x/y", "v").Set("g", "", "v");
  AddStaleNames(7, row, NameCodec(), &stale);
  EXPECT_EQ(stale, (std::vector<StaleName>{{PlaceOf(NodeKind::kFamily, 7, "a/b", "f"), "x%2Fy"},
                                           {PlaceOf(NodeKind::kFamily, 7, "a/b", "g"), "%"}}));
  stale.clear();
  AddStaleNames(7, row.DeleteColumn("f", "q"), NameCodec(), &stale);
  EXPECT_EQ(stale, (std::vector<StaleName>{{PlaceOf(NodeKind::kTable, 7), "a%2Fb"},
                                           {PlaceOf(NodeKind::kFamily, 7, "a/b", "f"), "x%2Fy"},
                                           {PlaceOf(NodeKind::kFamily, 7, "a/b", "g"), "%"},
                                           {PlaceOf(NodeKind::kFamily, 7, "a/b", "f"), "q"}}));
}

TEST(StaleNames, OnlyChangesOfAStreamMayAlterAFollowedTable) {
  engine::TableSchema schema;
  schema.families.emplace_back().name = "f";
  EXPECT_FALSE(CanFollow(schema));
  engine::SetChangeStream(engine::ChangeStreamConfig{engine::kChangesKeptMinUs, 0}, &schema);
  EXPECT_FALSE(CanFollow(schema)) << "not begun";
  engine::SetChangeStream(engine::ChangeStreamConfig{engine::kChangesKeptMinUs, 5}, &schema);
  EXPECT_TRUE(CanFollow(schema));
  schema.families[0].gc = engine::GcPolicy::MaxVersions(1);
  EXPECT_TRUE(CanFollow(schema)) << "the newest version stays";
  schema.families[0].gc = engine::GcPolicy::MaxAge(1'000'000);
  EXPECT_FALSE(CanFollow(schema)) << "cells disappear by themselves";
}

TEST_F(ChangeFollowerTest, NamesOfAFollowedTableAreCurrentUntilItChanges) {
  EXPECT_TRUE(Poll().empty());
  EXPECT_FALSE(IsCurrent("web", "web/r%2F1", Now())) << "a write may be under way";
  Pass(6'000'000);
  EXPECT_TRUE(Poll().empty());
  for (const auto& [directory, path] : std::vector<std::pair<std::string, std::string>>{
           {"web", "web/r%2F1"},
           {"web/r%2F1", "web/r%2F1/contents"},
           {"web/r%2F1/contents", "web/r%2F1/contents/%"}}) {
    EXPECT_TRUE(IsCurrent(directory, path, Now())) << path;
  }
  for (const auto& [directory, path] : std::vector<std::pair<std::string, std::string>>{
           {"", "web"},
           {"plain", "plain/p"},
           {"web/.prefix/r", "web/.prefix/r/r%2F1"},
           {".as-of/5/web/r%2F1/contents", ".as-of/5/web/r%2F1/contents/%"},
           {"web/r%2F1/contents/.versions/%", "web/r%2F1/contents/.versions/%/1"}}) {
    EXPECT_FALSE(IsCurrent(directory, path, Now())) << path;
  }
  EXPECT_NE(walk_->Read(".status").find("followed: 1 of 2 tables: web\n"), std::string::npos);
}

TEST_F(ChangeFollowerTest, AChangeIsSeenAtOnceAndWhatWasReadBeforeItIsNotKept) {
  Poll();
  Pass(6'000'000);
  Poll();
  EXPECT_EQ(walk_->Read("web/r%2F1/contents/%"), "v1");
  const uint64_t table_id = walk_->Find("web")->node.table_id;
  const int64_t before = Now();
  Pass(1'000);
  client_.Set("web", "r/1", "contents", "", 2, "v2");
  EXPECT_TRUE(IsCurrent("web", "web/r%2F1", before)) << "its notification will come";
  EXPECT_EQ(walk_->Read("web/r%2F1/contents/%"), "v1") << "from the row cache";
  EXPECT_EQ(
      Poll(),
      (std::vector<StaleName>{{PlaceOf(NodeKind::kFamily, table_id, "r/1", "contents"), "%"}}));
  EXPECT_EQ(walk_->Read("web/r%2F1/contents/%"), "v2");
  EXPECT_FALSE(IsCurrent("web/r%2F1/contents", "web/r%2F1/contents/%", before));
  Pass(1);
  EXPECT_TRUE(IsCurrent("web/r%2F1/contents", "web/r%2F1/contents/%", Now()));
  client_.DeleteRow("web", "r/1");
  EXPECT_EQ(Poll(), (std::vector<StaleName>{{PlaceOf(NodeKind::kTable, table_id), "r%2F1"}}));
  EXPECT_EQ(walk_->Find("web/r%2F1").status().code(), StatusCode::kNotFound);
}

TEST_F(ChangeFollowerTest, WithoutItsStreamOrAfterASchemaChangeTheWholeTableIsStale) {
  Poll();
  Pass(6'000'000);
  Poll();
  const std::vector<StaleName> whole{{Node(), "web"}};
  client_.FailChanges(Unavailable("server lost"));
  EXPECT_EQ(Poll(), whole);
  EXPECT_FALSE(IsCurrent("web", "web/r%2F1", Now()));
  Pass(1'000'001);
  EXPECT_TRUE(Poll().empty()) << "streams cannot begin";
  client_.FailChanges(OkStatus());
  Pass(1'000'001);
  EXPECT_TRUE(Poll().empty());
  Pass(6'000'000);
  Poll();
  EXPECT_TRUE(IsCurrent("web", "web/r%2F1", Now())) << "followed again";
  client_.AddFamily("web", "language");
  Pass(1'000'001);
  EXPECT_EQ(Poll(), whole);
}

}  // namespace
}  // namespace sippar::fuse
