// A newest segment with only a header: its writer was killed before the first group.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/base/coding.h"
#include "engine/base/random.h"
#include "engine/fs/memory_file_system.h"
#include "engine/log/commit_log.h"
#include "engine/log/log_chain.h"
#include "engine/log/log_replay.h"
#include "engine/log/log_salvage.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_writer.h"
#include "engine/log/sealed_log.h"

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
  // Writes segment 1.1 with a synced group and, if `in_doubt`, one whose sync was slow or failed.
  // Returns its accepted length.
  uint64_t WriteFirstSegment(bool in_doubt = true) {
    auto writer = *LogWriter::Create(&memory_, "/wal", {{1, 1}, {}, 0});
    writer->Add(BodyOf(1, "synced"));
    EXPECT_TRUE(writer->Write(/*sync=*/true).ok());
    uint64_t accepted = writer->accepted_length();
    writer->Add(BodyOf(2, "in doubt"));
    if (in_doubt) EXPECT_TRUE(writer->Write(/*sync=*/false).ok());
    return accepted;
  }
  void WriteHeader(SegmentId id, uint64_t accepted) {
    EXPECT_TRUE(LogWriter::Create(&memory_, "/wal", {id, {1, 1}, accepted}).ok());
  }
  // Starts epoch `epoch`; returns the replayed rows.
  std::vector<std::string> Start(uint64_t epoch, uint64_t redo = 0) {
    std::vector<std::string> rows;
    auto replayed = ReplayLog(
        &memory_, "/wal", [redo](uint64_t) { return redo; },
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

// A bug that kill_loop.py found: the first start removed the header, and the second found the group
// again.
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

// The header still distinguishes damage in synced data from a torn tail.
TEST_F(LogChainTest, WhatItKnowsToBeSyncedIsMissed) {
  uint64_t accepted = WriteFirstSegment(/*in_doubt=*/false);
  WriteHeader({1, 2}, accepted);
  memory_.FlipByte("/wal/" + SegmentFileName({1, 1}), accepted - 1, 1);
  auto replayed = ReplayLog(
      &memory_, "/wal", [](uint64_t) { return uint64_t{0}; },
      [](const LogRecord&) { return OkStatus(); });
  EXPECT_EQ(replayed.status().code(), StatusCode::kDataLoss) << replayed.status();
  EXPECT_EQ(SealLog(&memory_, "/wal", 1).status().code(), StatusCode::kDataLoss);
  auto salvaged = ReadDamagedLog(
      &memory_, "/wal", [](uint64_t) { return uint64_t{0}; }, [](std::string_view) {});
  ASSERT_TRUE(salvaged.ok()) << salvaged.status();
  EXPECT_EQ(salvaged->damages, 1u);
}

// A log is sealed only once, so the seal must apply the header before it is removed.
TEST_F(LogChainTest, ASealObeysIt) {
  uint64_t accepted = WriteFirstSegment();
  WriteHeader({1, 2}, accepted);
  auto seal = SealLog(&memory_, "/wal", 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  ASSERT_EQ(seal->segments.size(), 1u);
  EXPECT_EQ(seal->segments[0].length, accepted);
}

// A seal counts only durable data: the server's last group may have been only in the machine's
// memory.
TEST_F(LogChainTest, WhatIsSealedIsDurable) {
  uint64_t accepted = WriteFirstSegment();
  EXPECT_TRUE(memory_.SyncDir("/").ok());
  auto seal = SealLog(&memory_, "/wal", 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  ASSERT_EQ(seal->segments.size(), 2u);
  EXPECT_EQ(seal->segments[0].length, accepted);
  EXPECT_EQ(seal->segments[1].id, (SegmentId{1, 2}));
  EXPECT_EQ(seal->LastSequences(), (LogSegments::TabletSequences{{1, 2}}));
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    auto after = memory_.CrashClone(&random);
    for (const SealedSegment& segment : seal->segments) {
      EXPECT_TRUE(ReadSealedSegment(after.get(), "/wal", segment).ok());
    }
  }
}

// A sync of the last group failed before the process was killed, and the operating system calls the
// bytes written that it has dropped. A power loss after the seal then takes them out of the file.
TEST_F(LogChainTest, ASealTrustsNoSyncOfAnEarlierProcess) {
  const std::string path = "/wal/" + SegmentFileName({1, 1});
  const uint64_t accepted = WriteFirstSegment();
  ASSERT_TRUE(SealLog(&memory_, "/wal", 1).ok());
  for (uint64_t at = accepted; at < *memory_.FileSize(path); ++at) memory_.FlipByte(path, at, 0x55);
  auto log = SealedLog::Open(&memory_, "/wal");
  ASSERT_TRUE(log.ok()) << log.status();
  std::vector<std::string> rows;
  auto add = [&](const LogRecord& record) -> Status {
    rows.push_back(record.mutation.row);
    return OkStatus();
  };
  EXPECT_EQ((*log)->Replay(1, 0, add), OkStatus());
  EXPECT_EQ(rows, (std::vector<std::string>{"synced", "in doubt"}));
}

// The process was killed before it had synced the mark.
TEST_F(LogChainTest, AMarkOfACleanEndIsSealedOnlyIfItIsDurable) {
  const uint64_t accepted = WriteFirstSegment(/*in_doubt=*/false);
  const std::string path = "/wal/" + SegmentFileName({1, 1});
  std::string file = *ReadFile(&memory_, path);
  file.resize(accepted);
  AppendLogRecord(&file, "", {SegmentSeed({1, 1}), accepted, accepted});
  ASSERT_TRUE(ReplaceFile(&memory_, path, file).ok());
  auto seal = SealLog(&memory_, "/wal", 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  ASSERT_EQ(seal->segments.size(), 1u);
  EXPECT_EQ(seal->segments[0].length, accepted);
  EXPECT_EQ(seal->LastSequences(), (LogSegments::TabletSequences{{1, 1}}));
}

// A header without a record keeps its number; the records in doubt get the next one.
TEST_F(LogChainTest, ASealReplacesNoSegment) {
  WriteFirstSegment();
  WriteHeader({1, 2}, 0);
  const std::string header = *ReadFile(&memory_, "/wal/" + SegmentFileName({1, 2}));
  auto seal = SealLog(&memory_, "/wal", 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  EXPECT_EQ(*ReadFile(&memory_, "/wal/" + SegmentFileName({1, 2})), header);
}

// A group cuts off the end of the previous segment. If no tablet needs the group, a crash may lose
// it, but the cut must remain: a start records the cut again.
TEST_F(LogChainTest, WhatWasCutOffStaysSo) {
  uint64_t accepted = WriteFirstSegment();
  {
    auto second = *LogWriter::Create(&memory_, "/wal", {{1, 2}, {1, 1}, accepted});
    second->Add(BodyOf(2, "not synced"));
    EXPECT_TRUE(second->Write(/*sync=*/false).ok());
  }
  EXPECT_TRUE(memory_.SyncDir("/").ok());
  EXPECT_TRUE(Start(2, /*redo=*/UINT64_MAX).empty());
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    auto chain = FindLogChain(memory_.CrashClone(&random).get(), "/wal");
    ASSERT_TRUE(chain.ok()) << chain.status();
    for (const LogChain::Segment& segment : chain->segments) {
      if (segment.id == SegmentId{1, 1}) EXPECT_EQ(segment.accepted_length, accepted);
    }
  }
}

TEST_F(LogChainTest, AMarkOfACleanEndIsARecord) {
  uint64_t accepted = WriteFirstSegment();
  auto ended = *LogWriter::Create(&memory_, "/wal", {{1, 2}, {1, 1}, accepted});
  EXPECT_TRUE(ended->Finish().ok());
  EXPECT_EQ(Start(2), std::vector<std::string>{"synced"});
  EXPECT_EQ(Start(3), std::vector<std::string>{"synced"});
}

// No part of such a segment is known to be durable, so the next life does not name it as its
// predecessor.
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
