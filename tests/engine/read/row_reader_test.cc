// The number of entries that a read visits: it must not search outside its range.
// SPDX-License-Identifier: Apache-2.0
#include "engine/read/row_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/memtable/memtable.h"
#include "engine/model/cell_key.h"

namespace sippar::engine {
namespace {

// Counts the moves of an iterator.
class CountingIterator final : public EntryIterator {
 public:
  CountingIterator(std::unique_ptr<EntryIterator> input, uint64_t* moves)
      : input_(std::move(input)), moves_(moves) {}
  bool Valid() const override { return input_->Valid(); }
  void Seek(std::string_view key) override { ++*moves_, input_->Seek(key); }
  void Next() override { ++*moves_, input_->Next(); }
  void SeekBefore(std::string_view key) override { ++*moves_, input_->SeekBefore(key); }
  std::string_view key() const override { return input_->key(); }
  std::string_view value() const override { return input_->value(); }
  Status status() const override { return input_->status(); }

 private:
  std::unique_ptr<EntryIterator> input_;
  uint64_t* moves_;
};

class RowReaderTest : public testing::Test {
 protected:
  static constexpr int kDeleted = 1000;

  RowReaderTest() {
    uint64_t sequence = 0;
    Put("a", ++sequence);
    for (int i = 0; i < kDeleted; ++i) {
      std::string row = fmt::format("m{:04}", i);
      Put(row, ++sequence);
      ++sequence;
      memtable_.Add(EncodeRowTombstone(row, sequence), "", sequence);
    }
    Put("z", ++sequence);
  }

  void Put(const std::string& row, uint64_t sequence) {
    memtable_.Add(EncodeCellKey(row, "f", "q", 1, sequence), "v", sequence);
  }

  std::string Rows(RowRange range, bool reverse) {
    moves_ = 0;
    RowReaderOptions options;
    options.ranges = {std::move(range)};
    options.columns = *ColumnMatcher::Compile({});
    options.limits.reverse = reverse;
    options.visibility.families =
        std::make_shared<FamilyRules>(FamilyRules{{"f", FamilyRule{GcPolicy::KeepAll(), 0}}});
    options.source = [this](const RowRange&, ReadCounters*) {
      return std::make_unique<CountingIterator>(memtable_.NewIterator(), &moves_);
    };
    auto cells = NewRowReader(std::move(options));
    std::string rows;
    for (; cells->Valid(); cells->NextRow()) rows += std::string(cells->cell().row) + " ";
    EXPECT_TRUE(cells->status().ok()) << cells->status();
    return rows;
  }

  Memtable memtable_;
  uint64_t moves_ = 0;
};

TEST_F(RowReaderTest, AReverseScanPassesDeletedRowsOnce) {
  EXPECT_EQ(Rows(RowRange::All(), true), "z a ");
  EXPECT_LT(moves_, 8u * kDeleted);
  EXPECT_EQ(Rows({"b", "y"}, true), "");
  EXPECT_LT(moves_, 8u * kDeleted);
}

TEST_F(RowReaderTest, AReadOfAnAbsentRowDoesNotSearchTheDeletedRowsBehindIt) {
  EXPECT_EQ(Rows(RowRange::Single("b"), false), "");
  EXPECT_LT(moves_, 10u);
  EXPECT_EQ(Rows(RowRange::Single("m0000"), false), "");
  EXPECT_LT(moves_, 10u);
}

TEST_F(RowReaderTest, DamageIsToldWithItsTableAndTablet) {
  memtable_.Add("b", "", 1);
  RowReaderOptions options;
  options.ranges = {RowRange::All()};
  options.columns = *ColumnMatcher::Compile({});
  options.visibility.families = std::make_shared<FamilyRules>();
  options.source = [this](const RowRange&, ReadCounters*) { return memtable_.NewIterator(); };
  auto schema = std::make_shared<TableSchema>();
  schema->name = "web";
  options.schema = std::move(schema);
  options.tablet_id = 7;
  const Status status = NewRowReader(std::move(options))->status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_TRUE(MessageOf(status).starts_with("table web, tablet 7: stored key 'b' of 1 bytes"))
      << status;
}

TEST_F(RowReaderTest, AForwardScanPassesDeletedRowsOnce) {
  EXPECT_EQ(Rows(RowRange::All(), false), "a z ");
  EXPECT_LT(moves_, 4u * kDeleted);
}

}  // namespace
}  // namespace sippar::engine
