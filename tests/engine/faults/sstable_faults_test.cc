// Rows D3, D5, D14, D20: SSTables and small files that are damaged, missing, or truncated by a
// power loss.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

TEST_F(FaultRows, D3_ADamagedBlockIsNeitherReadNorCopiedAndTheRestIsServed) {
  OpenAndCreate();
  PutRows(0, 50, 100);
  ASSERT_TRUE(store_->Flush("t").ok());
  store_.reset();
  std::string damaged;  // file of one of the two groups; the reads show which
  damaged = Files("*.sst").front();
  memory_.FlipByte(damaged, 40, 8);
  Open();
  bool in_a = !ReadStatus(Row(0), "a").ok();
  const char* bad = in_a ? "a" : "b";
  const char* good = in_a ? "b" : "a";
  Status status = ReadStatus(Row(0), bad);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(damaged));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("block at offset 0"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("table t, tablet "));
  EXPECT_TRUE(ReadStatus(Row(49), bad).ok()) << "other blocks";
  EXPECT_TRUE(ReadStatus(Row(0), good).ok()) << "the other group";
  auto tablet = store_->Tablets("t")->front();
  EXPECT_EQ(tablet->VerifyFiles().code(), StatusCode::kDataLoss) << "the scrubber finds it";
  std::vector<std::string> before = Files("*.sst");
  EXPECT_EQ(tablet->CompactMajor(bad).code(), StatusCode::kDataLoss);
  EXPECT_EQ(Files("*.sst"), before);
  PutRows(50, 60);
  EXPECT_TRUE(store_->Flush("t").ok());
  EXPECT_TRUE(ReadStatus(Row(55), bad).ok());
}

TEST_F(FaultRows, D5_ABitThatChangesOnTheWayToTheDiskIsFoundBeforeTheLogGoes) {
  options_.paranoid_flush = true;
  OpenAndCreate();
  PutRows(0, 50, 100);
  uint64_t faults = 0;
  for (int n = 1; fs_.faults() == faults; ++n, ++faults) {
    fs_.ClearRules();
    Fault(fmt::format("flip write *.sst* {}", n));
    Status status = store_->Flush("t");
    EXPECT_EQ(Rows(), Expected(50, 100));
    if (fs_.faults() == faults) {
      EXPECT_TRUE(status.ok()) << status;
      break;
    }
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
    EXPECT_TRUE(Files("*.sst").empty()) << "a file that lies is not kept";
  }
  EXPECT_GE(faults, 2u) << "each group's file";
  Open();
  EXPECT_EQ(Rows(), Expected(50, 100));
  EXPECT_TRUE(store_->Tablets("t")->front()->VerifyFiles().ok());
}

TEST_F(FaultRows, D14_AReplacedFileIsTheOldOrTheNewOneAfterAPowerLoss) {
  ASSERT_TRUE(memory_.CreateDir("/d").ok());
  ASSERT_TRUE(memory_.SyncDir("/").ok());
  std::string old_content(700, 'o');
  std::string new_content(900, 'n');
  ASSERT_TRUE(ReplaceFile(&fs_, "/d/file", old_content).ok());
  uint64_t calls = fs_.calls();
  ASSERT_TRUE(ReplaceFile(&fs_, "/d/file", old_content).ok());
  calls = fs_.calls() - calls;
  bool seen_old = false;
  bool seen_new = false;
  // The power is lost at the n-th call, or after all of them.
  for (uint64_t n = 1; n <= calls + 1; ++n) {
    ASSERT_TRUE(ReplaceFile(&memory_, "/d/file", old_content).ok());
    fs_.ClearRules();
    Fault(fmt::format("fail any * {}+", n));
    bool replaced = ReplaceFile(&fs_, "/d/file", new_content).ok();
    EXPECT_EQ(replaced, n > calls);
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      Random random(seed);
      auto found = ReadFile(memory_.CrashClone(&random).get(), "/d/file");
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_TRUE(*found == new_content || (!replaced && *found == old_content)) << n;
      (*found == new_content ? seen_new : seen_old) = true;
    }
  }
  EXPECT_TRUE(seen_old && seen_new);
}

TEST_F(FaultRows, D20_AnSstableDeletedByHandIsNamedAndOtherGroupsAreServed) {
  OpenAndCreate();
  PutRows(0, 10);
  ASSERT_TRUE(store_->Flush("t").ok());
  store_.reset();
  std::unique_ptr<MemoryFileSystem> image = Disk();
  std::vector<std::string> files = Files("*.sst");
  ASSERT_EQ(files.size(), 2u);
  for (const std::string& file : files) {
    Random random(1);
    std::unique_ptr<MemoryFileSystem> disk = image->CrashClone(&random);
    store_ = std::move(*OpenOn(disk.get()));  // opens no SSTable
    ASSERT_TRUE(disk->Remove(file).ok());
    int lost = 0;
    for (const char* family : {"a", "b"}) {
      Status status = ReadStatus(Row(3), family);
      if (status.ok()) continue;
      ++lost;
      EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
      EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(file));
    }
    EXPECT_EQ(lost, 1);
    EXPECT_TRUE(Put("new", "x").ok());
    store_.reset();
    Status start = OpenOn(disk.get()).status();
    EXPECT_EQ(start.code(), StatusCode::kDataLoss) << start;
    EXPECT_THAT(std::string(MessageOf(start)), HasSubstr(file));
  }
}

}  // namespace
}  // namespace sippar::engine
