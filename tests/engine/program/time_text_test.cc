// Times that are read from text, as SQL writes them and by patterns.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/program/time_pattern.h"
#include "engine/program/time_text.h"
#include "engine/program/time_zone.h"
#include "engine/program/value.h"

namespace sippar::engine {
namespace {

// The time as Sippar prints it; "-" if the text is refused.
std::string Read(std::string_view text) {
  TimeText time;
  return ReadTimeText(text, &time) ? PrintTimestamp(time.micros) : "-";
}

std::string ReadBy(std::string_view pattern, std::string_view text) {
  PatternRules rules;
  rules.zone = absl::UTCTimeZone();
  int64_t micros = 0;
  std::string problem;
  if (ReadByPattern(pattern, text, rules, &micros, &problem)) return PrintTimestamp(micros);
  EXPECT_FALSE(problem.empty()) << pattern << " " << text;
  return "-";
}

TEST(TimeText, TakesTheFormsOfSql) {
  EXPECT_EQ(Read("2020-01-02"), "2020-01-02T00:00:00Z");
  EXPECT_EQ(Read("2020-1-2 3:04"), "2020-01-02T03:04:00Z");
  EXPECT_EQ(Read("2020-01-02t03:04:05.000001z"), "2020-01-02T03:04:05.000001Z");
  EXPECT_EQ(Read("2020-01-02 03:04:05-8"), "2020-01-02T11:04:05Z");
  EXPECT_EQ(Read("2020-01-02 03:04:05+0530"), "2020-01-01T21:34:05Z");
  EXPECT_EQ(Read("2020-01-02+01:00"), "2020-01-01T23:00:00Z");
  EXPECT_EQ(Read("2020-01-02 UTC"), "2020-01-02T00:00:00Z");
  EXPECT_EQ(Read("0001-01-01 00:00:00+00"), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Read("9999-12-31 23:59:59.999999"), "9999-12-31T23:59:59.999999Z");
}

TEST(TimeText, RefusesTheRest) {
  for (const char* text : {"",
                           "2020",
                           "2020-01",
                           "20-01-02",
                           "2020-13-01",
                           "2020-00-01",
                           "2021-02-29",
                           "2020-01-02T",
                           "2020-01-02 ",
                           "2020-01-02 03",
                           "2020-01-02 03:",
                           "2020-01-02 24:00:00",
                           "2020-01-02 03:60:00",
                           "2020-01-02 03:04:60",
                           "2020-01-02 03:04:05.",
                           "2020-01-02 03:04:05.1234567",
                           "2020-01-02 03:04:05+19",
                           "2020-01-02 03:04:05+",
                           "2020-01-02 03:04:05 ",
                           "2020-01-02 03:04:05 No/Zone",
                           "2020-01-02 03:04:05x",
                           "0000-12-31",
                           "0001-01-01 00:00:00+01:00",
                           "9999-12-31 23:59:59-01:00"}) {
    EXPECT_EQ(Read(text), "-") << text;
  }
}

TEST(TimePattern, ReadsEachElement) {
  EXPECT_EQ(ReadBy(" %Y", "  2020 "), "2020-01-01T00:00:00Z");
  EXPECT_EQ(ReadBy("%d%%%B %y", "3%february 68"), "2068-02-03T00:00:00Z");
  EXPECT_EQ(ReadBy("%h %e %C", "SEP  3 19"), "1900-09-03T00:00:00Z");
  EXPECT_EQ(ReadBy("%A%k:%M", "Saturday 5:02"), "1970-01-01T05:02:00Z");
  EXPECT_EQ(ReadBy("%g-%J", "20-371"), "2021-01-03T00:00:00Z");
  EXPECT_EQ(ReadBy("%T%z", "23:59:60-0030"), "1970-01-02T00:30:00Z");
  EXPECT_EQ(ReadBy("%E4Y %E3S", "2020 05.123"), "2020-01-01T00:00:05.123Z");
  EXPECT_EQ(ReadBy("%E*S", "05.1234567"), "1970-01-01T00:00:05.123456Z");
  EXPECT_EQ(ReadBy("%l %P", " 1 pm"), "1970-01-01T13:00:00Z");
  EXPECT_EQ(ReadBy("%x%n%X", "12/31/69\n01:02:03"), "1969-12-31T01:02:03Z");
}

TEST(TimePattern, RefusesWhatDoesNotFit) {
  for (auto [pattern, text] : {std::pair{"%Y", ""},
                               {"%Y-", "2020"},
                               {"%Y", "2020x"},
                               {"%m", "13"},
                               {"%", "1"},
                               {"%E", "1"},
                               {"%E4", "1"},
                               {"%v", "1"},
                               {"%E3S", "5.1234"},
                               {"%S", "5."},
                               {"%z", "+"},
                               {"%z", "+99"},
                               {"%Z", ""},
                               {"%p", "xm"},
                               {"%b", "ja"},
                               {"%Y", "0000"},
                               {"%Y %j", "2021 366"},
                               {"%s", "253402300800"}}) {
    EXPECT_EQ(ReadBy(pattern, text), "-") << pattern << " " << text;
  }
}

// A query that repeats one wrong name takes no zone from others.
TEST(TimeZoneTest, AWrongNameIsCountedOnce) {
  for (int i = 0; i < 11'000; ++i) EXPECT_FALSE(FindZone("Nowhere/City").ok());
  EXPECT_TRUE(FindZone("Asia/Tokyo").ok());
  EXPECT_FALSE(FindZone("user4711").ok());
  EXPECT_FALSE(FindZone("../../etc/passwd").ok());
}

}  // namespace
}  // namespace sippar::engine
