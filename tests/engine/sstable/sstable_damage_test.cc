// Damage: every byte of a small file is changed, the file is truncated everywhere, blocks are in
// the wrong place, versions are too new, file ids are wrong. No read may return a wrong answer
// (FAULTS.md D3, D4, D15, I-8).
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/sstable/sstable_format.h"
#include "tests/engine/sstable/sstable_fixture.h"

namespace sippar::engine {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

Entries SmallTable() {
  Entries entries;
  for (int i = 0; i < 40; ++i) {
    std::string row = "org.example/" + std::to_string(100 + i);
    entries[EncodeCellKey(row, "contents", "", i, static_cast<uint64_t>(i))] =
        "<html><body class=\"doc\">page number " + std::to_string(i * i) + "</body></html>";
  }
  entries[EncodeRowTombstone("org.example/105", 99)] = "";
  return entries;
}

const SstableOptions kSmallBlocks = {.block_size = 512, .bloom = BloomKind::kRowColumn};
constexpr char kSample[] = "<html><body class=\"doc\">page number 1234567890</body></html>";

// Reads the file in all possible ways: each read must return an error or exactly `expected`.
// Returns true if no read failed.
bool ReadAll(ByteFiles* fs, const Entries& expected, ReadAhead read_ahead) {
  auto reader = SstableReader::Open(fs, kTestPath, kTestFileId, nullptr);
  if (!reader.ok()) {
    EXPECT_EQ(reader.status().code(), StatusCode::kDataLoss) << reader.status();
    EXPECT_THAT(std::string(MessageOf(reader.status())), HasSubstr(kTestPath));
    return false;
  }
  auto it = (*reader)->NewIterator(read_ahead);
  auto model = expected.begin();
  for (it->Seek(""); it->Valid(); it->Next(), ++model) {
    EXPECT_TRUE(model != expected.end());
    EXPECT_EQ(it->key(), model->first);
    EXPECT_EQ(it->value(), model->second);
  }
  EXPECT_TRUE(model == expected.end() || !it->status().ok());
  for (const auto& [key, value] : expected) {
    EXPECT_TRUE((*reader)->MayContainRow(RowPrefix(key)));
    EXPECT_TRUE((*reader)->MayContainColumn(ColumnPrefix(key)));
    it->Seek(key);
    EXPECT_EQ(it->Valid(), it->status().ok());
    EXPECT_TRUE(!it->Valid() || it->value() == value);
  }
  return it->status().ok() && (*reader)->VerifyAll().ok();
}

TEST(SstableDamageTest, EveryByteChangedGivesNoWrongAnswer) {
  const Entries entries = SmallTable();
  ByteFiles fs;
  Write(&fs, entries, kSmallBlocks, kSample);
  const std::string good = fs.files[kTestPath];
  ASSERT_TRUE(ReadAll(&fs, entries, ReadAhead::kNone));
  for (size_t at = 0; at < good.size(); ++at) {
    for (int flip : {0x01, 0x80, 0xff}) {
      fs.files[kTestPath][at] = static_cast<char>(good[at] ^ flip);
      EXPECT_FALSE(ReadAll(&fs, entries, at % 2 ? ReadAhead::kScan : ReadAhead::kNone))
          << "byte " << at << " ^ " << flip << " was not noticed";
      fs.files[kTestPath][at] = good[at];
    }
  }
}

TEST(SstableDamageTest, EveryTruncationIsNoticed) {
  const Entries entries = SmallTable();
  ByteFiles fs;
  Write(&fs, entries, kSmallBlocks, kSample);
  const std::string good = fs.files[kTestPath];
  for (size_t size = 0; size < good.size(); ++size) {
    fs.files[kTestPath] = good.substr(0, size);
    EXPECT_EQ(SstableReader::Open(&fs, kTestPath, kTestFileId, nullptr).status().code(),
              StatusCode::kDataLoss)
        << size;
  }
}

TEST(SstableDamageTest, ADamagedBlockNamesPlaceAndChecksumsAndTheOthersAreServed) {
  const Entries entries = SmallTable();
  ByteFiles fs;
  Write(&fs, entries, kSmallBlocks, kSample);
  fs.files[kTestPath][3] ^= 4;  // in the first block
  auto reader = Open(&fs);
  auto it = reader->NewIterator(ReadAhead::kNone);
  it->Seek("");
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().code(), StatusCode::kDataLoss);
  std::string message(MessageOf(it->status()));
  EXPECT_THAT(message, HasSubstr(kTestPath + " (file 7), block at offset 0: checksum expected "));
  EXPECT_THAT(message, ContainsRegex("expected [0-9a-f]{16}, found [0-9a-f]{16}"));
  it->Seek(entries.rbegin()->first);
  EXPECT_TRUE(it->Valid()) << it->status();
  EXPECT_EQ(reader->VerifyAll().code(), StatusCode::kDataLoss);
  EXPECT_THAT(reader->Dump(true), HasSubstr("DAMAGED"));
}

TEST(SstableDamageTest, AnotherBlocksBytesAreNoticed) {
  Entries entries;
  for (int i = 0; i < 4; ++i) {
    entries[EncodeCellKey(std::string(1, static_cast<char>('a' + i)), "f", "", 1, 1)] =
        std::string(600, static_cast<char>('a' + i));
  }
  ByteFiles fs;
  Write(&fs, entries, {.block_size = 512, .compression = Compression::kNone});
  ASSERT_EQ(Open(&fs)->blocks(), 4u);
  std::string& bytes = fs.files[kTestPath];
  size_t second = bytes.find("bbb") - bytes.find("aaa");
  std::string block = bytes.substr(0, second);
  bytes.replace(second, block.size(), block);  // block 1 is now a complete copy of block 0
  auto reader = Open(&fs);
  auto it = reader->NewIterator(ReadAhead::kNone);
  it->Seek(EncodeRowPart("b"));
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(MessageOf(it->status())), HasSubstr("checksum expected"))
      << "not only the keys tell: an old block of this place would have the right ones";
}

TEST(SstableDamageTest, AFileUnderAnotherIdIsNoticed) {
  ByteFiles fs;
  Write(&fs, SmallTable());
  Status status = SstableReader::Open(&fs, kTestPath, kTestFileId + 1, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("the content is that of file 7"));
}

TEST(SstableDamageTest, ANewerVersionIsRefusedByName) {
  ByteFiles fs;
  Write(&fs, SmallTable());
  std::string& bytes = fs.files[kTestPath];
  std::string footer = bytes.substr(bytes.size() - Footer::kSize);
  size_t offset = bytes.size() - Footer::kSize;
  std::string newer = footer.substr(0, Footer::kSize - 24);
  PutFixed32(&newer, kSstableVersion + 1);
  newer += footer.substr(Footer::kSize - 20, 4);
  PutFixed64(&newer, Checksum(newer, offset));
  bytes.replace(offset, Footer::kSize, newer + std::string(kSstableMagic));
  Status status = SstableReader::Open(&fs, kTestPath, kTestFileId, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("format version 2"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("up to 1"));
}

TEST(SstableDamageTest, ALostDictionaryLosesOnlyTheBlocksThatNeedIt) {
  Entries entries;
  std::string noise;
  for (int i = 0; i < 2000; ++i) noise.push_back(static_cast<char>(Hash(std::to_string(i))));
  entries[EncodeCellKey("a", "f", "", 1, 1)] = noise;
  entries[EncodeCellKey("b", "f", "", 1, 1)] = std::string(kSample) + kSample;
  ByteFiles fs;
  Write(&fs, entries, {.block_size = 256}, kSample);
  std::string dump = Open(&fs)->Dump(false);
  ASSERT_THAT(dump, HasSubstr("dictionary  at "));
  size_t at = std::stoul(dump.substr(dump.find("dictionary  at ") + 15));
  fs.files[kTestPath][at + 5] ^= 1;
  auto reader = Open(&fs);
  auto it = reader->NewIterator(ReadAhead::kNone);
  it->Seek(EncodeRowPart("a"));
  ASSERT_TRUE(it->Valid()) << it->status();
  EXPECT_EQ(it->value(), noise);
  it->Seek(EncodeRowPart("b"));
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(MessageOf(it->status())), HasSubstr("dictionary"));
}

TEST(SstableDamageTest, ADamagedFilterOnlyStopsFiltering) {
  const Entries entries = SmallTable();
  ByteFiles fs;
  Write(&fs, entries);
  std::string dump = Open(&fs)->Dump(false);
  size_t at = std::stoul(dump.substr(dump.find("filter      at ") + 15));
  EXPECT_FALSE(Open(&fs)->MayContainRow(EncodeRowPart("org.example/1055")));
  fs.files[kTestPath][at + 2] ^= 1;
  auto reader = Open(&fs);
  EXPECT_TRUE(reader->MayContainRow(EncodeRowPart("org.example/1055")));
  ExpectSame(*reader, entries, ReadAhead::kScan);
  EXPECT_EQ(reader->VerifyAll().code(), StatusCode::kDataLoss);
  EXPECT_THAT(reader->Dump(false), HasSubstr("DAMAGED"));
}

}  // namespace
}  // namespace sippar::engine
