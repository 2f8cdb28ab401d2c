// What a read opens, according to its own counters: groups, files (by key, Bloom filter and time),
// blocks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

class ReadCountersTest : public testing::Test {
 protected:
  ReadCountersTest() { Open(); }
  void Open() {
    store_.reset();
    StoreOptions options;
    options.pinned_blocks_size = pinned_blocks_size_;
    options.fs = &fs_;
    options.clock = &clock_;
    options.background = false;
    auto opened = HostedTables::Open("/db", options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }

  // Creates family "a" in group "default" and family "b" in group "second".
  void Create(const GcPolicy& gc = GcPolicy::KeepAll()) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"a", FamilyType::kBytes, gc}, {"b", FamilyType::kBytes, gc}};
    for (const char* name : {"default", "second"}) {
      LocalityGroupSchema& group = schema.groups.emplace_back();
      group.name = name;
      group.families = {name == std::string_view("default") ? "a" : "b"};
      group.bloom = BloomKind::kRowColumn;
      group.block_size = 4096;
    }
    Status status = store_->CreateTable(schema, {});
    ASSERT_TRUE(status.ok()) << status;
  }

  void Put(const std::string& row, const std::string& family, const std::string& qualifier,
           int64_t time, const std::string& value = std::string(500, 'v')) {
    RowMutation mutation;
    mutation.row = row;
    mutation.Set(family, qualifier, value, time);
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }
  void Flush() { ASSERT_TRUE(store_->Flush("t").ok()); }

  ReadCounters Count(const ReadSpec& read) {
    ReadCounters counters;
    auto tablet = store_->FindTablet("t", "");
    auto cells = (*tablet)->Read(read, nullptr, &counters);
    EXPECT_TRUE(cells.ok()) << cells.status();
    for (; (*cells)->Valid(); (*cells)->Next()) continue;
    EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    cells->reset();
    return counters;
  }

  static ReadSpec Cell(const std::string& row, const std::string& family,
                       const std::string& qualifier) {
    ReadSpec read;
    read.rows = RowSet(RowRange::Single(row));
    read.columns = {ColumnPattern::Exact(family, qualifier)};
    return read;
  }

  uint64_t pinned_blocks_size_ = 64 << 20;
  MemoryFileSystem fs_;
  ManualClock clock_{1'000'000};
  std::unique_ptr<HostedTables> store_;
};

// A thread that also serves other calls first tries a read from memory, which must not wait.
TEST_F(ReadCountersTest, AReadFromMemoryFailsAtABlockThatIsOnDiskAlone) {
  Create();
  for (int i = 0; i < 100; ++i) Put(fmt::format("r{:02}", i), "a", "q", 1);
  StopSignal from_memory;
  from_memory.from_memory = true;
  auto count = [&](const RowRange& rows) -> StatusOr<size_t> {
    ReadSpec read;
    read.rows = RowSet(rows);
    auto tablet = store_->FindTablet("t", "");
    ASSIGN_OR_RETURN(auto cells, (*tablet)->Read(read, &from_memory));
    size_t found = 0;
    for (; cells->Valid(); cells->Next()) ++found;
    RETURN_IF_ERROR(cells->status());
    return found;
  };
  EXPECT_EQ(count(RowRange::Single("r07")).value_or(0), 1u);  // from the memtable
  EXPECT_EQ(count(RowRange::All()).value_or(0), 100u);
  Flush();
  store_.reset();
  Open();
  EXPECT_EQ(count(RowRange::Single("r07")).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(count(RowRange::All()).status().code(), StatusCode::kUnavailable);
  // The Bloom filter excludes the row.
  EXPECT_EQ(count(RowRange::Single("absent")).value_or(9), 0u);
  EXPECT_GE(Count(Cell("r07", "a", "q")).blocks_from_disk, 1u);
  EXPECT_EQ(count(RowRange::Single("r07")).value_or(0), 1u);
  EXPECT_EQ(count(RowRange::Single("r99")).status().code(), StatusCode::kUnavailable);
}

TEST_F(ReadCountersTest, OnlyTheGroupsThatTheColumnsNameAreOpened) {
  Create();
  Put("r", "a", "q", 1);
  Put("r", "b", "q", 1);
  Flush();
  ReadCounters one = Count(Cell("r", "b", "q"));
  EXPECT_EQ(one.groups_read, 1u);
  EXPECT_EQ(one.groups_left, 1u);
  EXPECT_EQ(one.files_read, 1u);
  EXPECT_EQ(one.blocks_from_disk, 1u);
  EXPECT_EQ(one.cells_returned, 1u);
  ReadCounters all = Count({});
  EXPECT_EQ(all.groups_read, 2u);
  EXPECT_EQ(all.files_read, 2u);
  EXPECT_EQ(all.cells_returned, 2u);
  EXPECT_EQ(all.blocks_cached, 1u) << "the block that the point read left in the cache";
  // The table's totals are the sum of the reads.
  ReadCounters totals = store_->host()->TableReads()["t"];
  one.Add(all);
  for (const ReadCounterField& entry : kReadCounterFields) {
    EXPECT_EQ(totals.*entry.field, one.*entry.field) << entry.name;
  }
}

TEST_F(ReadCountersTest, AnAbsentColumnCostsNoBlock) {
  Create();
  for (int row = 0; row < 100; ++row) Put(fmt::format("r{:03}", row), "a", "there", 1);
  Flush();
  ReadCounters present = Count(Cell("r050", "a", "there"));
  EXPECT_EQ(present.cells_returned, 1u);
  EXPECT_EQ(present.files_read, 1u);
  uint64_t blocks = 0;
  for (int row = 0; row < 100; ++row) {
    ReadCounters absent = Count(Cell(fmt::format("r{:03}", row), "a", "not there"));
    EXPECT_EQ(absent.cells_returned, 0u);
    blocks += absent.blocks_from_disk + absent.blocks_cached;
  }
  EXPECT_LE(blocks, 5u) << "more than the filter's false positives";
}

TEST_F(ReadCountersTest, ADeletedRowOpensItsFileForTheTombstone) {
  Create();
  Put("r", "a", "q", 1);
  Flush();
  RowMutation mutation;
  mutation.row = "r";
  mutation.DeleteRow();
  ASSERT_TRUE(store_->Apply("t", {&mutation}).front().ok());
  Flush();
  ReadCounters counters = Count(Cell("r", "a", "q"));
  EXPECT_EQ(counters.files_read, 2u);
  EXPECT_EQ(counters.cells_returned, 0u);
}

TEST_F(ReadCountersTest, FilesAndBlocksOfOtherTimesAreLeftOut) {
  Create();
  for (int row = 0; row < 100; ++row) Put(fmt::format("r{:03}", row), "a", "q", row);
  Flush();
  for (int row = 0; row < 100; ++row) Put(fmt::format("r{:03}", row), "a", "q", 1000 + row);
  Flush();
  ReadSpec recent;
  recent.time = {1050, kTimeMax};
  ReadCounters counters = Count(recent);
  EXPECT_EQ(counters.files_by_time, 1u);
  EXPECT_GT(counters.blocks_by_time, 0u);
  EXPECT_EQ(counters.cells_returned, 50u);
  ReadSpec old;
  old.time = {0, 50};
  counters = Count(old);
  EXPECT_EQ(counters.files_by_time, 1u);
  EXPECT_EQ(counters.cells_returned, 50u);
}

TEST_F(ReadCountersTest, AnInMemoryGroupIsReadFromDiskOnce) {
  Create();
  BookTable table = *store_->GetTable("t");
  table.schema.FindGroup("second")->in_memory = true;
  ASSERT_TRUE(store_->AlterTable(table.schema, table.schema_version).ok());
  for (int row = 0; row < 100; ++row) Put(fmt::format("r{:03}", row), "b", "q", 1);
  Flush();
  EXPECT_EQ(store_->host()->cache_stats().pinned_bytes, 0u) << "loaded at the first read";
  ReadCounters first = Count(Cell("r000", "b", "q"));
  EXPECT_EQ(first.blocks_from_disk, 1u);
  ReadCounters again = Count(Cell("r000", "b", "q"));
  EXPECT_EQ(again.blocks_from_disk + again.blocks_cached, 0u);
  EXPECT_EQ(again.blocks_pinned, 1u);
  EXPECT_EQ(again.cells_returned, 1u);
  (void)Count({});  // a scan loads the remaining blocks
  ReadCounters scan = Count({});
  EXPECT_EQ(scan.blocks_from_disk, 0u);
  EXPECT_GT(scan.blocks_pinned, 5u);
  EXPECT_EQ(scan.cells_returned, 100u);
  EXPECT_EQ(store_->host()->cache_stats().bytes, 0u) << "not cached a second time";
  EXPECT_GT(store_->host()->cache_stats().pinned_bytes, 50'000u);
  // The pinned bytes are freed with the file.
  ASSERT_TRUE(store_->CompactMajor("t", "second").ok());
  EXPECT_EQ(store_->host()->cache_stats().pinned_bytes, 0u);
}

TEST_F(ReadCountersTest, WhatDoesNotFitIntoMemoryIsCached) {
  pinned_blocks_size_ = 10'000;
  Open();
  Create();
  BookTable table = *store_->GetTable("t");
  table.schema.FindGroup("second")->in_memory = true;
  ASSERT_TRUE(store_->AlterTable(table.schema, table.schema_version).ok());
  for (int row = 0; row < 100; ++row) Put(fmt::format("r{:03}", row), "b", "q", 1);
  Flush();
  for (int round = 0; round < 2; ++round) {
    ReadCounters sum;
    for (int row = 0; row < 100; ++row) sum.Add(Count(Cell(fmt::format("r{:03}", row), "b", "q")));
    EXPECT_EQ(sum.cells_returned, 100u);
    EXPECT_EQ(sum.blocks_from_disk > 0, round == 0);
    EXPECT_GT(sum.blocks_pinned, 0u);
    EXPECT_GT(sum.blocks_cached, 0u);
  }
  EXPECT_GT(store_->host()->cache_stats().pins_refused, 0u);
  EXPECT_LE(store_->host()->cache_stats().pinned_bytes, 10'000u);
}

// The newer version makes the older one garbage, so its file must not be skipped.
TEST_F(ReadCountersTest, NewerFilesCountWhereTheRuleCountsVersions) {
  Create(GcPolicy::MaxVersions(1));
  Put("r", "a", "q", 1);
  Flush();
  Put("r", "a", "q", 1000);
  Flush();
  ReadSpec old;
  old.time = {0, 50};
  ReadCounters counters = Count(old);
  EXPECT_EQ(counters.files_by_time, 0u);
  EXPECT_EQ(counters.cells_returned, 0u);
  ReadSpec recent;
  recent.time = {50, kTimeMax};
  counters = Count(recent);
  EXPECT_EQ(counters.files_by_time, 1u);
  EXPECT_EQ(counters.cells_returned, 1u);
}

}  // namespace
}  // namespace sippar::engine
