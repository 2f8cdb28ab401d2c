// A start proves its picture while the master and the servers work: what they take out of METADATA
// and remove meanwhile is no loss. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/picture_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/api/store_paths.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDirectory[] = "/db";

// METADATA of one tablet, whose table's file and SSTable are missing. Its record is gone after
// `scans` scans.
class EndingRecord final : public MetadataTable {
 public:
  explicit EndingRecord(int scans) : scans_(scans) {}

  Status Scan(uint64_t, uint64_t, const std::function<bool(TabletRecord record)>& visit) override {
    if (--scans_ < 0) return OkStatus();
    TabletRecord record;
    record.table_id = 77;
    engine::FileRef file;
    file.summary.file_id = uint64_t{3} << 32 | 5;
    file.summary.size_bytes = 1'000;
    record.state.groups.emplace_back().runs.emplace_back().files.push_back(file);
    visit(std::move(record));
    return OkStatus();
  }
  StatusOr<TabletRecord> Find(uint64_t, const std::string&) override { return Unused(); }
  Status Write(TabletRecord*, const TabletEvent&) override { return Unused(); }
  Status Add(TabletRecord*, const TabletEvent&) override { return Unused(); }
  Status Erase(const TabletRecord&, const TabletEvent&) override { return Unused(); }
  Status FinishSplit(const TabletRecord&) override { return Unused(); }
  Status Merge(const TabletRecord&, const TabletRecord&, TabletRecord*,
               const TabletEvent&) override {
    return Unused();
  }
  StatusOr<std::vector<PastEvent>> Events(uint64_t) override { return Unused(); }

 private:
  static Status Unused() { return Internal("the proof only scans"); }

  int scans_;
};

Findings FindingsOf(int scans) {
  engine::MemoryFileSystem fs;
  EXPECT_OK(fs.CreateDir(kDirectory));
  EXPECT_OK(fs.CreateDir(store_paths::Sstables(kDirectory)));
  auto locks =
      *EmbeddedLockService::Open(&fs, store_paths::Locks(kDirectory), engine::Clock::System());
  EndingRecord metadata(scans);
  Findings findings;
  EXPECT_OK(
      ProvePicture(&fs, kDirectory, &metadata, locks.get(), /*epoch_end=*/10, &findings).status());
  return findings;
}

TEST(PictureProof, WhatMetadataNamesAndIsMissingIsALoss) {
  EXPECT_THAT(FindingsOf(1'000).losses,
              ElementsAre(HasSubstr("/db/lock/tables+77 is missing"), HasSubstr("it is missing")));
}

// A start that followed a kill in the middle of a drop failed once: the master removed the last
// record and the table's file between the two looks.
TEST(PictureProof, ADropThatEndsMeanwhileIsNoLoss) {
  EXPECT_THAT(FindingsOf(1).losses, ElementsAre());
  EXPECT_THAT(FindingsOf(0).losses, ElementsAre());
}

}  // namespace
}  // namespace sippar::cluster
