// The file REACH: it is durable before a segment is deleted, and its sync blocks no writer.
// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_reach.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/log/log_salvage.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

class LogReachTest : public testing::Test {
 protected:
  LogReachTest() : faulty_(&memory_) {
    EXPECT_TRUE(memory_.CreateDir("/wal").ok());
    EXPECT_TRUE(memory_.SyncDir("/").ok());
  }
  std::unique_ptr<LogReachFile> Open(SegmentId first) {
    auto reach = LogReachFile::Open(&faulty_, "/wal", first);
    EXPECT_TRUE(reach.ok()) << reach.status();
    EXPECT_TRUE(memory_.SyncDir("/wal").ok());
    return *std::move(reach);
  }

  MemoryFileSystem memory_;
  FaultFileSystem faulty_;
};

TEST_F(LogReachTest, WhatAnEarlierProcessTrimmedWithoutASyncIsSynced) {
  {
    auto reach = Open({1, 1});
    reach->Reached({1, 2}, 600);
    ASSERT_TRUE(reach->Trim({1, 2}).ok());
    FaultRule rule;
    rule.operation = "patch-sync";
    rule.and_later = true;
    faulty_.AddRule(rule);
    EXPECT_FALSE(reach->Trim({1, 3}).ok());
  }
  faulty_.ClearRules();
  ASSERT_TRUE(Open({1, 3})->Trim({1, 3}).ok());
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    auto reach = ReadLogReach(memory_.CrashClone(&random).get(), "/wal");
    ASSERT_TRUE(reach.ok() && reach->has_value());
    EXPECT_FALSE((*reach)->NeedsLast());
  }
}

// Every group of writes reports how far it reached.
TEST_F(LogReachTest, ASyncKeepsNoWriterWaiting) {
  auto reach = Open({1, 1});
  int syncs = 0;
  faulty_.OnSync([&] {
    ++syncs;
    reach->Reached({1, 2}, 700);
  });
  ASSERT_TRUE(reach->Trim({1, 2}).ok());
  EXPECT_EQ(syncs, 1);
  EXPECT_EQ((*ReadLogReach(&memory_, "/wal"))->length, 700u);
}

// A salvage was killed after it had written its new segment.
TEST_F(LogReachTest, ASegmentThatItAsksForIsMissedBesideANewerOne) {
  Open({1, 1})->Reached({1, 1}, 600);
  ASSERT_TRUE(LogWriter::Create(&memory_, "/wal", {{1, 2}, {}, 0}).ok());
  std::string said;
  auto left = ReadDamagedLog(
      &memory_, "/wal", [](uint64_t) { return std::optional<uint64_t>(0); },
      [&](std::string_view line) { said += line; });
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_EQ(left->damages, 1u) << said;
  EXPECT_NE(said.find(SegmentFileName({1, 1}) + ": is missing"), std::string::npos) << said;
}

}  // namespace
}  // namespace sippar::engine
