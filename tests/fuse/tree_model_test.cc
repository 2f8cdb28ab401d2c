// Random histories of writes, deletes and looks: the tree shows what a plain map holds. One seed is
// one history.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/base/random.h"
#include "fuse/directories/tree_view.h"
#include "tests/fuse/fake_client.h"
#include "tests/fuse/tree_walk.h"

namespace sippar::fuse {
namespace {

constexpr const char* kFamilies[] = {"a", "b"};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed), tree_(&client_, TreeOptions()), walk_(&tree_) {
    client_.AddTable("t", {"a", "b"});
  }

  void Step() {
    Column column{Key(), kFamilies[random_.Uniform(2)], Key()};
    if (random_.OneIn(8)) {
      client_.DeleteRow("t", column.row);
      std::erase_if(model_, [&](const auto& item) { return item.first.row == column.row; });
    } else {
      int64_t time = static_cast<int64_t>(random_.Uniform(5)) - 2;
      std::string value(random_.Uniform(3) * random_.Uniform(40'000), 'v');
      value += std::to_string(++writes_);
      client_.Set("t", column.row, column.family, column.qualifier, time, value);
      model_[column][time] = value;
    }
    client_.manual_clock()->SleepMicros(1'000'001);
  }

  void Compare(std::optional<int64_t> as_of) {
    std::string root = as_of.has_value() ? fmt::format(".as-of/{}/t", *as_of) : "t";
    std::map<std::string, std::set<std::string>> rows;  // row -> families
    std::map<std::string, std::set<std::string>> columns;
    for (const auto& [column, versions] : model_) {
      auto newest = as_of.has_value() ? versions.lower_bound(*as_of) : versions.begin();
      if (newest == versions.end()) continue;
      std::string row = root + "/" + codec_.Encode(column.row);
      std::string family = row + "/" + column.family;
      std::string file = family + "/" + codec_.Encode(column.qualifier);
      rows[row].insert(column.family);
      columns[family].insert(codec_.Encode(column.qualifier));
      ASSERT_EQ(walk_.Read(file), newest->second) << file;
      ASSERT_EQ(walk_.Find(file)->attributes.changed_at_us, newest->first);
      std::string times = family + "/.versions/" + codec_.Encode(column.qualifier);
      Names kept;
      for (auto at = newest; at != versions.end(); ++at) {
        kept.push_back(std::to_string(at->first));
        ASSERT_EQ(walk_.Read(times + "/" + kept.back()), at->second) << times;
      }
      ASSERT_EQ(walk_.List(times), kept) << times;
    }
    for (const auto& [row, families] : rows) {
      ASSERT_EQ(walk_.List(row), Names(families.begin(), families.end())) << row;
    }
    for (const auto& [family, names] : columns) {
      Names listed = walk_.List(family);
      ASSERT_EQ(std::set<std::string>(listed.begin(), listed.end()), names) << family;
      ASSERT_EQ(listed.size(), names.size());
    }
    CompareRows(root, rows);
  }

 private:
  struct Column {
    std::string row, family, qualifier;
    auto operator<=>(const Column&) const = default;
  };

  // Listed rows are the map's rows, in order of their raw keys.
  void CompareRows(const std::string& root,
                   const std::map<std::string, std::set<std::string>>& rows) {
    std::vector<std::string> keys;
    for (const DirEntry& entry : walk_.Entries(root)) {
      if (entry.entry.node.kind != NodeKind::kRow) continue;
      keys.push_back(entry.entry.node.row);
      ASSERT_TRUE(rows.contains(root + "/" + entry.name)) << entry.name;
    }
    ASSERT_EQ(keys.size(), rows.size());
    ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  }

  std::string Key() {
    static const std::vector<std::string> kKeys = {"a",
                                                   "a/b",
                                                   "a%2Fb",
                                                   "%",
                                                   ".",
                                                   "..",
                                                   ".versions",
                                                   "\n",
                                                   std::string("\0", 1),
                                                   "\xff",
                                                   std::string(300, 'x'),
                                                   std::string(300, 'x') + "y",
                                                   std::string(90, '\xff'),
                                                   "caf\xc3\xa9"};
    return kKeys[random_.Uniform(kKeys.size())];
  }

  engine::Random random_;
  FakeClient client_;
  TreeView tree_;
  TreeWalk walk_;
  NameCodec codec_;
  std::map<Column, std::map<int64_t, std::string, std::greater<>>> model_;
  int writes_ = 0;
};

TEST(TreeModel, RandomHistoriesLookLikeAMap) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    History history(seed);
    for (int step = 0; step < 60; ++step) {
      history.Step();
      if (step % 6 != 0) continue;
      history.Compare(std::nullopt);
      history.Compare(step % 5 - 2);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace sippar::fuse
