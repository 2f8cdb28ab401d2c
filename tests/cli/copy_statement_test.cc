// \copy as a statement, and what a column's values look like.
// SPDX-License-Identifier: Apache-2.0
#include "cli/copy_statement.h"

#include <gtest/gtest.h>

#include "cli/column_sample.h"

namespace sippar::cli {
namespace {

std::string Copy(std::string_view text) {
  auto statement = CopyStatement(text);
  return statement.ok() ? *statement : "refused";
}

TEST(CopyStatement, WritesTablesAndQueries) {
  EXPECT_EQ(Copy("web TO out.cells"), "EXPORT TABLE web TO 'out.cells'");
  EXPECT_EQ(Copy("web to 'my file.csv' FORMAT csv"),
            "EXPORT TABLE web TO 'my file.csv' FORMAT csv");
  EXPECT_EQ(Copy("(SELECT row FROM t WHERE f: = ')') TO x.csv"),
            "EXPORT (SELECT row FROM t WHERE f: = ')') TO 'x.csv'");
}

TEST(CopyStatement, ReadsFiles) {
  EXPECT_EQ(Copy("web FROM in.csv (ROW = a, f:b = c)"),
            "IMPORT INTO web FROM 'in.csv' (ROW = a, f:b = c)");
  EXPECT_EQ(Copy("a-b from in.csv"), "IMPORT INTO `a-b` FROM 'in.csv'");
  EXPECT_EQ(Copy("`a-b` from in.csv"), "IMPORT INTO `a-b` FROM 'in.csv'");
  EXPECT_EQ(Copy("web FROM it's.csv'"), "IMPORT INTO web FROM 'it\\'s.csv\\''");
}

TEST(CopyStatement, RefusesWhatIsNeither) {
  for (const char* text : {"", "web", "web TO", "web INTO x.csv", "(SELECT 1) FROM x.csv"}) {
    EXPECT_EQ(Copy(text), "refused") << text;
  }
}

TEST(ColumnSample, GuessesTheKindOfValues) {
  EXPECT_EQ(GuessKind({"12", "-7"}), "whole number");
  EXPECT_EQ(GuessKind({"12", "0.5"}), "number");
  EXPECT_EQ(GuessKind({"12", "x"}), "text");
  EXPECT_EQ(GuessKind({"2026-11-27", "2025-01-01T00:00:00Z"}), "date");
  EXPECT_EQ(GuessKind({"{\"a\":1}", "", " [1]"}), "JSON");
  EXPECT_EQ(GuessKind({"<!DOCTYPE html>"}), "HTML or XML");
  EXPECT_EQ(GuessKind({"https://example.org"}), "URL");
  EXPECT_EQ(GuessKind({"Z\xc3\xbcrich"}), "text");
  EXPECT_EQ(GuessKind({"abc", std::string("\x00\xff", 2)}), "bytes");
  EXPECT_EQ(GuessKind({"", ""}), "empty");
}

}  // namespace
}  // namespace sippar::cli
