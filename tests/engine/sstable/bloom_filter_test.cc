// Bloom filters: no false negatives, few false positives; tombstones of whole rows and families
// keep their file in the read of a column.
// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/bloom_filter.h"

#include <fmt/format.h>

#include "engine/base/random.h"
#include "tests/engine/sstable/sstable_fixture.h"

namespace sippar::engine {
namespace {

TEST(BloomFilterTest, NoFalseNegativesAndFewFalsePositives) {
  for (size_t count : {1u, 10u, 1000u, 100'000u}) {
    Random random(count);
    std::vector<uint64_t> hashes;
    BloomFilterBuilder builder;
    for (size_t i = 0; i < count; ++i) {
      hashes.push_back(random.Next());
      builder.Add(hashes.back());
    }
    std::string filter = builder.Build();
    EXPECT_LE(filter.size(), count * 10 / 8 + 65);
    for (uint64_t hash : hashes) ASSERT_TRUE(BloomFilterMayContain(filter, hash));
    int false_positives = 0;
    for (int i = 0; i < 100'000; ++i)
      false_positives += BloomFilterMayContain(filter, random.Next());
    EXPECT_LT(false_positives, 2000) << count << " keys";
  }
}

TEST(BloomFilterTest, WhatIsNoFilterNeverExcludes) {
  EXPECT_TRUE(BloomFilterMayContain("", 1));
  EXPECT_TRUE(BloomFilterMayContain(std::string(64, '\0'), 1));
  EXPECT_TRUE(BloomFilterMayContain(std::string(65, '\0'), 1));    // zero probes
  EXPECT_TRUE(BloomFilterMayContain(std::string(65, '\xff'), 1));  // 255 probes
  EXPECT_EQ(BloomFilterBuilder().Build(), "");
}

class FileFilterTest : public ::testing::TestWithParam<BloomKind> {
 protected:
  std::shared_ptr<SstableReader> Build() {
    Entries entries;
    for (int row = 0; row < 2000; ++row) {
      for (int column = 0; column < 3; ++column) {
        entries[EncodeCellKey(fmt::format("row{:05}", row * 2), "f", fmt::format("q{}", column * 2),
                              1, 1)] = "v";
      }
    }
    entries[EncodeRowTombstone("row00100", 5)] = "";
    entries[EncodeFamilyTombstone("row00200", "g", 5)] = "";
    Write(&fs_, entries, {.bloom = GetParam()});
    return Open(&fs_);
  }
  // For how many of the 2000 present rows does the absent column q1 seem to exist?
  static int AbsentColumnsFound(const SstableReader& reader) {
    int found = 0;
    for (int row = 0; row < 2000; ++row) {
      std::string row_part = EncodeRowPart(fmt::format("row{:05}", row * 2));
      found += reader.MayContainColumn(EncodeColumnPart(row_part, "f", "q1"));
    }
    return found;
  }
  static int AbsentRowsFound(const SstableReader& reader) {
    int found = 0;
    for (int row = 0; row < 2000; ++row) {
      found += reader.MayContainRow(EncodeRowPart(fmt::format("row{:05}", row * 2 + 1)));
    }
    return found;
  }
  ByteFiles fs_;
};

TEST_P(FileFilterTest, ExcludesWhatItCanAndOnlyThat) {
  auto reader = Build();
  auto it = reader->NewIterator(ReadAhead::kScan);
  for (it->Seek(""); it->Valid(); it->Next()) {
    ASSERT_TRUE(reader->MayContainRow(RowPrefix(it->key())));
    ASSERT_TRUE(reader->MayContainColumn(ColumnPrefix(it->key())));
  }
  EXPECT_FALSE(reader->MayContainRow(EncodeRowPart("a")));    // before the first key
  EXPECT_FALSE(reader->MayContainRow(EncodeRowPart("zzz")));  // after the last key
  for (std::string row : {"row00100", "row00200"}) {          // tombstones apply to every column
    EXPECT_TRUE(reader->MayContainColumn(EncodeColumnPart(EncodeRowPart(row), "f", "q1")));
  }
  if (GetParam() == BloomKind::kNone) return;
  EXPECT_LT(AbsentRowsFound(*reader), 40);
  if (GetParam() == BloomKind::kRowColumn) {
    EXPECT_LT(AbsentColumnsFound(*reader), 42);
  } else {
    EXPECT_EQ(AbsentColumnsFound(*reader), 2000);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileFilterTest,
                         ::testing::Values(BloomKind::kNone, BloomKind::kRow,
                                           BloomKind::kRowColumn));

}  // namespace
}  // namespace sippar::engine
