// A newest segment that is a header and nothing else: its writer was killed before the first group.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/base/coding.h"
#include "engine/fs/memory_file_system.h"
#include "engine/log/commit_log.h"
#include "engine/log/log_replay.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

class LogChainTest : public testing::Test {
 protected:
  LogChainTest() { EXPECT_TRUE(memory_.CreateDir("/wal").ok()); }

  static std::string BodyOf(uint64_t sequence, const std::string& row) {
    std::string body;
    PutFixed64(&body, sequence);
    RowMutation mutation(row);
    AppendLogBody(&body, 1, 0, mutation.Set("f", "q", "v", 1));
    return body;
  }
  // Segment 1.1: a synced group, and one whose sync was slow or failed. Its accepted length.
  uint64_t WriteFirstSegment() {
    auto writer = *LogWriter::Create(&memory_, "/wal", {{1, 1}, {}, 0});
    writer->Add(BodyOf(1, "synced"));
    EXPECT_TRUE(writer->Write(/*sync=*/true).ok());
    uint64_t accepted = writer->accepted_length();
    writer->Add(BodyOf(2, "in doubt"));
    EXPECT_TRUE(writer->Write(/*sync=*/false).ok());
    return accepted;
  }
  void WriteHeader(SegmentId id, uint64_t accepted) {
    EXPECT_TRUE(LogWriter::Create(&memory_, "/wal", {id, {1, 1}, accepted}).ok());
  }
  // A start of epoch `epoch`: its rows.
  std::vector<std::string> Start(uint64_t epoch) {
    std::vector<std::string> rows;
    auto replayed = ReplayLog(
        &memory_, "/wal", [](uint64_t) { return uint64_t{0}; },
        [&](const LogRecord& record) -> Status {
          rows.push_back(record.mutation.row);
          return OkStatus();
        });
    EXPECT_TRUE(replayed.ok()) << replayed.status();
    if (!replayed.ok()) return {};
    CommitLogOptions options;
    options.fs = &memory_;
    options.directory = "/wal";
    options.epoch = epoch;
    options.metrics = &metrics_;
    options.clock = Clock::System();
    CommitLog log(options, replayed->last, replayed->last_length, replayed->segments,
                  replayed->in_doubt);
    EXPECT_TRUE(log.Settle().ok());
    for (const std::string& name : replayed->unused) {
      EXPECT_TRUE(memory_.Remove("/wal/" + name).ok());
    }
    EXPECT_TRUE(log.Close().ok());
    return rows;
  }

  MemoryFileSystem memory_;
  Metrics metrics_;
};

// Found by kill_loop.py: the first start removed the header, the second found the group again.
TEST_F(LogChainTest, EveryStartGivesTheSame) {
  uint64_t accepted = WriteFirstSegment();
  WriteHeader({1, 2}, accepted);
  WriteHeader({1, 3}, accepted);
  std::vector<std::string> first = Start(2);
  EXPECT_EQ(first, (std::vector<std::string>{"synced", "in doubt"}));
  EXPECT_EQ(Start(3), first);
  EXPECT_EQ(Start(4), first);
}

TEST_F(LogChainTest, AHeaderOfTheFirstSegmentAloneIsAnEmptyLog) {
  WriteHeader({1, 1}, 0);
  EXPECT_TRUE(Start(2).empty());
  EXPECT_TRUE(memory_.List("/wal")->empty());
}

// It still tells damage in what was synced from a torn tail.
TEST_F(LogChainTest, WhatItKnowsToBeSyncedIsMissed) {
  uint64_t accepted = WriteFirstSegment();
  WriteHeader({1, 2}, accepted);
  memory_.FlipByte("/wal/" + SegmentFileName({1, 1}), accepted - 1, 1);
  auto replayed = ReplayLog(
      &memory_, "/wal", [](uint64_t) { return uint64_t{0}; },
      [](const LogRecord&) { return OkStatus(); });
  EXPECT_EQ(replayed.status().code(), StatusCode::kDataLoss) << replayed.status();
  EXPECT_EQ(SealLog(&memory_, "/wal", 1).status().code(), StatusCode::kDataLoss);
}

TEST_F(LogChainTest, AMarkOfACleanEndIsARecord) {
  uint64_t accepted = WriteFirstSegment();
  auto ended = *LogWriter::Create(&memory_, "/wal", {{1, 2}, {1, 1}, accepted});
  EXPECT_TRUE(ended->Finish().ok());
  EXPECT_EQ(Start(2), std::vector<std::string>{"synced"});
  EXPECT_EQ(Start(3), std::vector<std::string>{"synced"});
}

// Nothing of a segment is known to be durable: the next life does not name it as its predecessor.
TEST_F(LogChainTest, ItIsNoPredecessor) {
  uint64_t accepted = WriteFirstSegment();
  WriteHeader({1, 2}, accepted);
  auto replayed = ReplayLog(
      &memory_, "/wal", [](uint64_t) { return uint64_t{0}; },
      [](const LogRecord&) { return OkStatus(); });
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(replayed->last, (SegmentId{1, 1}));
  EXPECT_EQ(replayed->last_length, accepted);
  EXPECT_EQ(replayed->in_doubt.size(), 1u);
  EXPECT_EQ(replayed->unused, std::vector<std::string>{SegmentFileName({1, 2})});
}

}  // namespace
}  // namespace sippar::engine
