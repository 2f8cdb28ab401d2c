// Tests how two nodes, read one after the other, form a lock file, and which calls it allows.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/file_view.h"

#include "cluster/lock/zookeeper/answer.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster::zookeeper {
namespace {

Znode Missing() {
  Znode node;
  node.code = kNoNode;
  return node;
}

// A lasting file created by transaction 10, whose list of children last changed in `names_changed`.
Znode Lasting(int32_t children, int64_t names_changed) {
  Znode node;
  node.data = "content";
  node.version = 4;
  node.created = 10;
  node.children = children;
  node.names_changed = names_changed;
  return node;
}

Znode Lock(int64_t created, const std::string& data = "17 3 ts1 at host1") {
  Znode node;
  node.data = data;
  node.created = created;
  node.ephemeral = true;
  return node;
}

TEST(FileView, AFileWithoutALock) {
  auto view = ViewOf("root", Lasting(0, 10), Missing()).value();
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->file.content, "content");
  EXPECT_EQ(view->file.version, 5u) << "ZooKeeper counts from 0";
  EXPECT_EQ(view->file.holder, 0u);
  EXPECT_EQ(view->file.fence, 0u);
  EXPECT_FALSE(view->file.ephemeral);
  EXPECT_FALSE(ViewOf("root", Missing(), Missing()).value()->exists);
}

TEST(FileView, AFileWithItsLock) {
  auto view = ViewOf("master", Lasting(1, 12), Lock(12)).value();
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->file.holder, 3u);
  EXPECT_EQ(view->file.fence, 17u);
  EXPECT_EQ(view->holder_name, "ts1 at host1");
}

TEST(FileView, NodesThatDoNotFitAreReadAgain) {
  EXPECT_FALSE(ViewOf("a", Lasting(0, 10), Lock(12)).value().has_value()) << "locked in between";
  EXPECT_FALSE(ViewOf("a", Lasting(1, 12), Missing()).value().has_value()) << "freed in between";
  EXPECT_FALSE(ViewOf("a", Lasting(1, 12), Lock(14)).value().has_value())
      << "freed and locked again in between";
}

TEST(FileView, AnEphemeralFileIsHeldByItsCreator) {
  Znode node = Lasting(0, 10);
  node.ephemeral = true;
  node.data = EncodeEphemeral({8, 2, "gateway g"}, "host:1\nsecond line");
  auto view = ViewOf("gateways/g", node, Missing()).value();
  EXPECT_TRUE(view->file.ephemeral);
  EXPECT_EQ(view->file.content, "host:1\nsecond line");
  EXPECT_EQ(view->file.fence, 8u);
  EXPECT_EQ(view->file.holder, 2u);
  node.data = Rewritten(*view, "other");
  view = ViewOf("gateways/g", node, Missing()).value();
  EXPECT_EQ(view->file.content, "other");
  EXPECT_EQ(view->file.fence, 8u) << "a new content keeps the holder";
  EXPECT_EQ(view->holder_name, "gateway g");
  EXPECT_CODE(CheckRelease("gateways/g", *view, 2), StatusCode::kInvalidArgument);
  EXPECT_EQ(Rewritten(*ViewOf("a", Lasting(0, 10), Missing()).value(), "x"), "x");
}

TEST(FileView, NodesOfSomethingElseAreDamage) {
  for (const char* data : {"", "17", "17 3", "0 3 name", "17 0 name", "x 3 name", "17 -3 name",
                           "99999999999999999999 3 name"}) {
    EXPECT_CODE(ViewOf("a", Lasting(1, 12), Lock(12, data)), StatusCode::kDataLoss) << data;
    Znode node = Lasting(0, 10);
    node.ephemeral = true;
    node.data = std::string(data) + "\ncontent";
    EXPECT_CODE(ViewOf("a", node, Missing()), StatusCode::kDataLoss) << data;
  }
  Znode node = Lasting(0, 10);
  node.ephemeral = true;
  node.data = "17 3 name without content";
  EXPECT_CODE(ViewOf("a", node, Missing()), StatusCode::kDataLoss);
}

TEST(FileView, WhatCallsMayDo) {
  FileView none;
  FileView free = *ViewOf("a", Lasting(0, 10), Missing()).value();
  FileView held = *ViewOf("a", Lasting(1, 12), Lock(12)).value();
  EXPECT_CODE(CheckVersion("a", none, 5), StatusCode::kNotFound);
  EXPECT_CODE(CheckVersion("a", free, 4), StatusCode::kAborted);
  EXPECT_OK(CheckVersion("a", held, 5));
  EXPECT_CODE(CheckRelease("a", none, 3), StatusCode::kNotFound);
  EXPECT_CODE(CheckRelease("a", free, 3), StatusCode::kAborted);
  EXPECT_CODE(CheckRelease("a", held, 4), StatusCode::kAborted);
  EXPECT_OK(CheckRelease("a", held, 3));
  EXPECT_CODE(CheckAcquire("a", none, 3), StatusCode::kNotFound);
  EXPECT_EQ(CheckAcquire("a", free, 3).value(), 0u);
  EXPECT_EQ(CheckAcquire("a", held, 3).value(), 17u);
  Status refused = CheckAcquire("a", held, 4).status();
  EXPECT_EQ(refused.code(), StatusCode::kAlreadyExists);
  EXPECT_NE(refused.ToString().find("ts1 at host1"), std::string::npos) << refused;
  EXPECT_CODE(Exists("a", free), StatusCode::kAlreadyExists);
}

TEST(Counter, HoldsOneNumberBelow2To32) {
  EXPECT_EQ(DecodeCounter("1").value(), 1u);
  EXPECT_EQ(DecodeCounter("4294967296").value(), kNumberMax);
  for (const char* text : {"", "0", "-1", "1x", " 1", "99999999999999999999"}) {
    EXPECT_CODE(DecodeCounter(text), StatusCode::kDataLoss) << text;
  }
  EXPECT_OK(CheckNumber(kNumberMax - 1));
  EXPECT_CODE(CheckNumber(kNumberMax), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace sippar::cluster::zookeeper
