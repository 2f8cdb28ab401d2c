// The tree against a fake client: names, contents, versions, times, attributes, errors.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/tree_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fuse/tree/schema_text.h"
#include "fuse/tree/xattrs.h"
#include "tests/fuse/fake_client.h"
#include "tests/fuse/tree_walk.h"

namespace sippar::fuse {
namespace {

class TreeViewTest : public ::testing::Test {
 protected:
  TreeViewTest() : tree_(&client_, TreeOptions()), walk_(&tree_) {
    client_.AddTable("web", {"anchor", "contents", "language"});
    client_.Set("web", "com.cnn.www/index.html", "contents", "", 3, "v3");
    client_.Set("web", "com.cnn.www/index.html", "contents", "", 5, "v5");
    client_.Set("web", "com.cnn.www/index.html", "contents", "", 6, "v6");
    client_.Set("web", "com.cnn.www/index.html", "anchor", "my.look.ca", 8, "CNN.com");
    client_.Set("web", "org.debian", "contents", "", 2, "debian");
  }
  void PassASecond() { client_.manual_clock()->SleepMicros(1'000'001); }

  FakeClient client_;
  TreeView tree_;
  TreeWalk walk_;
  const std::string row_ = "web/com.cnn.www%2Findex.html";
};

TEST_F(TreeViewTest, ShowsTablesRowsFamiliesAndColumns) {
  EXPECT_EQ(walk_.List(""), (Names{".as-of", ".status", ".version", "web"}));
  EXPECT_EQ(walk_.List("web"),
            (Names{".schema.sql", ".stats", ".tablets", "com.cnn.www%2Findex.html", "org.debian"}));
  EXPECT_EQ(walk_.List(row_), (Names{"anchor", "contents"}));
  EXPECT_EQ(walk_.List(row_ + "/contents"), (Names{"%"}));
  EXPECT_EQ(walk_.Read(row_ + "/contents/%"), "v6");
  EXPECT_EQ(walk_.Read(row_ + "/anchor/my.look.ca"), "CNN.com");
  EXPECT_EQ(walk_.List(row_ + "/language"), Names{});
}

TEST_F(TreeViewTest, AnswersNotFoundForWhatIsNot) {
  for (const std::string& path :
       {std::string("none"), std::string("web/none"), row_ + "/none", row_ + "/contents/none",
        std::string("web/%"), row_ + "/language/%", std::string(".git"), std::string("web/.git"),
        row_ + "/.git", row_ + "/contents/.git", std::string("web/a%zz"),
        row_ + "/contents/.versions/none", row_ + "/contents/.versions/%/4",
        row_ + "/contents/.versions/%/06", row_ + "/contents/.versions/%/x"}) {
    EXPECT_EQ(walk_.Find(path).status().code(), StatusCode::kNotFound) << path;
  }
}

TEST_F(TreeViewTest, VersionsHaveTwoPathsToOneFile) {
  EXPECT_EQ(walk_.List(row_ + "/contents/.versions"), Names{"%"});
  EXPECT_EQ(walk_.List(row_ + "/contents/.versions/%"), (Names{"6", "5", "3"}));
  EXPECT_EQ(walk_.List(row_ + "/.versions"), (Names{"anchor", "contents"}));
  EXPECT_EQ(walk_.List(row_ + "/.versions/contents/%"), (Names{"6", "5", "3"}));
  EXPECT_EQ(walk_.Read(row_ + "/contents/.versions/%/3"), "v3");
  EXPECT_EQ(walk_.Read(row_ + "/.versions/contents/%/5"), "v5");
  Entry newest = *walk_.Find(row_ + "/contents/%");
  EXPECT_EQ(walk_.Find(row_ + "/contents/.versions/%/6")->node, newest.node);
  EXPECT_EQ(walk_.Find(row_ + "/.versions/contents/%/6")->inode_number, newest.inode_number);
  // Two directories must never be one: the kernel would move the one to the other's place.
  EXPECT_NE(walk_.Find(row_ + "/contents/.versions")->node,
            walk_.Find(row_ + "/.versions/contents")->node);
}

TEST_F(TreeViewTest, OtherSpellingsAreSymlinksToTheRightOne) {
  for (auto [path, target] : std::initializer_list<std::pair<std::string, std::string>>{
           {"web/com.cnn.www%2findex.html", "com.cnn.www%2Findex.html"},
           {"web/%6Frg.debian", "org.debian"},
           {row_ + "/%63ontents", "contents"},
           {row_ + "/anchor/my.look%2eca", "my.look.ca"}}) {
    auto found = walk_.Find(path);
    ASSERT_TRUE(found.ok()) << path << found.status();
    EXPECT_EQ(found->node.kind, NodeKind::kSymlink) << path;
    EXPECT_EQ(found->node.text, target);
    EXPECT_EQ(found->attributes.size_bytes, target.size());
  }
  EXPECT_FALSE(walk_.Find("web/%6Frg.nothere").ok());
}

TEST_F(TreeViewTest, SizesAndTimesAreExactBeforeOpen) {
  client_.Set("web", "big", "contents", "x", -7, std::string(3'000'000, 'b'));
  client_.Set("web", "big", "contents", "empty", 0, "");
  Entry big = *walk_.Find("web/big/contents/x");
  EXPECT_EQ(big.attributes.size_bytes, 3'000'000u);
  EXPECT_EQ(big.attributes.changed_at_us, -7);
  EXPECT_EQ(walk_.Read("web/big/contents/x"), std::string(3'000'000, 'b'));
  EXPECT_EQ(walk_.Find("web/big/contents/empty")->attributes.size_bytes, 0u);
  EXPECT_EQ(walk_.Read("web/big/contents/empty"), "");
  for (const DirEntry& entry : walk_.Entries("web/big/contents")) {
    if (entry.name == "x") {
      EXPECT_EQ(entry.entry.attributes.size_bytes, 3'000'000u);
    }
  }
}

TEST_F(TreeViewTest, ListingAndLookupAgree) {
  for (const std::string& path :
       {std::string(""), std::string("web"), row_, row_ + "/contents", row_ + "/.versions",
        row_ + "/contents/.versions", row_ + "/contents/.versions/%", std::string(".as-of"),
        std::string(".as-of/5/web"), std::string(".as-of/5/") + row_ + "/contents"}) {
    for (const DirEntry& listed : walk_.Entries(path)) {
      if (listed.name == "." || listed.name == "..") continue;
      auto found = walk_.Find(path + "/" + listed.name);
      ASSERT_TRUE(found.ok()) << path << "/" << listed.name << found.status();
      EXPECT_EQ(found->inode_number, listed.entry.inode_number) << path << "/" << listed.name;
      EXPECT_EQ(found->attributes.size_bytes, listed.entry.attributes.size_bytes);
      EXPECT_EQ(found->attributes.changed_at_us, listed.entry.attributes.changed_at_us);
      if (found->node.kind != NodeKind::kText) {
        EXPECT_EQ(found->node, listed.entry.node);
      }
    }
  }
}

TEST_F(TreeViewTest, AnInodeKeepsItsBytesAndANewVersionIsANewInode) {
  Entry old = *walk_.Find(row_ + "/contents/%");
  auto held = tree_.OpenFile(old.node, old.attributes, {});
  ASSERT_TRUE(held.ok());
  client_.Set("web", "com.cnn.www/index.html", "contents", "", 9, "v9 is longer");
  EXPECT_EQ(walk_.Read(row_ + "/contents/%"), "v6") << "at most a second old";
  PassASecond();
  Entry fresh = *walk_.Find(row_ + "/contents/%");
  EXPECT_NE(fresh.inode_number, old.inode_number);
  EXPECT_EQ(walk_.Read(row_ + "/contents/%"), "v9 is longer");
  EXPECT_EQ(tree_.ReadFile(held->get(), 0, 10, {})->view, "v6");
  EXPECT_EQ(*walk_.Content(old), "v6") << "still a kept version";
}

TEST_F(TreeViewTest, OverwritingATimestampMakesTheOldInodeStale) {
  Entry old = *walk_.Find(row_ + "/contents/%");
  client_.Set("web", "com.cnn.www/index.html", "contents", "", 6, "V6");
  PassASecond();
  EXPECT_NE(walk_.Find(row_ + "/contents/%")->node, old.node);
  EXPECT_EQ(walk_.Read(row_ + "/contents/%"), "V6");
  EXPECT_EQ(tree_.OpenFile(old.node, old.attributes, {}).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(TreeViewTest, DeletedVersionsRowsAndTablesAreGone) {
  client_.Set("web", "org.debian", "contents", "big", 2, std::string(100'000, 'b'));
  Entry small = *walk_.Find("web/org.debian/contents/%");
  Entry big = *walk_.Find("web/org.debian/contents/big");
  client_.DeleteRow("web", "org.debian");
  PassASecond();
  EXPECT_EQ(walk_.Find("web/org.debian").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(*walk_.Content(small), "debian") << "read with its row";
  EXPECT_EQ(walk_.Content(big).status().code(), StatusCode::kFailedPrecondition);
  Entry table = *walk_.Find("web");
  client_.AddTable("web", {"contents"});  // dropped and made again
  PassASecond();
  EXPECT_NE(walk_.Find("web")->node, table.node);
  EXPECT_EQ(tree_.Lookup(table.node, "org.debian", {}).status().code(), StatusCode::kNotFound);
}

TEST_F(TreeViewTest, AsOfShowsTheTreeOfATime) {
  EXPECT_EQ(walk_.List(".as-of"), Names{"README"});
  EXPECT_EQ(walk_.List(".as-of/5"), Names{"web"});
  EXPECT_EQ(walk_.List(".as-of/2/web"), Names{"org.debian"});
  EXPECT_EQ(walk_.Read(".as-of/5/" + row_ + "/contents/%"), "v5");
  EXPECT_EQ(walk_.Read(".as-of/4/" + row_ + "/contents/%"), "v3");
  EXPECT_EQ(walk_.List(".as-of/5/" + row_ + "/contents/.versions/%"), (Names{"5", "3"}));
  EXPECT_FALSE(walk_.Find(".as-of/5/" + row_ + "/contents/.versions/%/6").ok());
  EXPECT_FALSE(walk_.Find(".as-of/1/web/org.debian").ok());
  EXPECT_EQ(walk_.Read(".as-of/9223372036854775807/" + row_ + "/contents/%"), "v6");
  EXPECT_EQ(walk_.List(".as-of/-9223372036854775807/web"), Names{});
  EXPECT_EQ(walk_.Find(".as-of/5/" + row_ + "/contents/%")->node,
            walk_.Find(row_ + "/contents/.versions/%/5")->node)
      << "a version is one inode at every time";
}

TEST_F(TreeViewTest, AsOfTakesIsoTimesAndNowAsSymlinks) {
  EXPECT_EQ(walk_.Find(".as-of/1970-01-01T00:00:01.5Z")->node.text, "1500000");
  EXPECT_EQ(walk_.Find(".as-of/1969-12-31T23:59:59Z")->node.text, "-1000000");
  EXPECT_EQ(walk_.Find(".as-of/2026-11-20")->node.text, "1795132800000000");
  EXPECT_EQ(walk_.Find(".as-of/now")->node.text,
            std::to_string(client_.manual_clock()->NowMicros()));
  for (const char* bad : {"05", "1e3", "2026-13-01", "2026-02-30", "2026-11-20T25:00:00Z",
                          "2026-11-20T12:00:00", "-9223372036854775808", "x"}) {
    EXPECT_EQ(walk_.Find(std::string(".as-of/") + bad).status().code(),
              StatusCode::kInvalidArgument)
        << bad;
  }
}

TEST_F(TreeViewTest, LongNamesResolveByIndexAndByScan) {
  std::string key(300, 'k');
  client_.Set("web", key, "contents", key + "q", 1, "long");
  client_.Set("web", std::string(300, 'k') + "2", "contents", "", 1, "other");
  std::string row = NameCodec().Encode(key);
  std::string qualifier = NameCodec().Encode(key + "q");
  EXPECT_EQ(walk_.Read("web/" + row + "/contents/" + qualifier), "long") << "by scan";
  uint64_t reads = client_.reads();
  EXPECT_TRUE(walk_.Find("web/" + row).ok());
  EXPECT_LE(client_.reads() - reads, 2u) << "its place, and whether it exists";
  TreeView listed(&client_, TreeOptions());
  TreeWalk walk(&listed);
  walk.List("web");
  EXPECT_EQ(walk.Read("web/" + row + "/contents/" + qualifier), "long") << "after listing";
  std::string wrong = row;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_EQ(walk_.Find("web/" + wrong).status().code(), StatusCode::kNotFound);
}

TEST_F(TreeViewTest, TwoKeysWithOneLongNameAreAnError) {
  TreeOptions options;
  options.codec = NameCodec([](std::string_view) { return std::string(32, 'a'); });
  TreeView tree(&client_, options);
  client_.Set("web", std::string(300, 'k'), "contents", "", 1, "one");
  client_.Set("web", std::string(301, 'k'), "contents", "", 1, "two");
  auto found = TreeWalk(&tree).Find("web/" + options.codec.Encode(std::string(300, 'k')));
  EXPECT_EQ(found.status().code(), StatusCode::kDataLoss);
}

TEST_F(TreeViewTest, ARowReadOnceServesItsFiles) {
  for (int i = 0; i < 100; ++i) {
    client_.Set("web", "r", "anchor", "a" + std::to_string(i), i, "value");
  }
  walk_.List("web/r");
  uint64_t reads = client_.reads();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(walk_.Read("web/r/anchor/a" + std::to_string(i)), "value");
  }
  walk_.List("web/r/anchor");
  EXPECT_EQ(client_.reads(), reads);
}

TEST_F(TreeViewTest, RowsOfAListingNeedNoReadWhenLookedUp) {
  for (int i = 0; i < 1'000; ++i) client_.Set("web", "r" + std::to_string(i), "anchor", "", 1, "");
  Names names = walk_.List("web");
  uint64_t reads = client_.reads();
  for (const std::string& name : names) EXPECT_TRUE(walk_.Find("web/" + name).ok());
  EXPECT_LE(client_.reads(), reads + 50) << "a few meet in the table of recent rows";
  reads = client_.reads();
  PassASecond();
  EXPECT_TRUE(walk_.Find("web/r1").ok());
  EXPECT_GT(client_.reads(), reads) << "what a listing saw is believed for a second only";
}

TEST_F(TreeViewTest, WideRowsAreListedAndReadColumnByColumn) {
  constexpr int kColumns = 10'000;
  for (int i = 0; i < kColumns; ++i) {
    client_.Set("web", "wide", "anchor", "q" + std::to_string(100'000 + i), 5, std::to_string(i));
  }
  client_.Set("web", "wide", "contents", "", 1, "c");
  EXPECT_EQ(walk_.List("web/wide"), (Names{"anchor", "contents"}));
  std::vector<DirEntry> entries = walk_.Entries("web/wide/anchor");
  ASSERT_EQ(entries.size(), kColumns + 2u);
  EXPECT_EQ(entries[2 + 1'234].entry.attributes.size_bytes, 4u);
  EXPECT_EQ(walk_.Read("web/wide/anchor/q101234"), "1234");
  EXPECT_EQ(walk_.List("web/wide/anchor/.versions").size(), size_t{kColumns});
  EXPECT_FALSE(walk_.Find("web/wide/anchor/q1").ok());
}

TEST_F(TreeViewTest, ControlFilesHaveExactSizesAndAreListedOnlyAboveRows) {
  Entry schema = *walk_.Find("web/.schema.sql");
  EXPECT_EQ(walk_.Read("web/.schema.sql").size(), schema.attributes.size_bytes);
  EXPECT_EQ(walk_.Read("web/.schema.sql"),
            "CREATE TABLE `web` (\n  FAMILY `anchor`,\n  FAMILY `contents`,\n  FAMILY "
            "`language`\n);\n");
  EXPECT_NE(walk_.Read("web/.stats").find("default\t0\t10000"), std::string::npos);
  EXPECT_NE(walk_.Read("web/.tablets").find("fake\tonline"), std::string::npos);
  tree_.NoteError("lookup: something\nbad");
  EXPECT_NE(walk_.Read(".status").find("last_error: lookup: something bad\n"), std::string::npos);
  EXPECT_TRUE(walk_.Read(".version").starts_with("sippar "));
  EXPECT_NE(walk_.Read(".as-of/README").find("AS OF"), std::string::npos);
  EXPECT_FALSE(walk_.Find(".as-of/5/web/.schema.sql").ok());
}

TEST_F(TreeViewTest, XattrsHoldTheRawKey) {
  std::string key("\0/%\xff", 4);
  client_.Set("web", key, "anchor", "q/1", 7, "v");
  client_.Set("web", key, "anchor", "q/1", 8, "v");
  Entry cell = *walk_.Find("web/%00%2F%25%FF/anchor/q%2F1");
  auto get = [&](const Entry& entry, std::string_view name) {
    auto value = tree_.Xattr(entry.node, name, {});
    return value.ok() && value->has_value() ? **value : "(none)";
  };
  EXPECT_EQ(get(cell, "user.sippar.key"), key);
  EXPECT_EQ(get(cell, "user.sippar.table"), "web");
  EXPECT_EQ(get(cell, "user.sippar.family"), "anchor");
  EXPECT_EQ(get(cell, "user.sippar.qualifier"), "q/1");
  EXPECT_EQ(get(cell, "user.sippar.timestamp"), "8");
  EXPECT_EQ(get(cell, "user.sippar.versions"), "2");
  EXPECT_EQ(get(cell, "user.sippar.none"), "(none)");
  EXPECT_EQ(get(cell, "security.capability"), "(none)");
  EXPECT_EQ(XattrNames(cell.node).size(), 5u);
  Entry row = *walk_.Find("web/%00%2F%25%FF");
  EXPECT_EQ(get(row, "user.sippar.key"), key);
  EXPECT_EQ(get(row, "user.sippar.cells"), "1");
  EXPECT_EQ(get(row, "user.sippar.newest"), "8");
  EXPECT_EQ(get(row, "user.sippar.family"), "(none)");
  EXPECT_EQ(get(tree_.Root(), "user.sippar.table"), "(none)");
}

TEST_F(TreeViewTest, FamiliesWithLeadingDotsCannotHideControls) {
  client_.AddTable("odd", {".", "..", ".versions", "-x"});
  client_.Set("odd", "r", ".versions", "q", 1, "v");
  client_.Set("odd", "r", "..", "q", 1, "w");
  EXPECT_EQ(walk_.List("odd/r"), (Names{"%2E.", "%2Eversions"}));
  EXPECT_EQ(walk_.Read("odd/r/%2Eversions/q"), "v");
  EXPECT_EQ(walk_.Read("odd/r/%2Eversions/.versions/q/1"), "v");
  EXPECT_EQ(walk_.Read("odd/r/.versions/%2E./q/1"), "w");
}

TEST_F(TreeViewTest, AListingStopsAtAnErrorAndGoesOnAfterIt) {
  client_.AddTable("many", {"f"});
  for (int i = 0; i < 100; ++i) client_.Set("many", "r" + std::to_string(100 + i), "f", "", 1, "");
  auto stream = tree_.OpenDirectory(walk_.Find("many")->node, nullptr);
  ASSERT_TRUE(stream.ok());
  client_.FailNextRead(Unavailable("moved"), 30);
  Names names;
  int errors = 0;
  for (uint64_t ordinal = 5;;) {  // behind dots and control files
    auto entry = (*stream)->At(ordinal);
    if (!entry.ok()) {
      EXPECT_EQ(names.size(), 30u);
      ASSERT_EQ(++errors, 1);
      continue;
    }
    if (*entry == nullptr) break;
    names.push_back((*entry)->name);
    ++ordinal;
  }
  ASSERT_EQ(names.size(), 100u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(errors, 1);
}

TEST_F(TreeViewTest, AListingThatTakesLongIsReadAnewEverySecond) {
  client_.AddTable("many", {"f"});
  for (int i = 0; i < 5'000; ++i) client_.Set("many", std::to_string(10'000 + i), "f", "", 1, "");
  auto stream = tree_.OpenDirectory(walk_.Find("many")->node, nullptr);
  ASSERT_TRUE(stream.ok());
  Names names;
  for (uint64_t ordinal = 5;; ++ordinal) {
    auto entry = (*stream)->At(ordinal);
    ASSERT_TRUE(entry.ok());
    if (*entry == nullptr) break;
    EXPECT_LE((*entry)->entry.age_us, 1'300'000);
    names.push_back((*entry)->name);
    client_.manual_clock()->SleepMicros(1'000);
    if (names.size() == 100) client_.Set("many", "13000-new", "f", "", 1, "");
    if (names.size() == 101) client_.DeleteRow("many", "14000");
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), "13000-new"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "14000"), 0);
  EXPECT_EQ(names.size(), 5'000u);
}

TEST_F(TreeViewTest, AReaderThatPausesGetsTheAgeOfEachEntry) {
  client_.AddTable("many", {"f"});
  for (int i = 0; i < 20; ++i) client_.Set("many", std::to_string(10 + i), "f", "", 1, "");
  auto stream = tree_.OpenDirectory(walk_.Find("many")->node, nullptr);
  ASSERT_TRUE(stream.ok());
  auto at = [&](uint64_t ordinal) { return **(*stream)->At(ordinal); };
  EXPECT_EQ(at(5).name, "10");
  client_.DeleteRow("many", "12");
  client_.manual_clock()->SleepMicros(900'000);
  EXPECT_EQ(at(5).entry.age_us, 900'000) << "asked for again, since it did not fit";
  EXPECT_EQ(at(6).entry.age_us, 900'000);
  client_.manual_clock()->SleepMicros(10'000'000);
  EXPECT_EQ(at(6).entry.age_us, 10'900'000);
  EXPECT_EQ(at(7).name, "13") << "read anew";
  EXPECT_EQ(at(7).entry.age_us, 0);
}

TEST_F(TreeViewTest, F_M6_ValuesAreReadByTheFirstReadAndMakeRoomForEachOther) {
  TreeOptions options;
  options.value_memory_bytes = 1'000'000;
  TreeView tree(&client_, options);
  TreeWalk walk(&tree);
  client_.Set("web", "r", "contents", "a", 1, std::string(600'000, 'a'));
  client_.Set("web", "r", "contents", "b", 1, std::string(600'000, 'b'));
  client_.Set("web", "r", "contents", "huge", 1, std::string(1'000'001, 'h'));
  Entry a = *walk.Find("web/r/contents/a");
  Entry b = *walk.Find("web/r/contents/b");
  Entry huge = *walk.Find("web/r/contents/huge");
  uint64_t reads = client_.reads();
  OpenValuePtr first = *tree.OpenFile(a.node, a.attributes, {});
  OpenValuePtr again = *tree.OpenFile(a.node, a.attributes, {});
  OpenValuePtr other = *tree.OpenFile(b.node, b.attributes, {});
  EXPECT_EQ(client_.reads(), reads) << "an open reads nothing";
  EXPECT_EQ(tree.value_bytes(), 0u);
  auto read = [&](const OpenValuePtr& file) { return tree.ReadFile(file.get(), 0, 600'000, {}); };
  {
    FileBytes bytes = *read(first);
    EXPECT_EQ(bytes.view, std::string(600'000, 'a'));
    EXPECT_EQ(read(again)->owner, bytes.owner) << "opens of one version share its bytes";
    EXPECT_EQ(client_.reads(), reads + 1);
    EXPECT_EQ(tree.value_bytes(), 600'000u);
    EXPECT_EQ(read(other).status().code(), StatusCode::kResourceExhausted)
        << "bytes that answer a read stay";
  }
  EXPECT_EQ(read(other)->view, std::string(600'000, 'b')) << "others make room";
  EXPECT_EQ(tree.value_bytes(), 600'000u);
  EXPECT_EQ(read(first)->view, std::string(600'000, 'a')) << "and are read again";
  EXPECT_EQ(tree.OpenFile(huge.node, huge.attributes, {}).status().code(), StatusCode::kOutOfRange);
  first = nullptr, again = nullptr, other = nullptr;
  EXPECT_EQ(tree.value_bytes(), 0u);
}

TEST_F(TreeViewTest, ASmallValueIsGivenFromMemoryUntilItMakesRoom) {
  TreeOptions options;
  options.value_memory_bytes = 1'000'000;
  TreeView tree(&client_, options);
  TreeWalk walk(&tree);
  client_.Set("web", "r", "contents", "small", 1, "small");
  client_.Set("web", "r", "contents", "large", 1, std::string(1'000'000, 'l'));
  Entry small = *walk.Find("web/r/contents/small");
  Entry large = *walk.Find("web/r/contents/large");
  OpenValuePtr file = *tree.OpenFile(small.node, small.attributes, {});
  OpenValuePtr other = *tree.OpenFile(large.node, large.attributes, {});
  client_.Set("web", "r", "contents", "small", 1, "overwritten");
  PassASecond();
  EXPECT_TRUE(walk.Find("web/r/contents/small").ok()) << "the cached row is the new one";
  EXPECT_EQ(tree.ReadFile(file.get(), 0, 10, {})->view, "small");
  EXPECT_EQ(tree.ReadFile(other.get(), 0, 10, {})->view, "llllllllll");
  EXPECT_EQ(tree.ReadFile(file.get(), 0, 10, {}).status().code(), StatusCode::kFailedPrecondition);
}

// A value of 40 MiB whose bytes tell their places.
std::string LongValue() {
  std::string value(40 << 20, '\0');
  for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(i * 2654435761u >> 24);
  return value;
}

TEST_F(TreeViewTest, ALargeValueIsReadInPiecesOfWhichFewAreHeld) {
  const std::string value = LongValue();
  const uint64_t piece = PieceSize(value.size());
  EXPECT_EQ(piece, 5u << 20) << "an eighth";
  EXPECT_EQ(PieceSize(4 << 20), 4u << 20) << "a value of 4 MiB is one piece";
  client_.Set("web", "r", "contents", "long", 1, value);
  Entry entry = *walk_.Find("web/r/contents/long");
  OpenValuePtr file = *tree_.OpenFile(entry.node, entry.attributes, {});
  const uint64_t given = client_.value_bytes_given();
  EXPECT_EQ(tree_.ReadFile(file.get(), 0, 100, {})->view, value.substr(0, 100));
  EXPECT_EQ(client_.value_bytes_given() - given, piece) << "head -c 100 reads one piece";
  EXPECT_EQ(tree_.ReadFile(file.get(), value.size(), 100, {})->view, "") << "end of file";
  std::string read;
  const uint64_t step = 128 << 10;
  for (uint64_t at = 1; at < value.size(); at += step) {  // most borders are within a step
    client_.manual_clock()->SleepMicros(1'000);
    read += tree_.ReadFile(file.get(), at, step, {})->view;
    ASSERT_LE(tree_.value_bytes(), 2 * piece);
  }
  EXPECT_TRUE(read == value.substr(1)) << "the same bytes, in order";
  EXPECT_EQ(client_.value_bytes_given() - given, value.size()) << "each piece was read once";
}

TEST_F(TreeViewTest, AValueThatIsReadInAnyOrderIsSoonHeldWhole) {
  const std::string value = LongValue();
  client_.Set("web", "r", "contents", "long", 1, value);
  Entry entry = *walk_.Find("web/r/contents/long");
  OpenValuePtr file = *tree_.OpenFile(entry.node, entry.attributes, {});
  const uint64_t reads = client_.reads();
  uint64_t at = 1;
  for (int i = 0; i < 1'000; ++i) {
    client_.manual_clock()->SleepMicros(1'000);
    at = at * 2862933555777941757u + 3037000493u;
    const uint64_t from = at % value.size();
    ASSERT_EQ(tree_.ReadFile(file.get(), from, 1'000, {})->view, value.substr(from, 1'000));
  }
  EXPECT_LE(client_.reads() - reads, 16u);
  EXPECT_EQ(tree_.value_bytes(), value.size());
  file = nullptr;
  EXPECT_EQ(tree_.value_bytes(), 0u);
}

TEST_F(TreeViewTest, APieceOfAVersionThatIsGoneIsStaleAndOfAnOldServerIsCut) {
  const std::string value = LongValue();
  client_.GiveWholeValues();
  client_.Set("web", "r", "contents", "long", 1, value);
  Entry entry = *walk_.Find("web/r/contents/long");
  OpenValuePtr file = *tree_.OpenFile(entry.node, entry.attributes, {});
  EXPECT_EQ(tree_.ReadFile(file.get(), 30 << 20, 100, {})->view, value.substr(30 << 20, 100));
  client_.Set("web", "r", "contents", "long", 1, value);  // overwrites this version
  EXPECT_EQ(tree_.ReadFile(file.get(), 31 << 20, 100, {})->view, value.substr(31 << 20, 100))
      << "in memory";
  EXPECT_EQ(tree_.ReadFile(file.get(), 0, 100, {}).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(TreeViewTest, F_M1_TablesOfOtherInstancesHaveNamesToo) {
  client_.AddTable("mine/inst/pages", {"f"});
  client_.AddTable("a/b/" + std::string(300, 't'), {"f"});
  client_.Set("mine/inst/pages", "r", "f", "q", 1, "value");
  std::string name = NameCodec().Encode("a/b/" + std::string(300, 't'));
  EXPECT_EQ(walk_.List(""),
            (Names{".as-of", ".status", ".version", name, "mine%2Finst%2Fpages", "web"}));
  for (const DirEntry& entry : walk_.Entries("")) {
    EXPECT_EQ(entry.name.find('/'), std::string::npos) << entry.name;
  }
  EXPECT_EQ(walk_.Read("mine%2Finst%2Fpages/r/f/q"), "value");
  EXPECT_EQ(walk_.Read(".as-of/1/mine%2Finst%2Fpages/r/f/q"), "value");
  EXPECT_TRUE(walk_.Find(name).ok());
  Entry spelled = *walk_.Find("mine%2finst%2fpages");
  EXPECT_EQ(spelled.node.kind, NodeKind::kSymlink);
  EXPECT_EQ(spelled.node.text, "mine%2Finst%2Fpages");
  EXPECT_EQ(walk_.Find("mine%2Finst%2Fnone").status().code(), StatusCode::kNotFound);
}

TEST_F(TreeViewTest, F_M2_WithoutFreshnessEveryLookupSeesTheLastWrite) {
  TreeOptions options;
  options.freshness_us = 0;
  TreeView tree(&client_, options);
  TreeWalk walk(&tree);
  for (int i = 0; i < 3; ++i) {
    std::string value = "value " + std::to_string(i);
    client_.Set("web", "row", "contents", "", 10 + i, value);
    EXPECT_EQ(walk.Read("web/row/contents/%"), value);
    EXPECT_EQ(walk.List("web/row/contents"), Names{"%"});
    client_.DeleteRow("web", "row");
    EXPECT_EQ(walk.Find("web/row").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(walk.Find("web/org.debian/none").status().code(), StatusCode::kNotFound);
  }
}

TEST_F(TreeViewTest, F_M3_WhatIsMissingIsNotRemembered) {
  EXPECT_EQ(walk_.Find("fresh").status().code(), StatusCode::kNotFound);
  client_.AddTable("fresh", {"a"});
  client_.Set("fresh", "r", "a", "q", 1, "value");
  EXPECT_EQ(walk_.Read("fresh/r/a/q"), "value") << "a new table at once";
  EXPECT_EQ(walk_.Find("fresh/r/b").status().code(), StatusCode::kNotFound);
  client_.AddFamily("fresh", "b");
  EXPECT_TRUE(walk_.Find("fresh/r/b").ok()) << "a new family at once";
}

TEST_F(TreeViewTest, F_M5_SizesAreFoundWithoutValues) {
  for (int i = 0; i < 5'000; ++i) {  // a row too wide to be kept
    client_.Set("web", "wide", "contents", fmt::format("q{:04}", i), 1, std::string(100, 'v'));
  }
  client_.Set("web", "big", "contents", "x", 1, std::string(3'000'000, 'b'));
  client_.Set("web", "big", "contents", "x", 2, std::string(2'000'000, 'b'));
  uint64_t bytes = client_.value_bytes_given();
  EXPECT_EQ(walk_.Find("web/big/contents/x")->attributes.size_bytes, 2'000'000u);
  EXPECT_EQ(walk_.Find("web/big/contents/.versions/x/1")->attributes.size_bytes, 3'000'000u);
  for (const DirEntry& entry : walk_.Entries("web/big/contents/.versions/x")) {
    if (entry.name == "1") EXPECT_EQ(entry.entry.attributes.size_bytes, 3'000'000u);
  }
  EXPECT_EQ(walk_.Find("web/wide/contents/q0007")->attributes.size_bytes, 100u);
  uint64_t listed = client_.value_bytes_given();
  EXPECT_EQ(walk_.Entries("web/wide/contents").back().entry.attributes.size_bytes, 100u);
  EXPECT_EQ(client_.value_bytes_given(), listed) << "a listing of a wide row reads no values";
  EXPECT_LE(client_.value_bytes_given() - bytes, 5'000u * 100u) << "no large value was read";
}

TEST_F(TreeViewTest, TheTotalsOfAllTablesAreWholeOrAnError) {
  client_.AddTable("other", {"f"});
  client_.FailStats("other", Unavailable("moved"), /*drops=*/false);
  EXPECT_EQ(tree_.ReadUsage().status().code(), StatusCode::kUnavailable);
  client_.FailStats("other", Unavailable("no such tablet"), /*drops=*/true);
  auto usage = tree_.ReadUsage();
  ASSERT_TRUE(usage.ok()) << "a table that was dropped meanwhile: " << usage.status();
  EXPECT_EQ(usage->stored_bytes, 10'000u);
}

TEST_F(TreeViewTest, ErrorsOfTheClientComeThrough) {
  client_.FailNextRead(Unavailable("moved"));
  EXPECT_EQ(walk_.Find("web/org.debian").status().code(), StatusCode::kUnavailable);
  client_.FailNextRead(DataLoss("checksum"), 0);
  EXPECT_EQ(walk_.Find("web/org.debian/contents/%").status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(walk_.Read("web/org.debian/contents/%"), "debian") << "an error is not cached";
}

TEST(SchemaText, PrintsEverySetting) {
  engine::TableSchema schema;
  schema.name = "t";
  engine::FamilySchema hits;
  hits.name = "hits";
  hits.type = engine::FamilyType::kCounter;
  engine::FamilySchema page;
  page.name = "page";
  page.gc = engine::GcPolicy::Union(
      {engine::GcPolicy::MaxVersions(3), engine::GcPolicy::MaxAge(86'400'000'000)});
  engine::FamilySchema title;
  title.name = "title";
  title.type = engine::FamilyType::kText;
  schema.families = {hits, page, title};
  engine::LocalityGroupSchema group;
  group.name = "big";
  group.families = {"page"};
  group.block_size = 128 << 10;
  group.compression_level = 3;
  group.bloom = engine::BloomKind::kRowColumn;
  group.in_memory = true;
  schema.groups = {group};
  schema.Normalize();
  EXPECT_EQ(PrintCreateTable(schema),
            "CREATE TABLE `t` (\n"
            "  FAMILY `hits` COUNTER,\n"
            "  FAMILY `page` GC = UNION(VERSIONS(3), AGE(1d)),\n"
            "  FAMILY `title` TYPE = TEXT,\n"
            "  LOCALITY GROUP `big` (`page`) IN_MEMORY BLOCK_SIZE = 131072B COMPRESSION = "
            "ZSTD(LEVEL(3)) BLOOM = ROW_COLUMN\n"
            ");\n");
}

}  // namespace
}  // namespace sippar::fuse
