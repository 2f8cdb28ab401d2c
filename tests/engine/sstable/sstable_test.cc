// SSTables written and read back: adversarial keys, random tables compared with std::map, seeks in
// both directions, large values, summaries, sampling, limits.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <thread>

#include "engine/base/limits.h"
#include "engine/base/random.h"
#include "tests/engine/sstable/sstable_fixture.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

std::string RandomBytes(Random* random, size_t size, uint64_t alphabet) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random->Uniform(alphabet)));
  return bytes;
}

// Rows, families and qualifiers that would reveal an escaping or prefix bug, with all kinds of
// entries.
Entries AdversarialEntries() {
  const std::string rows[] = {std::string(1, '\0'),
                              std::string(2, '\0'),
                              std::string("\0\1", 2),
                              std::string("\0\xff", 2),
                              "a",
                              std::string("a\0", 2),
                              "a\xff",
                              "ab",
                              "\xff",
                              "\xff\xff",
                              std::string(limits::kRowKeySizeMax, '\0'),
                              std::string(limits::kRowKeySizeMax, 'x')};
  Entries entries;
  uint64_t sequence = 1;
  for (const std::string& row : rows) {
    entries[EncodeRowTombstone(row, sequence++)] = "";
    for (std::string family : {"a", "anchor", "b"}) {
      if (row.size() > 1000 && family != "a") continue;  // enough entries for such long rows
      entries[EncodeFamilyTombstone(row, family, sequence++)] = "";
      for (std::string qualifier : {std::string(), std::string(1, '\0'), std::string("\0\1", 2),
                                    std::string("q"), std::string("q\0", 2)}) {
        entries[EncodeColumnTombstone(row, family, qualifier, sequence++)] =
            EncodeColumnDelete({{}, 5});
        for (int64_t time : {kTimeMin, int64_t{-1}, int64_t{0}, int64_t{1}, kTimeMax}) {
          entries[EncodeCellKey(row, family, qualifier, time, sequence++)] =
              std::string(family.size(), 'v');
        }
      }
    }
  }
  return entries;
}

Entries RandomEntries(Random* random, size_t count, size_t value_size_max) {
  Entries entries;
  while (entries.size() < count) {
    std::string row = RandomBytes(random, 1 + random->Uniform(5), 4);
    std::string qualifier = RandomBytes(random, random->Uniform(3), 3);
    auto time = static_cast<int64_t>(random->Uniform(4));
    std::string value = RandomBytes(random, random->Uniform(value_size_max + 1), 256);
    entries[EncodeCellKey(row, random->OneIn(2) ? "f" : "g", qualifier, time,
                          random->Uniform(1000))] = value;
  }
  return entries;
}

std::string HtmlSample() {
  std::string sample;
  for (int i = 0; i < 400; ++i) {
    sample +=
        "<div class=\"section\"><a href=\"page" + std::to_string(i) + ".html\">Page</a></div>";
  }
  return sample;
}

std::vector<SstableOptions> AllOptions() {
  std::vector<SstableOptions> all;
  for (uint32_t block_size : {256u, 4096u, 64u << 10}) {
    for (Compression compression : {Compression::kNone, Compression::kZstd}) {
      for (bool dictionary : {false, true}) {
        for (BloomKind bloom : {BloomKind::kNone, BloomKind::kRow, BloomKind::kRowColumn}) {
          all.push_back({block_size, compression, 1, dictionary, bloom});
        }
      }
    }
  }
  return all;
}

TEST(SstableTest, AdversarialKeysUnderAllOptions) {
  const Entries entries = AdversarialEntries();
  for (const SstableOptions& options : AllOptions()) {
    ByteFiles fs;
    Write(&fs, entries, options, HtmlSample());
    auto reader = Open(&fs);
    ExpectSame(*reader, entries, ReadAhead::kNone);
    ExpectSame(*reader, entries, ReadAhead::kScan);
    EXPECT_TRUE(reader->VerifyAll().ok()) << reader->VerifyAll();
  }
}

void ExpectAt(const EntryIterator& it, const Entries& entries, Entries::const_iterator expected) {
  ASSERT_TRUE(it.status().ok()) << it.status();
  ASSERT_EQ(it.Valid(), expected != entries.end());
  if (expected == entries.end()) return;
  ASSERT_EQ(it.key(), expected->first);
  ASSERT_EQ(it.value(), expected->second);
}

// A random walk of forward seeks, backward seeks and steps, compared with the map.
void Walk(Random* random, const SstableReader& reader, const Entries& entries, ReadAhead ahead) {
  auto it = reader.NewIterator(ahead);
  auto model = entries.end();
  for (int step = 0; step < 400; ++step) {
    std::string target = random->OneIn(20) ? "" : RandomBytes(random, random->Uniform(6), 5);
    if (random->OneIn(2) && !entries.empty()) {
      target =
          std::next(entries.begin(), static_cast<long>(random->Uniform(entries.size())))->first;
    }
    switch (random->Uniform(4)) {
      case 0:
        it->Seek(target);
        model = entries.lower_bound(target);
        break;
      case 1:
        it->SeekBefore(target);
        model = target.empty() ? entries.end() : entries.lower_bound(target);
        model = model == entries.begin() ? entries.end() : std::prev(model);
        break;
      default:
        if (model == entries.end()) break;
        it->Next();
        ++model;
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, entries, model));
  }
}

TEST(SstableTest, RandomTablesAgainstAMap) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Entries entries = RandomEntries(&random, 1 + random.Uniform(500), random.Uniform(300));
    std::vector<SstableOptions> options = AllOptions();
    ByteFiles fs;
    BlockCache cache(1 << 20);
    Write(&fs, entries, options[random.Uniform(options.size())], HtmlSample());
    auto reader = Open(&fs, random.OneIn(2) ? &cache : nullptr);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(Walk(&random, *reader, entries, ReadAhead::kNone));
    ASSERT_NO_FATAL_FAILURE(Walk(&random, *reader, entries, ReadAhead::kScan));
    EXPECT_TRUE(reader->VerifyAll().ok()) << reader->VerifyAll();
  }
}

TEST(SstableTest, EmptyTable) {
  ByteFiles fs;
  FileSummary summary = Write(&fs, {});
  EXPECT_EQ(summary.entries, 0u);
  auto reader = Open(&fs);
  auto it = reader->NewIterator(ReadAhead::kNone);
  it->Seek("");
  EXPECT_FALSE(it->Valid());
  it->SeekBefore("");
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_FALSE(reader->MayContainRow(EncodeRowPart("a")));
  EXPECT_TRUE(reader->SplitKeys(1).empty());
  EXPECT_EQ(*reader->Sample("", "", 100), "");
  EXPECT_TRUE(reader->VerifyAll().ok());
}

TEST(SstableTest, LargeValuesHaveTheirOwnBlocks) {
  Random random(1);
  Entries entries;
  entries[EncodeCellKey("a", "f", "small", 1, 1)] = "x";
  entries[EncodeCellKey("b", "f", "zeros", 1, 2)] = std::string(limits::kValueSizeMax, '\0');
  entries[EncodeCellKey("c", "f", "small", 1, 3)] = "y";
  entries[EncodeCellKey("d", "f", "noise", 1, 4)] = RandomBytes(&random, 3 << 20, 256);
  ByteFiles fs;
  FileSummary summary = Write(&fs, entries);
  EXPECT_LT(summary.size_bytes, 4u << 20);
  auto reader = Open(&fs);
  EXPECT_EQ(reader->blocks(), 4u);
  ExpectSame(*reader, entries, ReadAhead::kScan);
  auto it = reader->NewIterator(ReadAhead::kNone);
  it->SeekBefore(EncodeCellKey("c", "f", "small", 1, 3));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value().size(), limits::kValueSizeMax);
}

TEST(SstableTest, RefusesWhatIsNotAscendingOrNoCellKey) {
  ByteFiles fs;
  auto writer = SstableWriter::Create(&fs, kTestPath, kTestFileId, {}, "");
  ASSERT_TRUE(writer.ok());
  std::string key = EncodeCellKey("b", "f", "q", 1, 1);
  ASSERT_TRUE((*writer)->Add(key, "").ok());
  EXPECT_EQ((*writer)->Add(key, "").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*writer)->Add(EncodeCellKey("a", "f", "q", 1, 1), "").code(),
            StatusCode::kInvalidArgument);
  Status no_key = (*writer)->Add("zzz", "");
  EXPECT_EQ(no_key.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(MessageOf(no_key)), HasSubstr("zzz"));
  (*writer)->Abandon();
  EXPECT_TRUE(fs.files.empty());
}

TEST(SstableTest, AbandonedAndFailedFilesAreRemovedButNeverForeignOnes) {
  ByteFiles fs;
  fs.files[kTestPath] = "someone else's";
  EXPECT_EQ(SstableWriter::Create(&fs, kTestPath, kTestFileId, {}, "").status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(fs.files[kTestPath], "someone else's");
  fs.files.clear();
  fs.fail_appends = true;
  FileSummary summary;
  Status status = TryWrite(&fs, AdversarialEntries(), {}, "", &summary);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(fs.files.empty());
}

TEST(SstableTest, SummaryCountsAndRoundTrips) {
  Entries entries;
  entries[EncodeRowTombstone("a", 9)] = "";
  entries[EncodeCellKey("a", "anchor", "x", 50, 3)] = "12345";
  entries[EncodeCellKey("a", "anchor", "x", 40, 4)] = "1";
  entries[EncodeCellKey("b", "contents", "", -7, 5)] = "12";
  entries[EncodeFamilyTombstone("c", "contents", 8)] = "";
  ByteFiles fs;
  FileSummary summary = Write(&fs, entries);
  uint64_t raw_bytes = 0;
  for (const auto& [key, value] : entries) raw_bytes += key.size() + value.size();
  EXPECT_EQ(summary.size_bytes, fs.files[kTestPath].size());
  EXPECT_EQ(summary.raw_bytes, raw_bytes);
  EXPECT_EQ(summary.entries, 5u);
  EXPECT_EQ(summary.tombstones, 2u);
  EXPECT_EQ(summary.rows, 3u);
  EXPECT_EQ(summary.first_key, entries.begin()->first);
  EXPECT_EQ(summary.last_key, entries.rbegin()->first);
  EXPECT_EQ(summary.sequence_min, 3u);
  EXPECT_EQ(summary.sequence_max, 9u);
  EXPECT_EQ(summary.time_min_us, -7);
  EXPECT_EQ(summary.time_max_us, 50);
  ASSERT_EQ(summary.families.size(), 2u);
  EXPECT_EQ(summary.families["anchor"].cells, 2u);
  EXPECT_EQ(summary.families["contents"].cells, 1u);
  EXPECT_EQ(Open(&fs)->summary(), summary);

  std::string bytes;
  summary.Encode(&bytes);
  FileSummary decoded;
  Reader reader(bytes);
  decoded.Decode(&reader);
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(decoded, summary);
}

TEST(SstableTest, PointReadsTakeOneBlockAndTheCacheServesTheSecond) {
  Random random(3);
  const Entries entries = RandomEntries(&random, 3000, 100);
  ByteFiles fs;
  Write(&fs, entries, {.block_size = 4096});
  BlockCache cache(8 << 20);
  auto reader = Open(&fs, &cache);
  ASSERT_GT(reader->blocks(), 20u);
  std::string key = std::next(entries.begin(), 1500)->first;
  for (size_t expected_reads : {1u, 0u}) {
    fs.reads = 0;
    auto it = reader->NewIterator(ReadAhead::kNone);
    it->Seek(key);
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), key);
    EXPECT_EQ(fs.reads, expected_reads);
  }
}

TEST(SstableTest, ScansReadSeveralBlocksAtOnceAndLeaveTheCacheAlone) {
  Random random(4);
  const Entries entries = RandomEntries(&random, 3000, 200);
  ByteFiles fs;
  Write(&fs, entries, {.block_size = 1024});
  BlockCache cache(8 << 20);
  auto reader = Open(&fs, &cache);
  ASSERT_GT(reader->blocks(), 100u);
  fs.reads = 0;
  ExpectSame(*reader, entries, ReadAhead::kScan);
  EXPECT_LE(fs.reads, 6u);
  EXPECT_EQ(cache.stats().blocks, 0u);
}

TEST(SstableTest, AnIteratorOutlivesTheLastReferenceToItsReader) {
  ByteFiles fs;
  const Entries entries = AdversarialEntries();
  Write(&fs, entries);
  auto it = Open(&fs)->NewIterator(ReadAhead::kNone);
  size_t count = 0;
  for (it->Seek(""); it->Valid(); it->Next()) ++count;
  EXPECT_EQ(count, entries.size());
}

TEST(SstableTest, ManyThreadsReadOneFile) {
  Random random(5);
  const Entries entries = RandomEntries(&random, 2000, 100);
  ByteFiles fs;
  Write(&fs, entries, {.block_size = 2048}, HtmlSample());
  BlockCache cache(64 << 10);  // much smaller than the file
  auto reader = Open(&fs, &cache);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back(
        [&, t] { ExpectSame(*reader, entries, t % 2 ? ReadAhead::kScan : ReadAhead::kNone); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SstableTest, SampleTakesEvenPiecesOfTheRange) {
  Entries entries;
  for (int i = 0; i < 4000; ++i) {
    std::string row = std::to_string(10000 + i);
    entries[EncodeCellKey(row, "f", "", 1, 1)] =
        std::string(300, static_cast<char>('a' + i / 1000));
  }
  ByteFiles fs;
  Write(&fs, entries, {.block_size = 4096});
  auto reader = Open(&fs);
  std::string all = *reader->Sample("", "", 64 << 10);
  EXPECT_LE(all.size(), 64u << 10);
  EXPECT_GT(all.size(), 24u << 10);  // pieces end at the ends of these small blocks
  for (std::string letter : {"aaaa", "bbbb", "cccc", "dddd"}) EXPECT_THAT(all, HasSubstr(letter));
  std::string part = *reader->Sample(EncodeRowPart("12000"), EncodeRowPart("12500"), 64 << 10);
  EXPECT_THAT(part, HasSubstr("cccc"));
  EXPECT_THAT(part, ::testing::Not(HasSubstr("aaaa")));
  EXPECT_THAT(part, ::testing::Not(HasSubstr("dddd")));
}

TEST(SstableTest, SplitKeysCutEvenly) {
  Random random(6);
  const Entries entries = RandomEntries(&random, 3000, 200);
  ByteFiles fs;
  FileSummary summary = Write(&fs, entries, {.block_size = 1024});
  std::vector<std::string> keys = Open(&fs)->SplitKeys(summary.raw_bytes / 10);
  EXPECT_GE(keys.size(), 7u);
  EXPECT_LE(keys.size(), 10u);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (const std::string& key : keys) EXPECT_TRUE(entries.contains(key));
  EXPECT_GT(keys.front(), entries.begin()->first);
}

TEST(SstableTest, BothSidesOfARowInsideABlockHaveBytes) {
  Entries entries;
  for (int i = 0; i < 100; ++i) {
    entries[EncodeCellKey(std::to_string(100 + i), "f", "", 1, 1)] = HtmlSample().substr(0, 200);
  }
  for (uint32_t block_size : {1u << 20, 2048u}) {  // one block, many blocks
    ByteFiles fs;
    const uint64_t whole = Write(&fs, entries, {.block_size = block_size}).size_bytes;
    auto reader = Open(&fs);
    uint64_t left_before = 0;
    for (const char* row : {"101", "150", "199"}) {
      const std::string key = SeekKeyForRow(row);
      const uint64_t left = reader->StoredBytesBetween("", key);
      const uint64_t right = reader->StoredBytesBetween(key, "");
      EXPECT_GT(left, 0u) << row;
      EXPECT_GT(right, 0u) << row;
      EXPECT_LE(left + right, whole) << row;
      EXPECT_GE(left + right + 2, whole) << row;
      EXPECT_GE(left, left_before) << row;
      left_before = left;
    }
    // Cut twice in one block, and beyond the last row.
    EXPECT_GT(reader->StoredBytesBetween(SeekKeyForRow("150"), SeekKeyForRow("151")), 0u);
    EXPECT_EQ(reader->StoredBytesBetween(SeekKeyForRow("150"), SeekKeyForRow("999")),
              reader->StoredBytesBetween(SeekKeyForRow("150"), ""));
    EXPECT_EQ(reader->StoredBytesBetween("", ""), whole);
  }
}

TEST(SstableTest, TheDictionaryIsStoredOnlyWhenItHelped) {
  ByteFiles fs;
  Entries entries;
  for (int i = 0; i < 50; ++i) {
    entries[EncodeCellKey("r" + std::to_string(100 + i), "f", "", 1, 1)] =
        HtmlSample().substr(static_cast<size_t>(i) * 100, 3000);
  }
  uint64_t without =
      Write(&fs, entries, {.block_size = 2048, .dictionary = false}, HtmlSample()).size_bytes;
  EXPECT_THAT(Open(&fs)->Dump(false), HasSubstr("dictionary  none"));
  uint64_t with = Write(&fs, entries, {.block_size = 2048}, HtmlSample()).size_bytes;
  EXPECT_THAT(Open(&fs)->Dump(false), HasSubstr("dictionary  at "));
  EXPECT_LT(with, without);
  ExpectSame(*Open(&fs), entries, ReadAhead::kNone);
}

// A sample that begins like a trained zstd dictionary must be used as raw content.
TEST(SstableTest, ASampleWithDictionaryMagicIsRawContent) {
  ByteFiles fs;
  Entries entries;
  entries[EncodeCellKey("r", "f", "", 1, 1)] = HtmlSample();
  std::string sample = std::string("\x37\xa4\x30\xec", 4) + HtmlSample();
  Write(&fs, entries, {}, sample);
  ExpectSame(*Open(&fs), entries, ReadAhead::kNone);
}

TEST(SstableTest, DumpNamesEntriesOfEveryKind) {
  ByteFiles fs;
  Write(&fs, AdversarialEntries());
  std::string dump = Open(&fs)->Dump(true);
  EXPECT_THAT(dump, HasSubstr("a anchor:q @1 #"));
  EXPECT_THAT(dump, HasSubstr("\\x00\\x01 deleted #"));
  EXPECT_THAT(dump, HasSubstr("family      anchor: "));
}

}  // namespace
}  // namespace sippar::engine
