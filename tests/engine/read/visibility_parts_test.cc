// Tests each part of VisibilityIterator separately.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/base/random.h"
#include "engine/memtable/memtable.h"
#include "engine/read/column_versions.h"
#include "engine/read/delete_marks.h"
#include "engine/read/entry_place.h"
#include "engine/read/entry_skips.h"

namespace sippar::engine {
namespace {

// Enters the place of `key`; returns what was new: r for row, f for family, c for column.
std::string Enter(EntryPlace* place, const std::string& key) {
  ParsedKey entry;
  EXPECT_TRUE(ParseKey(key, &entry));
  std::string entered;
  if (place->EnterRow(entry)) entered += 'r';
  if (place->EnterFamily(entry)) entered += 'f';
  bool in_column = entry.kind == EntryKind::kCell || entry.kind == EntryKind::kColumnTombstone;
  if (in_column && place->EnterColumn(entry)) entered += 'c';
  return entered;
}

TEST(EntryPlace, KnowsWhatAnEntryEnters) {
  EntryPlace place;
  EXPECT_EQ(Enter(&place, EncodeRowTombstone("a", 9)), "rf");  // enters the family ""
  EXPECT_EQ(Enter(&place, EncodeFamilyTombstone("a", "f", 8)), "f");
  EXPECT_EQ(Enter(&place, EncodeColumnTombstone("a", "f", "q", 7)), "c");
  EXPECT_EQ(Enter(&place, EncodeCellKey("a", "f", "q", 1, 6)), "");
  EXPECT_EQ(Enter(&place, EncodeCellKey("a", "f", "r", 1, 5)), "c");
  // The same names in another row.
  EXPECT_EQ(Enter(&place, EncodeCellKey("b", "f", "r", 1, 4)), "rfc");
  EXPECT_EQ(place.row() + place.family() + place.qualifier(), "bfr");
  place.Leave();
  EXPECT_EQ(Enter(&place, EncodeCellKey("b", "f", "r", 1, 3)), "rfc");
  EXPECT_EQ(place.row_count(), 3u);
  EXPECT_EQ(place.family_count(), 4u);
  EXPECT_EQ(place.column_count(), 4u);
}

TEST(EntryPlace, ReadsOtherVersionsOfTheColumnAlone) {
  EntryPlace place;
  ParsedKey entry;
  const std::string row("a\0z", 3);  // escaped in the key
  EXPECT_FALSE(place.ReadVersion(EncodeCellKey(row, "f", "q", 5, 7), &entry));
  Enter(&place, EncodeCellKey(row, "f", "q", 5, 7));
  ASSERT_TRUE(place.ReadVersion(EncodeCellKey(row, "f", "q", -3, 2), &entry));
  EXPECT_EQ(entry.kind, EntryKind::kCell);
  EXPECT_EQ(entry.timestamp_us, -3);
  EXPECT_EQ(entry.sequence, 2u);
  for (const std::string& other :
       {EncodeCellKey(row, "f", "p", 1, 1), EncodeCellKey(row, "f", "qq", 1, 1),
        EncodeCellKey(row, "g", "q", 1, 1), EncodeCellKey("a", "f", "q", 1, 1),
        EncodeColumnTombstone(row, "f", "q", 1), EncodeColumnTombstone(row, "f", "q1234567", 1)}) {
    EXPECT_FALSE(place.ReadVersion(other, &entry));
  }
}

TEST(EntryPlace, EntersTheFirstColumnOfAnotherRow) {
  EntryPlace place;
  ParsedKey entry;
  EXPECT_FALSE(place.EnterHeadColumn(EncodeCellKey("a", "f", "q", 1, 1), &entry));
  Enter(&place, EncodeRowTombstone(std::string("a\0", 2), 8));
  Enter(&place, EncodeCellKey(std::string("a\0", 2), "f", std::string("q\0", 2), 5, 7));
  Enter(&place, EncodeCellKey(std::string("a\0", 2), "g", "r", 5, 7));
  const std::string column("q\0", 2);
  ASSERT_TRUE(place.EnterHeadColumn(EncodeCellKey("bb", "f", column, -3, 2), &entry));
  EXPECT_EQ(entry.kind, EntryKind::kCell);
  EXPECT_EQ(entry.timestamp_us, -3);
  EXPECT_EQ(entry.sequence, 2u);
  EXPECT_EQ(place.row() + place.family() + place.qualifier(), "bbf" + column);
  EXPECT_EQ(place.row_part(), EncodeRowPart("bb"));
  EXPECT_EQ(place.column_part(), EncodeColumnPart(EncodeRowPart("bb"), "f", column));
  EXPECT_EQ(place.row_count(), 2u);
  EXPECT_EQ(place.family_count(), 4u);
  EXPECT_EQ(place.column_count(), 3u);
  EXPECT_EQ(place.family_name_count(), 3u);  // families f, g and f
  // A row with a zero byte is escaped, and the previous key's row ends inside these names.
  for (const std::string& other :
       {EncodeCellKey(std::string("c\0", 2), "f", column, 1, 1),
        EncodeCellKey("c", "g", column, 1, 1), EncodeCellKey("c", "f", "q", 1, 1),
        EncodeColumnTombstone("c", "f", column, 1), EncodeRowTombstone("c", 1),
        EncodeFamilyTombstone("c", "f", 1), std::string(),
        EncodeCellKey("c", "x", EncodeRowPart("c") + "f", 1, 1)}) {
    EXPECT_FALSE(place.EnterHeadColumn(other, &entry));
  }
  EXPECT_EQ(place.row(), "bb");
  EXPECT_FALSE(place.HasRow(EncodeCellKey("bbb", "f", column, 1, 1)));
  EXPECT_TRUE(place.HasRow(EncodeRowTombstone("bb", 1)));
  place.Leave();
  EXPECT_FALSE(place.HasRow(EncodeRowTombstone("bb", 1)));
  ASSERT_TRUE(place.EnterHeadColumn(EncodeCellKey("bb", "f", column, 1, 1), &entry));
  EXPECT_EQ(place.row_count(), 3u);
}

// Keys with few different names, in order, read once with the shortcuts and once by parsing each
// key.
TEST(EntryPlace, TheShortWaysEndWhereParsingEnds) {
  Random random(5);
  const auto name = [&random] {
    std::string made;
    for (uint64_t i = random.Uniform(3) + 1; i > 0; --i) made += "ab\0\1\xff"[random.Uniform(5)];
    return made;
  };
  size_t short_ways = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string qualifiers[] = {name(), name(), ""};
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < 60; ++i) {
      const std::string row = name(), family = random.Uniform(2) == 0 ? "f" : "g";
      const std::string& qualifier = qualifiers[random.Uniform(3)];
      const uint64_t kind = random.Uniform(8);
      keys.push_back(kind == 0   ? EncodeRowTombstone(row, i)
                     : kind == 1 ? EncodeFamilyTombstone(row, family, i)
                     : kind == 2 ? EncodeColumnTombstone(row, family, qualifier, i)
                                 : EncodeCellKey(row, family, qualifier, round % 3, i));
    }
    std::sort(keys.begin(), keys.end());
    EntryPlace place, parsed;
    for (const std::string& key : keys) {
      ParsedKey entry, expected;
      ASSERT_TRUE(ParseKey(key, &expected));
      Enter(&parsed, key);
      if (place.ReadVersion(key, &entry) ||
          (!place.HasRow(key) && place.EnterHeadColumn(key, &entry))) {
        ++short_ways;
      } else {
        ASSERT_TRUE(place.Parse(key, &entry));
        Enter(&place, key);
      }
      EXPECT_EQ(place.row(), parsed.row());
      EXPECT_EQ(place.row_part(), parsed.row_part());
      EXPECT_EQ(place.family(), parsed.family());
      EXPECT_EQ(place.column_part(), parsed.column_part());
      EXPECT_EQ(place.row_count(), parsed.row_count());
      EXPECT_EQ(place.family_count(), parsed.family_count());
      EXPECT_EQ(place.column_count(), parsed.column_count());
      EXPECT_EQ(entry.kind, expected.kind);
      EXPECT_EQ(entry.sequence, expected.sequence);
      if (entry.kind == EntryKind::kCell) {
        EXPECT_EQ(place.qualifier(), parsed.qualifier());
        EXPECT_EQ(entry.timestamp_us, expected.timestamp_us);
      }
    }
  }
  EXPECT_GT(short_ways, 300u);
}

TEST(EntryPlace, KnowsItsFamily) {
  EntryPlace place;
  EXPECT_FALSE(place.HasFamily(EncodeCellKey("a", "f", "q", 1, 1)));
  Enter(&place, EncodeCellKey("a", "f", "q", 1, 1));
  EXPECT_TRUE(place.HasFamily(EncodeCellKey("a", "f", "r", 1, 1)));
  EXPECT_TRUE(place.HasFamily(EncodeFamilyTombstone("a", "f", 1)));
  for (const std::string& other :
       {EncodeCellKey("a", "ff", "q", 1, 1), EncodeCellKey("a", "g", "q", 1, 1),
        EncodeCellKey("b", "f", "q", 1, 1), EncodeRowPart("a") + "f"}) {
    EXPECT_FALSE(place.HasFamily(other));
  }
}

TEST(DeleteMarks, HideWhatCameBefore) {
  DeleteMarks marks;
  marks.EnterRow();
  marks.DeleteRow(10);
  marks.DeleteRow(4);  // an older delete changes nothing
  marks.EnterFamily();
  marks.DeleteFamily(12);
  marks.EnterColumn(0);
  EXPECT_TRUE(marks.Hides(11));
  EXPECT_FALSE(marks.Hides(12));
  marks.EnterFamily();  // next family of the row
  marks.EnterColumn(0);
  EXPECT_TRUE(marks.Hides(9));
  EXPECT_FALSE(marks.Hides(11));
  marks.EnterColumn(20);  // the family began at 20, after these deletes
  EXPECT_TRUE(marks.Hides(19));
  marks.EnterRow();
  marks.EnterFamily();
  marks.EnterColumn(0);
  EXPECT_FALSE(marks.Hides(1));
}

TEST(DeleteMarks, OfTimeRangesOnlyThoseThatStillCountAreKept) {
  DeleteMarks marks;
  marks.EnterColumn(0);
  marks.DeleteInColumn(8, {{3, 5}, 0});
  marks.DeleteInColumn(6, {TimeRange(), 0});  // deletes the whole column
  marks.DeleteInColumn(5, {{1, 9}, 0});       // the delete of the column came later
  ASSERT_EQ(marks.ranges().size(), 1u);
  EXPECT_EQ(marks.ranges()[0].sequence, 8u);
  EXPECT_TRUE(marks.Hides(5));
  marks.EnterColumn(0);
  EXPECT_TRUE(marks.ranges().empty());
}

TEST(ColumnVersions, AreRankedAsTheyStreamBy) {
  FamilyRule rule{GcPolicy::MaxVersions(2)};
  ColumnVersions versions;
  versions.EnterFamily(nullptr, 100);
  EXPECT_FALSE(versions.family_exists());
  versions.EnterFamily(&rule, 100);
  for (int column = 0; column < 2; ++column) {
    versions.EnterColumn();
    EXPECT_TRUE(versions.Keeps(9));
    EXPECT_FALSE(versions.Keeps(9)) << "it was replaced, and takes no rank";
    EXPECT_TRUE(versions.Keeps(8));
    EXPECT_FALSE(versions.Keeps(7));
  }
}

// The rule acts before the delete, so the delete makes no older version visible.
TEST(ColumnVersions, AReplayLeavesTheInputWhereItWas) {
  Memtable memtable;
  for (uint64_t i = 1; i <= 4; ++i) {
    memtable.Add(EncodeCellKey("a", "f", "q", static_cast<int64_t>(i), i), "v", i);
  }
  memtable.Add(EncodeCellKey("a", "f", "r", 1, 5), "v", 5);
  FamilyRule rule{GcPolicy::MaxVersions(2)};
  ColumnVersions versions;
  versions.EnterFamily(&rule, 100);
  versions.EnterColumn();
  EntryPlace place;
  Enter(&place, EncodeCellKey("a", "f", "q", 4, 4));
  DeleteMarks marks;
  marks.EnterColumn(0);
  marks.DeleteInColumn(6, {{4, 5}, 50});
  auto input = memtable.NewIterator();
  input->Seek("");
  ASSERT_TRUE(versions.Replay(place, marks, 6, input.get()).ok());
  EXPECT_TRUE(versions.is_replayed());
  EXPECT_EQ(input->key(), EncodeCellKey("a", "f", "q", 4, 4));
  EXPECT_FALSE(versions.Survives({4, 4})) << "deleted";
  EXPECT_TRUE(versions.Survives({3, 3}));
  EXPECT_FALSE(versions.Survives({2, 2})) << "it was garbage before the delete";
}

TEST(EntrySkips, EndAtTheFirstEntryAfter) {
  Memtable memtable;
  uint64_t sequence = 0;
  for (const char* family : {"f", "g"}) {
    for (const char* qualifier : {"p", "q"}) {
      for (int64_t time = 1; time <= (*qualifier == 'p' ? 3 : 30); ++time) {
        ++sequence;
        memtable.Add(EncodeCellKey("a", family, qualifier, time, sequence), "v", sequence);
      }
    }
  }
  auto input = memtable.NewIterator();
  EntrySkips skips(input.get());
  EntryPlace place;
  auto at = [&] { return place.family() + ":" + place.qualifier(); };
  auto enter = [&] { Enter(&place, std::string(input->key())); };
  input->Seek("");
  enter();
  skips.PastPart(place.column_part());  // skips by three steps
  enter();
  EXPECT_EQ(at(), "f:q");
  skips.PastPart(place.column_part());  // skips by a seek
  enter();
  EXPECT_EQ(at(), "g:p");
  skips.ToQualifier(place, "pp");
  enter();
  EXPECT_EQ(at(), "g:q");
  input->Seek("");
  enter();
  skips.PastFamily(place);
  enter();
  EXPECT_EQ(at(), "g:p");
  skips.PastPart(place.row_part());
  EXPECT_FALSE(input->Valid());
}

}  // namespace
}  // namespace sippar::engine
