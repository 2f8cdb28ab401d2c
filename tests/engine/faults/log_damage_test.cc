// Rows D1, D2, D11, D12, D22: a start with a torn, damaged or incomplete log.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/coding.h"
#include "engine/log/log_format.h"
#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

TEST_F(FaultRows, D1_ATornTailIsCutAtTheLastWholeRecordAndCounted) {
  OpenAndCreate();
  PutRows(0, 5);
  std::string log = Files("*.log").front();
  std::string content = *ReadFile(&memory_, log);
  std::vector<size_t> ends;  // ends of the rows' records
  for (size_t at = 0; at < content.size();) {
    at += kLogRecordHeaderSize + GetFixed32(content.data() + at + 4);
    ends.push_back(at);
  }
  ASSERT_EQ(ends.size(), 6u) << "the segment's header and five rows";
  for (size_t cut = ends[0]; cut <= content.size(); ++cut) {
    SCOPED_TRACE(cut);
    std::unique_ptr<MemoryFileSystem> disk = Disk();
    ASSERT_TRUE(ReplaceFile(disk.get(), log, content.substr(0, cut)).ok());
    // REACH would show that these groups were synced; it never includes a torn group.
    ASSERT_TRUE(disk->Remove("/db/wal/REACH").ok());
    auto next = std::upper_bound(ends.begin(), ends.end(), cut);
    size_t whole = *std::prev(next);
    auto store = OpenOn(disk.get());
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Rows(store->get()), Expected(static_cast<int>(next - ends.begin()) - 1));
    EXPECT_EQ((*store)->metrics()->Get("log_bytes_torn")->value(),
              content.substr(whole, cut - whole).find_last_not_of('\0') + 1);
  }
}

TEST_F(FaultRows, D2_EveryMissingSegmentIsNoticed) {
  options_.log_segment_size = 300;
  OpenAndCreate();
  PutRows(0, 20);
  std::vector<std::string> logs = Files("*.log");
  ASSERT_GE(logs.size(), 4u);
  for (const std::string& log : logs) {
    SCOPED_TRACE(log);
    std::unique_ptr<MemoryFileSystem> disk = Disk();
    ASSERT_TRUE(disk->Remove(log).ok());
    Status status = OpenOn(disk.get()).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(MessageOf(status)),
                testing::AllOf(HasSubstr("missing"), HasSubstr(log.substr(log.rfind('/') + 1))));
  }
}

TEST_F(FaultRows, D11_ASyncThatLiedIsFoundByTheNextSegment) {
  options_.log_segment_size = 600;
  OpenAndCreate();
  Fault("lie sync *-00000001.log 3+");
  PutRows(0, 12);
  ASSERT_GE(Files("*.log").size(), 2u);
  int found = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    std::unique_ptr<MemoryFileSystem> disk = memory_.CrashClone(&random);
    auto store = OpenOn(disk.get());
    if (store.ok()) {
      EXPECT_EQ(Rows(store->get()), Expected(12)) << "lost in silence, seed " << seed;
      continue;
    }
    ++found;
    EXPECT_EQ(store.status().code(), StatusCode::kDataLoss) << store.status();
    EXPECT_THAT(std::string(MessageOf(store.status())), HasSubstr("-00000001.log"));
  }
  EXPECT_GT(found, 10);
}

TEST_F(FaultRows, D12_AReadOfTheLogIsTriedAgain) {
  options_.log_segment_size = 300;
  OpenAndCreate();
  PutRows(0, 20);
  store_.reset();
  uint64_t hits = 0;
  for (int n = 1; n <= 20; ++n) {
    Fault(fmt::format("fail read *.log {}", n));
    Fault(fmt::format("fail open *.log {}", 2 * n));
    uint64_t faults = fs_.faults();
    auto store = OpenOn(&fs_);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Rows(store->get()), Expected(20)) << n;
    hits += fs_.faults() - faults;
    fs_.ClearRules();
  }
  EXPECT_GE(hits, 16u);
}

TEST_F(FaultRows, D12_AReadErrorOfTheLogStopsTheStartAndSkipsNothing) {
  options_.log_segment_size = 300;
  OpenAndCreate();
  PutRows(0, 20);
  store_.reset();
  int failed = 0;
  for (int n = 1; failed == n - 1; ++n) {
    fs_.ClearRules();
    Fault(fmt::format("fail read *.log {}+", n));
    auto store = OpenOn(&fs_);
    if (!store.ok()) {
      ++failed;
      EXPECT_EQ(store.status().code(), StatusCode::kUnavailable) << store.status();
      EXPECT_THAT(std::string(MessageOf(store.status())), HasSubstr(".log"));
      fs_.ClearRules();
      store = OpenOn(&fs_);
      ASSERT_TRUE(store.ok()) << store.status();
    }
    EXPECT_EQ(Rows(store->get()), Expected(20)) << n;
  }
  EXPECT_GE(failed, 8) << "each segment is read, its header and itself";
}

TEST_F(FaultRows, D22_ASegmentOfNothingOrZerosIsNoRecord) {
  OpenAndCreate();
  PutRows(0, 5);
  for (size_t size : {0, 1, 100, 5000}) {
    std::unique_ptr<MemoryFileSystem> disk = Disk();
    std::string next = "/db/wal/0000000000000001-00000002.log";
    ASSERT_TRUE(ReplaceFile(disk.get(), next, std::string(size, '\0')).ok());
    for (int start = 0; start < 2; ++start) {
      auto store = OpenOn(disk.get());
      ASSERT_TRUE(store.ok()) << size << " " << store.status();
      EXPECT_EQ(Rows(store->get()), Expected(5)) << size;
      EXPECT_EQ((*store)->metrics()->Get("log_bytes_torn")->value(), 0u);
    }
    EXPECT_FALSE(*disk->Exists(next));
  }
}

}  // namespace
}  // namespace sippar::engine
