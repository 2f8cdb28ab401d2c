// The query directories against a fake client: names of selections, rows that they show, chains,
// the fan-out view, and the streams of generated files. The query language is faked too: a test
// "has:text" is true for the keys with that text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuse/directories/fan_out.h"
#include "fuse/tree/row_selection.h"
#include "fuse/tree/text_stream.h"
#include "fuse/tree/tree_limits.h"
#include "tests/fuse/fake_client.h"
#include "tests/fuse/tree_walk.h"

namespace sippar::fuse {
namespace {

class FakeAnswers final : public Answers {
 public:
  explicit FakeAnswers(cluster::Client* client) : client_(client) {}

  Status Check(const RowQuestion& question, const cluster::CallOptions&) override {
    return question.tests.back().starts_with("has:") ? OkStatus() : InvalidArgument("no test");
  }
  StatusOr<std::vector<std::string>> Keys(const RowQuestion& question,
                                          const cluster::CallOptions& call) override {
    ++pages;
    cluster::ReadSpec spec;
    spec.rows = engine::RowSet(question.range);
    spec.time = TimesOf(question.as_of);
    spec.keys_only = true;
    ASSIGN_OR_RETURN(auto stream, client_->data()->Read(question.table, spec, call));
    std::vector<std::string> keys;
    for (; stream->Valid(); stream->Next()) {
      std::string row(stream->cell().row);
      bool is_in = keys.empty() || keys.back() != row;
      for (const std::string& test : question.tests) {
        is_in = is_in && row.find(test.substr(4)) != std::string::npos;
      }
      if (is_in) keys.push_back(row);
      if (question.rows_max > 0 && keys.size() == question.rows_max) break;
    }
    return keys;
  }
  StatusOr<uint64_t> Count(const RowQuestion& question, const cluster::CallOptions& call) override {
    ASSIGN_OR_RETURN(auto keys, Keys(question, call));
    return keys.size();
  }
  Status Print(const RowQuestion& question, std::string_view format,
               const cluster::CallOptions& call, const ByteSink& sink) override {
    ASSIGN_OR_RETURN(auto keys, Keys(question, call));
    for (const std::string& key : keys) sink(fmt::format("{} {}\n", format, key));
    return OkStatus();
  }
  StatusOr<std::vector<std::string>> SavedNames() override { return Names{"top"}; }
  StatusOr<std::string> SavedText(std::string_view name) override {
    if (name != "top") return NotFound("saved query not found");
    return std::string("SELECT");
  }
  Status PrintStatement(std::string_view statement, std::string_view format,
                        const cluster::CallOptions&, const ByteSink& sink) override {
    if (format == "tsv") return InvalidArgument("its statement would write");
    sink(fmt::format("{} {}", statement, format));
    return OkStatus();
  }

  int pages = 0;

 private:
  cluster::Client* const client_;
};

class QueryDirectoriesTest : public ::testing::Test {
 protected:
  QueryDirectoriesTest()
      : answers_(&client_), tree_(&client_, OptionsWith(&answers_)), walk_(&tree_) {
    client_.AddTable("web", {"contents"});
    for (const char* row : {"com.cnn.www", "com.cnn.www/a/x", "com.cnn.www/a/y", "com.cnn.www/b",
                            "com.cnn.www/v1.2", "org.debian", "org.debian/"}) {
      client_.Set("web", row, "contents", "", 7, row);
    }
    client_.Set("web", "com.old", "contents", "", 3, "old");
  }
  static TreeOptions OptionsWith(Answers* answers) {
    TreeOptions options;
    options.answers = answers;
    return options;
  }
  std::string Generated(const std::string& path) {
    auto read = [&]() -> StatusOr<std::string> {
      ASSIGN_OR_RETURN(Entry file, walk_.Find(path));
      EXPECT_EQ(file.node.kind, NodeKind::kGenerated);
      EXPECT_EQ(file.attributes.size_bytes, 0u);
      ASSIGN_OR_RETURN(auto stream, tree_.OpenGenerated(file.node, {}));
      std::string text;
      while (true) {
        ASSIGN_OR_RETURN(std::string part, stream->Read(text.size(), 1'000, {}));
        if (part.empty()) return text;
        text += part;
      }
    };
    auto text = read();
    return text.ok() ? *text : text.status().ToString();
  }
  std::string TargetOf(const std::string& path) {
    auto found = walk_.Find(path);
    if (!found.ok()) return found.status().ToString();
    return found->node.kind == NodeKind::kSymlink ? found->node.text : "no symlink";
  }

  FakeClient client_;
  FakeAnswers answers_;
  TreeView tree_;
  TreeWalk walk_;
};

TEST_F(QueryDirectoriesTest, PrefixesAndRangesShowTheirRowsAndNoOthers) {
  EXPECT_EQ(walk_.List("web/.prefix/org."), (Names{"org.debian", "org.debian%2F"}));
  EXPECT_EQ(walk_.List("web/.prefix/none"), Names{});
  EXPECT_EQ(walk_.List("web/.prefix/%").size(), 8u);
  EXPECT_EQ(walk_.List("web/.range/com.o..org.debian%2F"), (Names{"com.old", "org.debian"}));
  EXPECT_EQ(walk_.List("web/.range/org.debian.."), (Names{"org.debian", "org.debian%2F"}));
  EXPECT_EQ(walk_.List("web/.range/..com.cnn.www%2Fa%2Fx"), Names{"com.cnn.www"});
  EXPECT_EQ(walk_.Read("web/.prefix/org./org.debian/contents/%"), "org.debian");
  EXPECT_EQ(walk_.Find("web/.prefix/org./com.old").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(walk_.Find("web/.prefix/org./org.none").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(walk_.List(".as-of/5/web/.prefix/com."), Names{"com.old"});
}

TEST_F(QueryDirectoriesTest, ALookupInAPrefixListsNothing) {
  uint64_t taken = client_.cells_taken();
  EXPECT_TRUE(walk_.Find("web/.prefix/com./com.cnn.www").ok());
  EXPECT_LE(client_.cells_taken() - taken, 1u);
}

TEST_F(QueryDirectoriesTest, TheFirstRowsAreAnEndThatMovesWithTheTable) {
  EXPECT_EQ(walk_.List("web/.first/2"), (Names{"com.cnn.www", "com.cnn.www%2Fa%2Fx"}));
  EXPECT_TRUE(walk_.Find("web/.first/2/com.cnn.www%2Fa%2Fx").ok());
  EXPECT_EQ(walk_.Find("web/.first/2/com.cnn.www%2Fb").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(walk_.List("web/.first/100").size(), 8u);
  EXPECT_EQ(walk_.List("web/.range/com.d../.first/1"), Names{"com.old"});
  EXPECT_EQ(walk_.List("web/.where/has:org/.first/1"), Names{"org.debian"});
  EXPECT_EQ(Generated("web/.first/2/.count"), "2\n");
  client_.Set("web", "aaa", "contents", "", 1, "new");
  client_.manual_clock()->SleepMicros(1'000'001);
  EXPECT_EQ(walk_.List("web/.first/2"), (Names{"aaa", "com.cnn.www"}));
  // Another step after .first would mean other rows than its name says.
  EXPECT_EQ(walk_.Find("web/.first/2/.prefix").status().code(), StatusCode::kNotFound);
}

TEST_F(QueryDirectoriesTest, TestsAreAskedForInPages) {
  for (int i = 0; i < 1'000; ++i) {
    client_.Set("web", fmt::format("page{:04}", i), "contents", "", 7, "x");
  }
  Names pages = walk_.List("web/.where/has:page");
  ASSERT_EQ(pages.size(), 1'000u);
  EXPECT_EQ(pages.front(), "page0000");
  EXPECT_EQ(pages.back(), "page0999");
  EXPECT_LE(answers_.pages, 6);
  EXPECT_EQ(Generated("web/.where/has:page/.where/has:99/.count"), "19\n");
  EXPECT_EQ(Generated("web/.prefix/page00/.where/has:9/.export/rows.csv").substr(0, 13),
            "csv page0009\n");
  EXPECT_EQ(walk_.Find("web/.where/none").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(walk_.Find("web/.where/has:page/com.old").status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(walk_.Find("web/.where/has:page/page0500").ok());
}

TEST_F(QueryDirectoriesTest, NamesThatAreNotValidSayWhy) {
  for (const char* path : {"web/.range/abc", "web/.range/b..a", "web/.range/a..a", "web/.first/0",
                           "web/.first/x", "web/.first/-1", "web/.prefix/a%zz", "web/.where/a%'"}) {
    Status status = walk_.Find(path).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << path;
    EXPECT_NE(status.message().find(std::string(path).substr(4)), std::string::npos) << status;
  }
  for (const char* path : {"web/.range/.git", "web/.first/.git", "web/.where/.git", "web/.other"}) {
    EXPECT_EQ(walk_.Find(path).status().code(), StatusCode::kNotFound) << path;
  }
}

TEST_F(QueryDirectoriesTest, OtherSpellingsAreSymlinks) {
  EXPECT_EQ(TargetOf("web/.prefix/%6Frg"), "org");
  EXPECT_EQ(TargetOf("web/.first/007"), "7");
  EXPECT_EQ(TargetOf("web/.range/%61..b"), "a..b");
  EXPECT_EQ(TargetOf("web/.where/has:%61"), "has:a");
}

TEST_F(QueryDirectoriesTest, RangeNamesAreReversibleForKeysOfDots) {
  NameCodec codec;
  for (const char* start : {"", "a", ".", "..", "a.", "a..b", ".a.", "a...", "%", "a/b"}) {
    for (const char* rest : {"", "x", ".", "..", ".x."}) {
      std::string limit = *rest == '\0' ? "" : std::string("z") + rest;
      if (*start == '\0' && limit.empty()) continue;
      auto spell = [&](const std::string& key) {
        std::string name;
        for (char c : key)
          name += c == '.' || c == '%' || c == '/' ? fmt::format("%{:02X}", c) : std::string(1, c);
        return name;
      };
      auto typed = AddStep(codec, "", ".range", spell(start) + ".." + spell(limit));
      ASSERT_TRUE(typed.ok()) << start << " " << limit << typed.status();
      RowSelection selection = DecodeSelection(typed->selection);
      EXPECT_EQ(selection.range.start, start);
      EXPECT_EQ(selection.range.limit, limit);
      auto again = AddStep(codec, "", ".range", typed->canonical);
      ASSERT_TRUE(again.ok()) << typed->canonical << again.status();
      EXPECT_EQ(again->canonical, typed->canonical);
      EXPECT_EQ(again->selection, typed->selection);
    }
  }
}

TEST_F(QueryDirectoriesTest, QueryDirectoriesAreReachableAndNotListed) {
  EXPECT_EQ(walk_.List("web/.prefix"), Names{});
  for (const std::string& name : walk_.List("web")) {
    bool is_control = name == ".schema.sql" || name == ".stats" || name == ".tablets";
    EXPECT_TRUE(!name.starts_with('.') || is_control) << name;
  }
  EXPECT_EQ(walk_.List("web/.first/1"), Names{"com.cnn.www"});
  std::string chain = "web";
  for (int i = 0; i < 8; ++i) chain += "/.prefix/c";
  EXPECT_EQ(walk_.List(chain).size(), 6u);
  EXPECT_EQ(walk_.Find(chain + "/.prefix").status().code(), StatusCode::kNotFound);
}

TEST_F(QueryDirectoriesTest, ARowHasOneDirectoryPerPathAndOneInodePerValue) {
  Entry plain = *walk_.Find("web/org.debian");
  Entry selected = *walk_.Find("web/.prefix/org/org.debian");
  EXPECT_NE(plain.node, selected.node);
  EXPECT_NE(plain.inode_number, selected.inode_number);
  Entry value = *walk_.Find("web/org.debian/contents/%");
  EXPECT_EQ(walk_.Find("web/.prefix/org/org.debian/contents/%")->node, value.node);
  EXPECT_EQ(walk_.Find("web/.prefix/org/org.debian/contents/.versions/%/7")->node, value.node);
  std::string bytes;
  EncodeNode(selected.node, &bytes);
  EXPECT_EQ(DecodeNode(bytes), selected.node);
  for (const DirEntry& listed : walk_.Entries("web/.prefix/org")) {
    if (!listed.name.starts_with("org")) continue;
    EXPECT_EQ(walk_.Find("web/.prefix/org/" + listed.name)->node, listed.entry.node);
  }
}

TEST_F(QueryDirectoriesTest, TheFanOutViewSplitsKeysAtTheirSeparators) {
  EXPECT_EQ(walk_.List("web/.tree"), (Names{"com.", "org."}));
  EXPECT_EQ(walk_.List("web/.tree/com."), (Names{"cnn.", "old"}));
  EXPECT_EQ(walk_.List("web/.tree/com./cnn."), (Names{"www", "www%2F"}));
  EXPECT_EQ(walk_.List("web/.tree/com./cnn./www%2F"), (Names{"a%2F", "b", "v1.2"}));
  EXPECT_EQ(walk_.List("web/.tree/org."), (Names{"debian", "debian%2F"}));
  EXPECT_EQ(walk_.List("web/.tree/org./debian%2F"), Names{"%"});
  EXPECT_EQ(TargetOf("web/.tree/org./debian%2F/%"), "../../../org.debian%2F");
  EXPECT_EQ(TargetOf("web/.tree/com./cnn./www%2F/a%2F/x"), "../../../../../com.cnn.www%2Fa%2Fx");
  EXPECT_EQ(TargetOf("web/.tree/com./cnn./www%2f"), "www%2F");
  for (const char* path : {"web/.tree/com", "web/.tree/com.cnn.", "web/.tree/net.",
                           "web/.tree/com./cnn./www%2F/v1."}) {
    EXPECT_EQ(walk_.Find(path).status().code(), StatusCode::kNotFound) << path;
  }
  for (const DirEntry& listed : walk_.Entries("web/.tree/com./cnn./www%2F")) {
    if (listed.name.starts_with('.')) continue;
    EXPECT_EQ(walk_.Find("web/.tree/com./cnn./www%2F/" + listed.name)->node, listed.entry.node);
  }
}

TEST_F(QueryDirectoriesTest, AFolderOfTheFanOutViewIsSkippedByASeek) {
  for (int i = 0; i < 2'000; ++i) {
    client_.Set("web", fmt::format("com.big/{:05}", i), "contents", "", 7, "x");
  }
  uint64_t taken = client_.cells_taken();
  EXPECT_EQ(walk_.List("web/.tree/com."), (Names{"big%2F", "cnn.", "old"}));
  EXPECT_LT(client_.cells_taken() - taken, 100u);
  EXPECT_EQ(walk_.List("web/.tree/com./big%2F").size(), 2'000u);
  std::string longer(300, 'k');
  client_.Set("web", "com." + longer, "contents", "", 7, "x");
  client_.Set("web", "com." + longer + "2/a", "contents", "", 7, "x");
  for (const DirEntry& listed : walk_.Entries("web/.tree/com.")) {
    if (listed.name.starts_with('.')) continue;
    auto found = walk_.Find("web/.tree/com./" + listed.name);
    ASSERT_TRUE(found.ok()) << listed.name << found.status();
    EXPECT_EQ(found->node, listed.entry.node);
  }
}

TEST_F(QueryDirectoriesTest, SavedQueriesAreFilesByFormat) {
  EXPECT_EQ(walk_.List(".sql"), (Names{"top.csv", "top.json"}));
  EXPECT_EQ(Generated(".sql/top.csv"), "SELECT csv");
  EXPECT_EQ(Generated(".sql/top.jsonl"), "SELECT jsonl");
  const std::string refused = Generated(".sql/top.tsv");
  EXPECT_NE(refused.find("saved query top: its statement would write"), std::string::npos);
  for (const char* path : {".sql/top", ".sql/top.xml", ".sql/none.csv", ".sql/.csv"}) {
    EXPECT_EQ(walk_.Find(path).status().code(), StatusCode::kNotFound) << path;
  }
  EXPECT_EQ(walk_.Read("web/org.debian/.row.json"), "jsonl org.debian\n");
}

// Writes 26 parts of 100,000 bytes, more than a stream keeps.
Status WriteAlphabet(const cluster::CallOptions&, const ByteSink& sink) {
  for (char c = 'a'; c <= 'z'; ++c) {
    if (!sink(std::string(100'000, c))) break;
  }
  return OkStatus();
}

TEST(TextStreamTest, IsReadInOrderAndAgainFromItsStart) {
  TextStream stream(WriteAlphabet, 1'000'000, std::make_shared<std::atomic<bool>>(false));
  ASSERT_TRUE(stream.Start({}).ok());
  auto read_all = [&] {
    std::string text;
    for (std::string part; !(part = *stream.Read(text.size(), 65'536, {})).empty();) text += part;
    return text;
  };
  std::string text = read_all();
  ASSERT_EQ(text.size(), 2'600'000u);
  EXPECT_EQ(text[99'999], 'a');
  EXPECT_EQ(text[100'000], 'b');
  EXPECT_EQ(text.back(), 'z');
  EXPECT_EQ(*stream.Read(2'599'999, 10, {}), "z");
  EXPECT_EQ(stream.Read(1'000, 10, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_all(), text);
}

TEST(TextStreamTest, AReaderMaySkipForward) {
  TextStream stream(WriteAlphabet, 1'000'000, std::make_shared<std::atomic<bool>>(false));
  ASSERT_TRUE(stream.Start({}).ok());
  EXPECT_EQ(*stream.Read(2'500'000, 3, {}), "zzz");
  EXPECT_EQ(*stream.Read(9'000'000, 3, {}), "");
}

TEST(TextStreamTest, ErrorsComeAtTheStartOrAfterTheBytesBeforeThem) {
  auto never = std::make_shared<std::atomic<bool>>(false);
  TextStream bad([](const cluster::CallOptions&, const ByteSink&) { return DataLoss("bad"); }, 0,
                 never);
  EXPECT_EQ(bad.Start({{}, 1'000'000}).code(), StatusCode::kDataLoss);
  TextStream late(
      [](const cluster::CallOptions&, const ByteSink& sink) {
        sink("one");
        return DataLoss("bad");
      },
      0, never);
  ASSERT_TRUE(late.Start({{}, 1'000'000}).ok());
  EXPECT_EQ(*late.Read(0, 10, {}), "one");
  EXPECT_EQ(late.Read(3, 10, {}).status().code(), StatusCode::kDataLoss);
}

TEST(TextStreamTest, AWriterWaitsForItsReaderAndEndsWithIt) {
  auto written = std::make_shared<std::atomic<size_t>>(0);
  {
    TextStream stream(
        [written](const cluster::CallOptions&, const ByteSink& sink) {
          while (sink(std::string(10'000, 'x'))) *written += 10'000;
          return OkStatus();
        },
        0, std::make_shared<std::atomic<bool>>(false));
    ASSERT_TRUE(stream.Start({{}, 1'000'000}).ok());
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(stream.Read(static_cast<uint64_t>(i), 1, {})->size(), 1u);
  }
  EXPECT_LE(*written, kStreamAheadSize + 20'000);
}

TEST(TextStreamTest, AReadThatWaitsEndsWhenItIsCancelledOrTheMountStops) {
  auto stopping = std::make_shared<std::atomic<bool>>(false);
  TextStream stream(
      [](const cluster::CallOptions& call, const ByteSink&) {
        while (!call.is_cancelled()) std::this_thread::yield();
        return OkStatus();
      },
      0, stopping);
  ASSERT_TRUE(stream.Start({{}, 60'000}).ok());
  cluster::CallOptions cancelled;
  cancelled.cancel = std::make_shared<std::atomic<bool>>(true);
  EXPECT_EQ(stream.Read(0, 1, cancelled).status().code(), StatusCode::kCancelled);
  *stopping = true;
  EXPECT_EQ(stream.Read(0, 1, {}).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace sippar::fuse
