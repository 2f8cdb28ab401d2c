// Numbers and lookup counts of the inode table.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/inode_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/base/random.h"

namespace sippar::fuse {
namespace {

Entry CellEntry(uint64_t i) {
  Entry entry;
  entry.node.kind = NodeKind::kCell;
  entry.node.table_id = 7;
  entry.node.row = fmt::format("row-{}", i);
  entry.node.family = "f";
  entry.node.timestamp_us = -static_cast<int64_t>(i);
  entry.node.sequence = i;
  entry.attributes = {i * 3, -static_cast<int64_t>(i)};
  return entry;
}

TEST(InodeTable, RootIsNumberOneAndIsNeverForgotten) {
  InodeTable table{Entry()};
  table.Forget(kRootNodeId, 100);
  auto root = table.Find(kRootNodeId);
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->node, Node());
  EXPECT_EQ(table.size(), 1u);
}

TEST(InodeTable, F_M7_RowsThatAreNotAskedForAreIdle) {
  InodeTable table{Entry()};
  Entry parent;
  parent.node.kind = NodeKind::kTable;
  parent.node.table_id = 7;
  uint64_t parent_id = table.Acquire(parent);
  Entry row = CellEntry(0);
  row.node = parent.node;
  row.node.kind = NodeKind::kRow;
  std::vector<uint64_t> ids;
  for (int i = 0; i < 10; ++i) {
    row.node.row = fmt::format("row-{}", i);
    ids.push_back(table.Acquire(row));
    table.Acquire(CellEntry(static_cast<uint64_t>(i)));
  }
  EXPECT_TRUE(table.IdleRows(100).empty()) << "all were just handed out";
  EXPECT_TRUE(table.Find(ids[3]).has_value());
  std::set<std::string> idle;
  for (const InodeTable::RowPlace& place : table.IdleRows(100)) {
    EXPECT_EQ(place.table_id, parent_id);
    idle.insert(place.row);
  }
  EXPECT_EQ(idle.size(), 9u);
  EXPECT_FALSE(idle.contains("row-3"));
  EXPECT_EQ(table.IdleRows(4).size(), 4u);
  table.Forget(parent_id, 1);
  EXPECT_TRUE(table.IdleRows(100).empty()) << "nothing to say to the kernel without the table";
}

TEST(InodeTable, EqualNodesShareANumberUntilAllLookupsAreForgotten) {
  InodeTable table{Entry()};
  uint64_t first = table.Acquire(CellEntry(1));
  EXPECT_EQ(table.Acquire(CellEntry(1)), first);
  EXPECT_NE(table.Acquire(CellEntry(2)), first);
  table.Forget(first, 1);
  auto inode = table.Find(first);
  ASSERT_TRUE(inode.has_value());
  EXPECT_EQ(inode->node, CellEntry(1).node);
  EXPECT_EQ(inode->attributes.size_bytes, 3u);
  table.Forget(first, 1);
  EXPECT_FALSE(table.Find(first).has_value());
  EXPECT_NE(table.Acquire(CellEntry(1)), first) << "a stale number must not come back to life";
  EXPECT_FALSE(table.Find(first).has_value());
}

TEST(InodeTable, SequenceAndTimeMakeDifferentInodes) {
  InodeTable table{Entry()};
  Entry rewritten = CellEntry(1);
  rewritten.node.sequence = 99;
  EXPECT_NE(table.Acquire(CellEntry(1)), table.Acquire(rewritten));
  EXPECT_NE(InodeNumber(CellEntry(1).node), InodeNumber(rewritten.node));
}

TEST(InodeTable, AgreesWithAMapOverRandomHistories) {
  InodeTable table{Entry()};
  engine::Random random(4);
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> model;  // i -> number, lookups
  for (int round = 0; round < 200'000; ++round) {
    uint64_t i = random.Uniform(round < 100'000 ? 20'000 : 50);
    auto found = model.find(i);
    if (random.OneIn(2)) {
      uint64_t number = table.Acquire(CellEntry(i));
      if (found != model.end()) {
        ASSERT_EQ(number, found->second.first);
        ++found->second.second;
      } else {
        model[i] = {number, 1};
      }
    } else if (found != model.end()) {
      uint64_t lookups = 1 + random.Uniform(found->second.second);
      table.Forget(found->second.first, lookups);
      found->second.second -= lookups;
      if (found->second.second == 0) model.erase(found);
    }
    if (found == model.end() || round % 97 != 0) continue;
    for (const auto& [key, value] : model) {
      auto inode = table.Find(value.first);
      ASSERT_TRUE(inode.has_value());
      ASSERT_EQ(inode->node.sequence, key);
      break;
    }
  }
  std::set<uint64_t> numbers;
  for (const auto& [i, value] : model) {
    ASSERT_EQ(table.Find(value.first)->node, CellEntry(i).node);
    numbers.insert(value.first);
  }
  EXPECT_EQ(numbers.size(), model.size());
  EXPECT_EQ(table.size(), model.size() + 1);
  for (const auto& [i, value] : model) table.Forget(value.first, value.second);
  EXPECT_EQ(table.size(), 1u);
}

TEST(InodeTable, TheNumberOfANodeIsFoundWithoutCountingALookup) {
  InodeTable table{Entry()};
  EXPECT_EQ(table.NumberOf(Node()), kRootNodeId);
  EXPECT_EQ(table.NumberOf(CellEntry(1).node), 0u);
  const uint64_t number = table.Acquire(CellEntry(1));
  EXPECT_EQ(table.NumberOf(CellEntry(1).node), number);
  table.Forget(number, 1);
  EXPECT_EQ(table.NumberOf(CellEntry(1).node), 0u);
}

TEST(Node, EncodingRoundTripsAndNumbersAreStable) {
  engine::Random random(5);
  std::set<std::string> encodings;
  for (int round = 0; round < 2'000; ++round) {
    Node node;
    node.kind = static_cast<NodeKind>(random.Uniform(11));
    node.is_row_form = random.OneIn(2);
    if (random.OneIn(2)) node.as_of = static_cast<int64_t>(random.Next());
    node.table_id = random.Next();
    node.row = std::string(random.Uniform(5), static_cast<char>(random.Next()));
    node.family = std::string(random.Uniform(5), 'f');
    node.qualifier = std::string(random.Uniform(5), 'q');
    if (node.kind == NodeKind::kCell) {
      node.timestamp_us = static_cast<int64_t>(random.Next());
      node.sequence = random.Next();
    }
    if (node.kind == NodeKind::kText || node.kind == NodeKind::kSymlink) node.text = "text";
    std::string bytes;
    EncodeNode(node, &bytes);
    ASSERT_EQ(DecodeNode(bytes), node);
    ASSERT_GE(InodeNumber(node), 2u);
    ASSERT_LT(InodeNumber(node), uint64_t{1} << 63);
    encodings.insert(bytes);
  }
  EXPECT_EQ(encodings.size(), 2'000u);
  // Files keep their numbers over releases: rsync and backups compare them.
  Node web;
  web.kind = NodeKind::kTable;
  web.table_id = 1;
  EXPECT_EQ(InodeNumber(web), 7321166705077725097u);
}

}  // namespace
}  // namespace sippar::fuse
