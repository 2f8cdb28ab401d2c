// Reads that leave out large values: the sizes come from the index, and the blocks are not read.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/sstable/block_builder.h"
#include "engine/sstable/block_cursor.h"
#include "tests/engine/sstable/sstable_fixture.h"

namespace sippar::engine {
namespace {

TEST(LeftOutValues, F_M5_TheIndexTellsTheSizeOfALoneValue) {
  for (uint64_t key_size : {1, 127, 128, 70'000}) {
    for (uint64_t size : {0, 1, 127, 128, 129, 16'383, 16'384, 2'097'151, 2'097'152}) {
      BlockBuilder builder;
      builder.Add(std::string(key_size, 'k'), std::string(size, 'v'));
      EXPECT_EQ(LoneValueSize(key_size, builder.Finish().size()), size) << key_size;
    }
  }
  EXPECT_EQ(LoneValueSize(10, 5), std::nullopt);
}

Entries SmallAndLarge() {
  Entries entries;
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    size_t size = random.OneIn(3) ? 60'000 + random.Uniform(300'000) : random.Uniform(100);
    std::string row = "row" + std::to_string(random.Uniform(1000));
    entries[EncodeCellKey(row, "f", "", 1, 7)] = std::string(size, static_cast<char>(i));
  }
  return entries;
}

class Walk {
 public:
  Walk(const SstableReader& reader, uint64_t value_size_max) : max_(value_size_max) {
    FileRead read(ReadAhead::kNone);
    read.value_size_max = value_size_max;
    read.counters = &counters_;
    iterator_ = reader.NewIterator(read);
  }
  void ExpectAt(const std::pair<const std::string, std::string>& entry) {
    ASSERT_TRUE(iterator_->Valid()) << iterator_->status();
    ASSERT_EQ(iterator_->key(), entry.first);
    ASSERT_EQ(iterator_->value_size(), entry.second.size());
    bool is_left_out = iterator_->value().empty() && !entry.second.empty();
    left_out_ += is_left_out;
    if (is_left_out) {
      ASSERT_GT(entry.second.size(), max_);
    } else {
      ASSERT_EQ(iterator_->value(), entry.second);
    }
  }
  EntryIterator* operator->() { return iterator_.get(); }
  uint64_t left_out() const { return left_out_; }
  uint64_t disk_bytes() const { return counters_.disk_bytes; }

 private:
  const uint64_t max_;
  ReadCounters counters_;
  std::unique_ptr<EntryIterator> iterator_;
  uint64_t left_out_ = 0;
};

TEST(LeftOutValues, F_M5_KeysAndSizesAreRightInEveryDirection) {
  Entries entries = SmallAndLarge();
  for (Compression compression : {Compression::kNone, Compression::kZstd}) {
    ByteFiles fs;
    SstableOptions options;
    options.block_size = 16 << 10;
    options.compression = compression;
    Write(&fs, entries, options);
    auto reader = Open(&fs);
    ASSERT_NE(reader, nullptr);
    for (uint64_t max : {uint64_t{0}, uint64_t{200'000}}) {
      Walk walk(*reader, max);
      walk->Seek("");
      for (const auto& entry : entries) {
        ASSERT_NO_FATAL_FAILURE(walk.ExpectAt(entry));
        walk->Next();
      }
      EXPECT_FALSE(walk->Valid());
      EXPECT_TRUE(walk->status().ok());
      EXPECT_GT(walk.left_out(), 20u);
      for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        walk->Seek(entry->first);
        ASSERT_NO_FATAL_FAILURE(walk.ExpectAt(*entry));
        std::string behind = entry->first + '\0';
        walk->Seek(behind);
        auto next = std::next(entry);
        ASSERT_EQ(walk->Valid(), next != entries.end());
        if (next != entries.end()) ASSERT_NO_FATAL_FAILURE(walk.ExpectAt(*next));
        walk->SeekBefore(behind);
        ASSERT_NO_FATAL_FAILURE(walk.ExpectAt(*entry));
      }
      walk->SeekBefore("");
      ASSERT_NO_FATAL_FAILURE(walk.ExpectAt(*entries.rbegin()));
    }
  }
}

TEST(LeftOutValues, F_M5_TheirBlocksAreNotRead) {
  ByteFiles fs;
  SstableOptions options;
  options.compression = Compression::kNone;
  Entries entries{{EncodeCellKey("a", "f", "", 1, 1), std::string(5'000'000, 'a')},
                  {EncodeCellKey("b", "f", "", 1, 2), "small"}};
  Write(&fs, entries, options);
  auto reader = Open(&fs);
  ASSERT_NE(reader, nullptr);
  Walk walk(*reader, 64 << 10);
  walk->Seek("");
  for (const auto& entry : entries) {
    ASSERT_NO_FATAL_FAILURE(walk.ExpectAt(entry));
    walk->Next();
  }
  EXPECT_EQ(walk.left_out(), 1u);
  EXPECT_LT(walk.disk_bytes(), 1'000u);
}

}  // namespace
}  // namespace sippar::engine
