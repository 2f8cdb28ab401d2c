// METADATA in a store of its own, for tests that add records, split tablets and scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/location/meta_row.h"
#include "cluster/location/metadata_table.h"
#include "tests/cluster/location/random_record.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/support/store_data.h"

namespace sippar::cluster {

class MetadataTableTest : public testing::Test {
 protected:
  MetadataTableTest() : session_(lock_.Session("test")) {
    engine::StoreOptions options;
    options.fs = &fs_;
    options.clock = &lock_.clock;
    options.background = false;
    auto opened = engine::HostedTables::Open("/store", options);
    EXPECT_OK(opened);
    store_ = std::move(*opened);
    EXPECT_OK(store_->CreateTable(MetadataSchema(), {}));
    data_ = std::make_unique<StoreData>(store_.get(), &lock_.clock);
    table_ = NewMetadataTable(data_.get(), session_.get());
  }

  std::vector<TabletRecord> Records(uint64_t first = 2, uint64_t last = ~uint64_t{0}) {
    std::vector<TabletRecord> records;
    EXPECT_OK(table_->Scan(first, last, [&](TabletRecord record) {
      records.push_back(std::move(record));
      return true;
    }));
    return records;
  }
  // Prints "[start,limit)#tablet" for each record.
  std::string Print(uint64_t first = 2, uint64_t last = ~uint64_t{0}) {
    std::string text;
    for (const TabletRecord& record : Records(first, last)) {
      text += fmt::format("{}[{},{})#{}", text.empty() ? "" : " ", record.range.start,
                          record.range.limit, record.tablet_id);
    }
    return text;
  }
  void Add(uint64_t table_id, const engine::RowRange& range, uint64_t tablet_id) {
    TabletRecord record = NewRecord(table_id, range, tablet_id);
    EXPECT_OK(table_->Add(&record, kMade));
  }
  TabletRecord Find(uint64_t table_id, const std::string& row) {
    auto found = table_->Find(table_id, row);
    EXPECT_OK(found);
    return found.ok() ? *found : TabletRecord();
  }
  // Commits a split as the tablet's server does.
  TabletRecord CommitSplit(uint64_t table_id, const std::string& row, uint64_t left,
                           uint64_t right) {
    TabletRecord record = Find(table_id, row);
    SplitRecord split{record.state, record.state};
    split.left.tablet_id = left;
    split.left.range.limit = row;
    split.right.tablet_id = right;
    split.right.range.start = row;
    record.split = split;
    ++record.tablet_epoch;
    EXPECT_OK(table_->Write(&record, {"split", "at " + row}));
    return record;
  }

  const TabletEvent kMade{"made", "by a test"};
  LockWorld lock_;
  engine::MemoryFileSystem fs_;
  std::shared_ptr<LockSession> session_;
  std::unique_ptr<engine::HostedTables> store_;
  std::unique_ptr<StoreData> data_;
  std::unique_ptr<MetadataTable> table_;
};

}  // namespace sippar::cluster
