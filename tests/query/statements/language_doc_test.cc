// Runs the examples of query/LANGUAGE.md: statements of its ```sql blocks, one after another on one
// empty store; "-- " lines behind a statement are its result.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "query/session/query_error.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

struct Example {
  int line = 0;
  std::string statement;
  std::vector<std::string> expected;
};

std::vector<Example> ReadExamples() {
  std::ifstream file(SIPPAR_LANGUAGE);
  EXPECT_TRUE(file.good());
  std::vector<Example> examples;
  bool inside = false, complete = true;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("```")) {
      inside = line == "```sql";
      complete = true;
    } else if (inside && line.starts_with("-- ") && complete) {
      if (!examples.empty()) examples.back().expected.push_back(line.substr(3));
    } else if (inside && !line.empty()) {
      if (complete) examples.push_back({number, "", {}});
      examples.back().statement += line + "\n";
      // Braces hold statements of their own.
      bool block = examples.back().statement.starts_with("ATOMIC") && !line.starts_with("}");
      complete = line.ends_with(";") && !block;
    }
  }
  return examples;
}

TEST(LanguageDocTest, ExamplesGiveWhatThePageSays) {
  StatementFixture fixture(Placement::kMemtable);
  fixture.Reset();
  ASSERT_TRUE(fixture.Run("DROP TABLE web").status.ok());
  std::vector<Example> examples = ReadExamples();
  EXPECT_GT(examples.size(), 30u);
  for (Example& example : examples) {
    SCOPED_TRACE(testing::Message() << "LANGUAGE.md:" << example.line << ": " << example.statement);
    while (!example.statement.empty() && (example.statement.back() == '\n')) {
      example.statement.pop_back();
    }
    Answer answer = fixture.Run(example.statement);
    if (!answer.status.ok()) {
      QueryError error = QueryErrorOf(answer.status);
      EXPECT_EQ(example.expected, std::vector<std::string>{"error " + error.code})
          << RenderError(example.statement, error);
      continue;
    }
    EXPECT_EQ(answer.Lines(), example.expected);
  }
}

}  // namespace
}  // namespace sippar::query
