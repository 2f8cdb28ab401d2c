// Which table a caret is in. SPDX-License-Identifier: Apache-2.0
#include "query/parse/complete.h"

#include <gtest/gtest.h>

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

TEST(Complete, TextsThatNestWithoutEndAreAnswered) {
  std::string text = "SELECT ";
  for (int i = 0; i < 2'000; ++i) text += "(a.end + ";
  EXPECT_TRUE(CompleteAt(text, text.size()).value);
}

}  // namespace
}  // namespace sippar::query
