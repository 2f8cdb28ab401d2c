// What the text before the caret says about what may follow.
// SPDX-License-Identifier: Apache-2.0
#include "cli/caret_place.h"

#include <gtest/gtest.h>

namespace sippar::cli {
namespace {

TEST(CaretPlace, AQuoteAfterTheRowHoldsAKey) {
  for (const char* before :
       {"SELECT * FROM t WHERE row = ", "select * from t where row >= ",
        "UPDATE t SET f: = 1 WHERE row=", "SELECT * FROM t WHERE _key LIKE ",
        "SELECT * FROM t WHERE row STARTS WITH ", "SELECT * FROM t WHERE row NOT LIKE ",
        "INSERT INTO t ROW ", "BEGIN ROW t ", "SELECT * FROM t AFTER ROW ",
        "SELECT * FROM t WHERE row IN (", "SELECT * FROM t WHERE row IN ('a', \"b\", ",
        "SELECT * FROM t WHERE STARTS_WITH(_key, "}) {
    EXPECT_EQ(PlaceOfQuote(before), QuotedPlace::kRowKey) << before;
  }
}

TEST(CaretPlace, OtherQuotesHoldFilesOrAnything) {
  EXPECT_EQ(PlaceOfQuote("IMPORT INTO t FROM "), QuotedPlace::kFile);
  EXPECT_EQ(PlaceOfQuote("export (SELECT 1) to "), QuotedPlace::kFile);
  for (const char* before : {"", "SELECT ", "SELECT * FROM t WHERE f:q = ", "SELECT f: IN (",
                             "INSERT INTO t ROW 'r' SET f:q = "}) {
    EXPECT_EQ(PlaceOfQuote(before), QuotedPlace::kOther) << before;
  }
}

TEST(CaretPlace, AQuoteAfterCancelHoldsTheIdOfAStatement) {
  EXPECT_EQ(PlaceOfQuote("CANCEL "), QuotedPlace::kStatementId);
  EXPECT_EQ(PlaceOfQuote("cancel query "), QuotedPlace::kStatementId);
  EXPECT_EQ(PlaceOfQuote("CANCEL 'a' || "), QuotedPlace::kOther);
}

TEST(CaretPlace, TheInnermostOpenCall) {
  EXPECT_EQ(OpenCall("SELECT SUBSTR("), "SUBSTR");
  EXPECT_EQ(OpenCall("SELECT SUBSTR(UPPER(row), "), "SUBSTR");
  EXPECT_EQ(OpenCall("SELECT UPPER(')', LOWER("), "LOWER");
  EXPECT_EQ(OpenCall("SELECT (1 + "), "");
  EXPECT_EQ(OpenCall("SELECT UPPER(row) "), "");
}

TEST(CaretPlace, TheSettingThatSetNames) {
  EXPECT_EQ(SettingToSet("SET versions = "), "VERSIONS");
  EXPECT_EQ(SettingToSet("SET versions "), "");
  EXPECT_EQ(SettingToSet("UPDATE t SET f: = "), "");
}

TEST(CaretPlace, TheTypeOfAFamily) {
  EXPECT_TRUE(IsBeforeType("CREATE TABLE t (FAMILY a VERSIONS 3, FAMILY f type ="));
  EXPECT_TRUE(IsBeforeType("ALTER TABLE t ADD FAMILY f TYPE = "));
  EXPECT_FALSE(IsBeforeType("CREATE TABLE t (FAMILY f TYPE "));
  EXPECT_FALSE(IsBeforeType("SELECT row FROM t WHERE type = "));
}

}  // namespace
}  // namespace sippar::cli
