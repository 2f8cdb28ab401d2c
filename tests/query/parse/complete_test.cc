// Which table a caret is in.
// SPDX-License-Identifier: Apache-2.0
#include "query/parse/complete.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sippar::query {
namespace {

std::string TableAt(std::string_view text, std::string_view before_caret) {
  return CompleteAt(text, text.find(before_caret) + before_caret.size()).table_name;
}

TEST(Complete, TheTableIsTheOneThatTheStatementReads) {
  EXPECT_EQ(TableAt("SELECT  FROM web", "SELECT "), "web");
  EXPECT_EQ(TableAt("SELECT row,  FROM CELLS(web, anchor:*)", "row, "), "web");
  // After SELECT CELLS the bracket opens a value.
  EXPECT_EQ(TableAt("SELECT CELLS (value) FROM web WHERE ", "WHERE "), "web");
}

TEST(Complete, StatementsOnTabletsAreOffered) {
  const auto offers = [](std::string_view text, const std::string& word) {
    const std::vector<std::string> words = CompleteAt(text, text.size()).keywords;
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const char* word : {"MOVE", "BALANCE", "SPLIT", "MERGE"})
    EXPECT_TRUE(offers("", word)) << word;
  for (const char* word : {"BACKUP", "RESTORE"}) EXPECT_TRUE(offers("", word)) << word;
  for (const char* word : {"UPDATE", "ANALYZE", "SHOW"}) {
    EXPECT_TRUE(offers("EXPLAIN ", word)) << word;
  }
  EXPECT_TRUE(offers("DROP ", "BACKUP"));
  EXPECT_TRUE(offers("INSERT INTO t (ROW) ", "SELECT"));
  EXPECT_FALSE(offers("", "GRANT"));
  EXPECT_TRUE(offers("", "CANCEL"));
  EXPECT_TRUE(offers("MOVE ", "TABLET"));
  EXPECT_TRUE(offers("SELECT CELLS * FROM web WITH ", "DELETES"));
  for (const char* word : {"NOW", "OFF", "ON"}) EXPECT_TRUE(offers("BALANCE ", word)) << word;
  EXPECT_TRUE(CompleteAt("MOVE TABLET OF ", 15).table);
}

TEST(Complete, TextsThatNestWithoutEndAreAnswered) {
  std::string text = "SELECT ";
  for (int i = 0; i < 2'000; ++i) text += "(a.end + ";
  EXPECT_TRUE(CompleteAt(text, text.size()).value);
}

}  // namespace
}  // namespace sippar::query
