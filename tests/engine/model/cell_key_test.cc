// Cell keys: order, encoding and decoding.
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/cell_key.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/random.h"

namespace sippar::engine {
namespace {

using std::string_literals::operator""s;

std::vector<std::string> HostileStrings() {
  return {"a",  "a\0"s,  "a\0\0"s, "a\0\1"s, "a\0\xff"s, "a\1",
          "ab", "a\xff", "\xff",   "\0"s,    "b",        "\1"};
}

TEST(CellKey, RowsSortAsTheirBytes) {
  std::vector<std::string> rows = HostileStrings();
  for (const std::string& a : rows) {
    for (const std::string& b : rows) {
      EXPECT_EQ(a < b, EncodeRowPart(a) < EncodeRowPart(b)) << testing::PrintToString(a + "|" + b);
    }
  }
}

TEST(CellKey, EveryKindComesBack) {
  for (const std::string& row : HostileStrings()) {
    for (const std::string& qualifier : {""s, "q"s, "\0"s, "\0\1"s, "\xff\0"s}) {
      ParsedKey parsed;
      std::string key = EncodeCellKey(row, "fam-1.x", qualifier, -7, 42);
      ASSERT_TRUE(ParseKey(key, &parsed));
      EXPECT_EQ(parsed.kind, EntryKind::kCell);
      EXPECT_EQ(DecodeRowPart(parsed.row_part), row);
      EXPECT_EQ(parsed.family, "fam-1.x");
      std::string plain;
      UnescapeTo(parsed.escaped_qualifier, &plain);
      EXPECT_EQ(plain, qualifier);
      EXPECT_EQ(parsed.timestamp_us, -7);
      EXPECT_EQ(parsed.sequence, 42u);
      EXPECT_EQ(ColumnPrefix(key), EncodeColumnPart(EncodeRowPart(row), "fam-1.x", qualifier));

      std::string tombstone = EncodeColumnTombstone(row, "fam-1.x", qualifier, 43);
      ASSERT_TRUE(ParseKey(tombstone, &parsed));
      EXPECT_EQ(parsed.kind, EntryKind::kColumnTombstone);
      EXPECT_EQ(parsed.sequence, 43u);
      EXPECT_LT(tombstone, key);
    }
    ParsedKey parsed;
    ASSERT_TRUE(ParseKey(EncodeRowTombstone(row, 9), &parsed));
    EXPECT_EQ(parsed.kind, EntryKind::kRowTombstone);
    std::string family_tombstone = EncodeFamilyTombstone(row, "f", 9);
    ASSERT_TRUE(ParseKey(family_tombstone, &parsed));
    EXPECT_EQ(parsed.kind, EntryKind::kFamilyTombstone);
    EXPECT_EQ(parsed.family, "f");
  }
}

TEST(CellKey, TombstonesSortBeforeWhatTheyHide) {
  std::vector<std::string> keys = {EncodeRowTombstone("r", 1),
                                   EncodeFamilyTombstone("r", "a", 1),
                                   EncodeColumnTombstone("r", "a", "", 1),
                                   EncodeCellKey("r", "a", "", 9, 9),
                                   EncodeCellKey("r", "a", "", 9, 8),
                                   EncodeCellKey("r", "a", "", 8, 99),
                                   EncodeCellKey("r", "a", "", kTimeMin, 1),
                                   EncodeColumnTombstone("r", "a", "q", 1),
                                   EncodeCellKey("r", "a", "q", kTimeMax, 1),
                                   EncodeFamilyTombstone("r", "a.b", 1),
                                   EncodeCellKey("r", "b", "", 1, 1),
                                   EncodeRowTombstone("r\0"s, 1)};
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(CellKey, PrefixEndIsBehindEverythingOfTheRow) {
  std::string end = KeyPrefixEnd(EncodeRowPart("r"));
  EXPECT_LT(EncodeCellKey("r", "zzz", "\xff\xff", kTimeMin, 0), end);
  EXPECT_GT(EncodeRowTombstone("r\0"s, UINT64_MAX), EncodeCellKey("r", "z", "", 0, 0));
  EXPECT_LE(end, EncodeRowPart("r\0"s));
}

TEST(CellKey, DamagedKeysAreRefusedNotRead) {
  Random random(7);
  std::string good = EncodeCellKey("ro\0w"s, "fam", "q\0"s, 5, 6);
  ParsedKey parsed;
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ParseKey(good.substr(0, size), &parsed)) << size;
  }
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (size_t n = random.Uniform(40); n > 0; --n) {
      bytes.push_back(static_cast<char>(random.OneIn(2) ? random.Uniform(3) : random.Uniform(256)));
    }
    (void)ParseKey(bytes, &parsed);  // must not read beyond the bytes (ASan detects it)
  }
}

TEST(CellKey, ColumnDeleteComesBack) {
  ColumnDelete out;
  ASSERT_TRUE(DecodeColumnDelete(EncodeColumnDelete({{-5, kTimeMax}, 77}), &out));
  EXPECT_EQ(out.time, (TimeRange{-5, kTimeMax}));
  EXPECT_EQ(out.wall_us, 77);
  EXPECT_FALSE(DecodeColumnDelete("", &out));
}

}  // namespace
}  // namespace sippar::engine
