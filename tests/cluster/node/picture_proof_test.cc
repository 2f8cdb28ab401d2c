// A start checks its picture of the store while the master and the servers work: files that these
// remove meanwhile, after their records, are not losses.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/picture_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/api/store_paths.h"
#include "engine/fs/memory_file_system.h"
#include "engine/log/log_seal.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDirectory[] = "/db";

// METADATA with one tablet, whose table file and SSTable are missing. The record disappears after
// `scans` scans. `owners`: the first of them that no scan has named yet has the SSTable.
class EndingRecord final : public MetadataTable {
 public:
  EndingRecord(int scans, std::vector<uint64_t> owners) : scans_(scans), owners_(owners) {}
  void SetLogs(const std::vector<ServerId>& logs, const ServerId& server) {
    logs_ = logs;
    server_ = server;
  }

  Status Scan(uint64_t, uint64_t, const std::function<bool(TabletRecord record)>& visit) override {
    if (--scans_ < 0) return OkStatus();
    TabletRecord record;
    record.table_id = owners_.front();
    record.tablet_id = 42;
    record.logs = logs_;
    record.server = server_;
    if (owners_.size() > 1) owners_.erase(owners_.begin());
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
  std::vector<uint64_t> owners_;
  std::vector<ServerId> logs_;
  ServerId server_;
};

// The losses of logs, for one tablet whose record names `logs` and `server`. `sealed`: logs that
// exist.
std::vector<std::string> LostLogs(const std::vector<ServerId>& logs, const ServerId& server,
                                  const std::vector<ServerId>& sealed) {
  engine::MemoryFileSystem fs;
  EXPECT_OK(fs.CreateDir(kDirectory));
  EXPECT_OK(fs.CreateDir(store_paths::Sstables(kDirectory)));
  EXPECT_OK(fs.CreateDir(store_paths::Logs(kDirectory)));
  for (const ServerId& life : sealed) {
    EXPECT_OK(fs.CreateDir(store_paths::SealedLog(kDirectory, life)));
    EXPECT_OK(engine::SealLog(&fs, store_paths::SealedLog(kDirectory, life), 1).status());
  }
  auto locks =
      *EmbeddedLockService::Open(&fs, store_paths::Locks(kDirectory), engine::Clock::System());
  EndingRecord metadata(1'000, {77});
  metadata.SetLogs(logs, server);
  Findings findings;
  EXPECT_OK(
      ProvePicture(&fs, kDirectory, &metadata, locks.get(), /*epoch_end=*/10, &findings).status());
  std::erase_if(findings.losses, [](const auto& loss) { return !loss.starts_with("log "); });
  return findings.losses;
}

Findings FindingsOf(int scans, std::vector<uint64_t> owners = {77}) {
  engine::MemoryFileSystem fs;
  EXPECT_OK(fs.CreateDir(kDirectory));
  EXPECT_OK(fs.CreateDir(store_paths::Sstables(kDirectory)));
  auto locks =
      *EmbeddedLockService::Open(&fs, store_paths::Locks(kDirectory), engine::Clock::System());
  EndingRecord metadata(scans, std::move(owners));
  Findings findings;
  EXPECT_OK(
      ProvePicture(&fs, kDirectory, &metadata, locks.get(), /*epoch_end=*/10, &findings).status());
  return findings;
}

TEST(PictureProof, WhatMetadataNamesAndIsMissingIsALoss) {
  EXPECT_THAT(FindingsOf(1'000).losses,
              ElementsAre(HasSubstr("/db/lock/tables+77 is missing"), HasSubstr("it is missing")));
}

// A start after a kill in the middle of a drop failed once: the master removed the last record and
// the table's file between the two readings.
TEST(PictureProof, ADropThatEndsMeanwhileIsNoLoss) {
  EXPECT_THAT(FindingsOf(1).losses, ElementsAre());
  EXPECT_THAT(FindingsOf(0).losses, ElementsAre());
}

// Two tables share the SSTable, and one of them is dropped between the two readings. The finding of
// the second reading then names the other table.
TEST(PictureProof, AFileOfTwoOwnersIsALossWhenOneOfThemEnds) {
  EXPECT_THAT(FindingsOf(1'000, {77, 78}).losses,
              ElementsAre(AllOf(HasSubstr("sstable"), HasSubstr("it has data of table 78"))));
}

// The start passed once without a log that a record names, and the tablet never loaded.
TEST(PictureProof, AMissingLogThatARecordNamesIsALoss) {
  const ServerId first{"s1", 2};
  const ServerId second{"s1", 3};
  EXPECT_THAT(LostLogs({first, second}, {}, {second}),
              ElementsAre(AllOf(HasSubstr(store_paths::SealedLog(kDirectory, first)),
                                HasSubstr("it is missing"), HasSubstr("tablet 42"))));
  EXPECT_THAT(LostLogs({first, second}, {}, {first, second}), ElementsAre());
}

// The life is running, or a recovery has renamed its log and not sealed it yet.
TEST(PictureProof, TheLogOfTheRecordsServerNeedsNoSeal) {
  EXPECT_THAT(LostLogs({}, {"s1", 4}, {}), ElementsAre());
}

}  // namespace
}  // namespace sippar::cluster
