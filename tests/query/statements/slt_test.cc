// Golden scripts (*.slt), sqllogictest style, each run in four states of the store (cells in the
// memtable, flushed, compacted, after reopening) and over a cluster of one server. Blocks are
// separated by empty lines:
//   fixture                          a new store with the table web; settings and parameters gone
//   flush T | compact T | reopen | connection NAME | param NAME 'text' | file NAME (lines follow)
//   statement ok SQL…                succeeds
//   statement error CODE SQL…        fails with this code; behind ---- a text its message contains
//   query SQL… ---- lines…           rows "a | b", or the tag; then "next: …" if there is one
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

struct Block {
  int line = 0;
  std::string head;                   // first line
  std::vector<std::string> body;      // up to ----
  std::vector<std::string> expected;  // behind ----
  bool has_expected = false;
  std::string Text() const {
    std::string text;
    for (const std::string& each : body) text += (text.empty() ? "" : "\n") + each;
    return text;
  }
};

std::vector<Block> ReadBlocks(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::vector<Block> blocks;
  bool inside = false;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) {
      inside = false;
    } else if (!inside && line[0] == '#') {
      continue;
    } else if (!inside) {
      blocks.emplace_back();
      blocks.back().line = number;
      blocks.back().head = line;
      inside = true;
    } else if (line == "----") {
      blocks.back().has_expected = true;
    } else {
      Block& block = blocks.back();
      (block.has_expected ? block.expected : block.body).push_back(line);
    }
  }
  return blocks;
}

class SltRunner {
 public:
  explicit SltRunner(Placement placement) : fixture_(placement) {}

  void Run(const Block& block) {
    std::istringstream words(block.head);
    std::string verb, argument;
    words >> verb >> argument;
    if (verb == "fixture") {
      fixture_.Reset();
      connection_ = "main";
    } else if (verb == "flush") {
      ASSERT_TRUE(fixture_.client()->admin()->Do(cluster::calls::Flush{argument}).ok());
    } else if (verb == "compact") {
      fixture_.Compact(argument);
    } else if (verb == "reopen") {
      fixture_.Reopen();
    } else if (verb == "connection") {
      connection_ = argument;
    } else if (verb == "param") {
      std::string text;
      words >> text;
      fixture_.session(connection_)->SetParameter(argument, Value::Text(text));
    } else if (verb == "file") {
      std::string& content = fixture_.files()->files[argument];
      for (const std::string& line : block.body) content += line + "\n";
    } else if (verb == "show-file") {
      std::istringstream content(fixture_.files()->files[argument]);
      std::vector<std::string> lines;
      for (std::string line; std::getline(content, line);) lines.push_back(line);
      EXPECT_EQ(lines, block.expected);
    } else if (verb == "query") {
      Answer answer = fixture_.Run(block.Text(), connection_);
      ASSERT_TRUE(answer.status.ok()) << RenderError(block.Text(), QueryErrorOf(answer.status));
      EXPECT_EQ(answer.Lines(), block.expected);
    } else if (verb == "statement" && argument == "ok") {
      Answer answer = fixture_.Run(block.Text(), connection_);
      ASSERT_TRUE(answer.status.ok()) << RenderError(block.Text(), QueryErrorOf(answer.status));
    } else if (verb == "statement" && argument == "error") {
      std::string code;
      words >> code;
      ExpectError(block, code);
    } else {
      FAIL() << "unknown block " << block.head;
    }
  }

 private:
  void ExpectError(const Block& block, const std::string& code) {
    Answer answer = fixture_.Run(block.Text(), connection_);
    ASSERT_FALSE(answer.status.ok());
    QueryError error = QueryErrorOf(answer.status);
    std::string rendered = RenderError(block.Text(), error);
    EXPECT_EQ(error.code, code) << rendered;
    for (const std::string& part : block.expected) {
      EXPECT_NE(rendered.find(part), std::string::npos) << "not found: " << part << "\n"
                                                        << rendered;
    }
  }

  StatementFixture fixture_;
  std::string connection_ = "main";
};

struct Case {
  std::string file;
  Placement placement;
};

class SltTest : public testing::TestWithParam<Case> {};

TEST_P(SltTest, Holds) {
  SltRunner runner(GetParam().placement);
  for (const Block& block : ReadBlocks(GetParam().file)) {
    SCOPED_TRACE(testing::Message()
                 << GetParam().file << ":" << block.line << ": " << block.Text());
    runner.Run(block);
    if (HasFatalFailure()) return;
  }
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(SIPPAR_SLT)) {
    if (entry.path().extension() != ".slt") continue;
    for (Placement placement :
         {Placement::kMemtable, Placement::kFlushed, Placement::kCompacted, Placement::kReopened}) {
      cases.push_back({entry.path().string(), placement});
    }
  }
  return cases;
}

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  static constexpr const char* kPlaces[] = {"memtable", "flushed", "compacted", "reopened",
                                            "cluster"};
  std::string name = std::filesystem::path(info.param.file).stem().string();
  return name + "_" + kPlaces[static_cast<size_t>(info.param.placement)];
}

INSTANTIATE_TEST_SUITE_P(All, SltTest, testing::ValuesIn(AllCases()), CaseName);

}  // namespace
}  // namespace sippar::query
