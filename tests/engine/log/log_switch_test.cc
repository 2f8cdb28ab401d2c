// The two log writers, the steps of an acknowledgement (W1-W5), parallel replay, printing.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/coding.h"
#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/log/commit_log.h"
#include "engine/log/log_dump.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_replay.h"
#include "engine/log/log_seal.h"

namespace sippar::engine {
namespace {

// The log of one tablet's writer, on a file system with faults.
class LogSwitchTest : public testing::Test {
 protected:
  LogSwitchTest() : faulty_(&memory_) {
    EXPECT_TRUE(memory_.CreateDir("/wal").ok());
    EXPECT_TRUE(memory_.SyncDir("/").ok());
  }

  CommitLogOptions Options() {
    CommitLogOptions options;
    options.fs = &faulty_;
    options.directory = "/wal";
    options.epoch = 1;
    options.metrics = &metrics_;
    options.clock = Clock::System();
    return options;
  }

  void AddRule(const std::string& text) {
    auto rule = FaultRule::Parse(text);
    ASSERT_TRUE(rule.ok()) << rule.status();
    EXPECT_EQ(rule->Print(), text);
    faulty_.AddRule(*rule);
  }

  Status Put(CommitLog* log, const std::string& row, std::function<void(uint64_t)> apply) {
    CommitLog::Write write;
    write.tablet_id = 1;
    write.body.assign(8, '\0');
    RowMutation mutation(row);
    AppendLogBody(&write.body, 1, 0, mutation.Set("f", "q", "v", 1));
    write.entry_count = 1;
    write.next_sequence = &next_sequence_;
    write.apply = std::move(apply);
    CommitLog::Write* pointer = &write;
    return log->Append({&pointer, 1});
  }

  // Returns the rows in the order of their numbers, which must run from 1 without gaps.
  static std::vector<std::string> Replayed(FileSystem* fs) {
    std::vector<std::string> rows;
    auto log = ReplayLog(
        fs, "/wal", [](uint64_t) { return uint64_t{0}; },
        [&](const LogRecord& record) -> Status {
          if (record.first_sequence <= rows.size()) return OkStatus();
          EXPECT_EQ(record.first_sequence, rows.size() + 1) << "a gap";
          rows.push_back(record.mutation.row);
          return OkStatus();
        });
    EXPECT_TRUE(log.ok()) << log.status();
    return rows;
  }

  MemoryFileSystem memory_;
  FaultFileSystem faulty_;
  Metrics metrics_;
  uint64_t next_sequence_ = 1;
};

TEST(SyncHistoryTest, SlowIsEightTimesTheMedianButNeverBelowTheFloor) {
  SyncHistory history;
  EXPECT_EQ(history.SlowMicros(), SyncHistory::kFloorMicros);
  history.Add(100);
  EXPECT_EQ(history.MedianMicros(), 100);
  EXPECT_EQ(history.SlowMicros(), SyncHistory::kFloorMicros);
  for (int i = 0; i < 10; ++i) history.Add(20'000);
  history.Add(5'000'000);
  EXPECT_EQ(history.MedianMicros(), 20'000);
  EXPECT_EQ(history.SlowMicros(), 160'000);
  for (int i = 0; i < 40; ++i) history.Add(90);  // replaces the old times
  EXPECT_EQ(history.MedianMicros(), 90);
  EXPECT_EQ(history.SlowMicros(), SyncHistory::kFloorMicros);
}

TEST_F(LogSwitchTest, AnAcknowledgementIsAppendSyncFenceApplyAnswer) {
  std::vector<std::string> calls;
  CommitLogOptions options = Options();
  options.fence = [&] {
    calls.emplace_back("fence");
    return OkStatus();
  };
  CommitLog log(options, {}, 0, {});
  ASSERT_TRUE(Put(&log, "first", [](uint64_t) {}).ok());  // creates the segment
  calls.clear();
  faulty_.OnSync([&] {
    EXPECT_EQ(Replayed(&memory_).size(), 2u) << "appended before the sync";
    calls.emplace_back("sync");
  });
  ASSERT_TRUE(Put(&log, "second", [&](uint64_t) { calls.emplace_back("apply"); }).ok());
  calls.emplace_back("answer");
  EXPECT_EQ(calls, (std::vector<std::string>{"sync", "fence", "apply", "answer"}));
}

TEST_F(LogSwitchTest, NothingBecomesVisibleWhenTheFenceFailsNorEverAfter) {
  bool owner = true;
  CommitLogOptions options = Options();
  options.fence = [&] { return owner ? OkStatus() : FailedPrecondition("no longer the owner"); };
  CommitLog log(options, {}, 0, {});
  int applied = 0;
  auto apply = [&](uint64_t) { ++applied; };
  ASSERT_TRUE(Put(&log, "mine", apply).ok());
  owner = false;
  EXPECT_EQ(Put(&log, "late", apply).code(), StatusCode::kFailedPrecondition);
  owner = true;  // rejected even so, because the log has ended
  EXPECT_EQ(Put(&log, "later", apply).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(applied, 1);
}

// Returns the sorted latencies of `threads` writers with `writes` writes each.
template <typename PutRow>
std::vector<int64_t> Latencies(int threads, int writes, PutRow put_row) {
  std::vector<std::vector<int64_t>> each(static_cast<size_t>(threads));
  {
    std::vector<Thread> running;
    for (size_t t = 0; t < each.size(); ++t) {
      running.emplace_back("writer", [&, t] {
        for (int i = 0; i < writes; ++i) {
          int64_t start = Clock::System()->MonotonicNanos();
          put_row(fmt::format("{}-{}", t, i));
          each[t].push_back((Clock::System()->MonotonicNanos() - start) / 1000);
        }
      });
    }
  }
  std::vector<int64_t> all;
  for (const auto& some : each) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST_F(LogSwitchTest, ASlowSyncDelaysOneWriterAndPowerLossAtAnyTimeLosesNothing) {
  CommitLogOptions options = Options();
  options.two_writers = true;
  AddRule("delay:800 sync *-00000001.log 20+");
  Mutex mutex;
  std::vector<std::string> acknowledged;
  std::vector<std::string> applied;  // only the current leader adds to it
  Random crash(7);
  int clones = 0;
  auto check_clone = [&] {
    MutexLock lock(&mutex);
    std::unique_ptr<MemoryFileSystem> clone = memory_.CrashClone(&crash);
    std::vector<std::string> rows = Replayed(clone.get());
    std::sort(rows.begin(), rows.end());
    for (const std::string& row : acknowledged) {
      EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row << " is lost";
    }
    ++clones;
  };
  faulty_.OnSync(check_clone);
  std::vector<int64_t> times;
  {
    CommitLog log(options, {}, 0, {});
    times = Latencies(4, 50, [&](const std::string& row) {
      ASSERT_TRUE(Put(&log, row, [&](uint64_t) { applied.push_back(row); }).ok());
      MutexLock lock(&mutex);
      acknowledged.push_back(row);
    });
    EXPECT_TRUE(log.Close().ok());
  }
  EXPECT_GE(metrics_.Get("log_switches")->value(), 1u);
  // Only the leader that runs the slow sync waits for it.
  EXPECT_LT(times[times.size() - 2], 500'000) << "all but the leader go on in the other segment";
  EXPECT_GE(times.back(), 800'000);
  EXPECT_GT(clones, 50);
  faulty_.OnSync({});
  EXPECT_EQ(applied.size(), 200u);
  EXPECT_EQ(Replayed(&memory_), applied) << "late bytes in the slow segment are not read";
  EXPECT_GT(memory_.List("/wal")->size(), 1u);
}

TEST_F(LogSwitchTest, WhenTheOtherWriterFailsTheGroupFailsAndTheLogGoesOn) {
  CommitLogOptions options = Options();
  options.two_writers = true;
  CommitLog log(options, {}, 0, {});
  std::vector<std::string> applied;
  auto put = [&](const std::string& row) {
    return Put(&log, row, [&, row](uint64_t) { applied.push_back(row); });
  };
  ASSERT_TRUE(put("a").ok());
  AddRule("delay:300 sync *-00000001.log 1");
  AddRule("fail sync *-00000002.log 1");
  EXPECT_EQ(put("unknown").code(), StatusCode::kUnavailable);
  ASSERT_TRUE(put("b").ok());
  EXPECT_EQ(applied, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(log.Close().ok());
  EXPECT_EQ(Replayed(&memory_), applied) << "the number of the failed group was given again";
}

TEST_F(LogSwitchTest, ALongLogIsReplayedInTheOrderOfEachTablet) {
  constexpr uint64_t kTablets = 7;
  constexpr int kRecords = 6000;  // about 3 MB, so that several threads read them
  Random random(3);
  std::vector<uint64_t> written(kTablets, 0);
  SegmentHeader header{{1, 1}, {}, 0};
  auto writer = *LogWriter::Create(&memory_, "/wal", header);
  for (int i = 0; i < kRecords; ++i) {
    uint64_t tablet = random.Uniform(kTablets);
    std::string body;
    PutFixed64(&body, ++written[tablet]);
    RowMutation mutation(fmt::format("row{}", i));
    AppendLogBody(&body, tablet, i, mutation.Set("f", "q", std::string(500, 'v'), 1));
    writer->Add(body);
    if (i % 500 == 499) {
      ASSERT_TRUE(writer->Write(true).ok());
      header = {{1, header.id.number + 1}, header.id, writer->accepted_length()};
      ASSERT_TRUE(writer->Finish().ok());
      writer = *LogWriter::Create(&memory_, "/wal", header);
    }
  }
  ASSERT_TRUE(writer->Finish().ok());
  // Each element belongs to one tablet and so to one thread.
  std::vector<uint64_t> replayed(kTablets, 0);
  replayed[2] = 400;
  auto redo_of = [](uint64_t tablet) -> uint64_t {
    return tablet == 2 ? 400 : tablet == 5 ? UINT64_MAX : 0;
  };
  auto log = ReplayLog(&memory_, "/wal", redo_of, [&](const LogRecord& record) -> Status {
    uint64_t& last = replayed[record.tablet_id];
    if (record.first_sequence != last + 1) return DataLoss("out of order");
    ++last;
    return OkStatus();
  });
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(replayed[5], 0u) << "the tablet is gone";
  written[5] = 0;
  EXPECT_EQ(replayed, written);
  EXPECT_EQ(log->last, header.id);
  EXPECT_EQ(log->segments.size(), static_cast<size_t>(kRecords / 500 + 1));
  memory_.FlipByte("/wal/" + SegmentFileName({1, 4}), 5000, 1);
  auto damaged = ReplayLog(&memory_, "/wal", redo_of, [](const LogRecord&) { return OkStatus(); });
  EXPECT_EQ(damaged.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(damaged.status().ToString().find(SegmentFileName({1, 4})), std::string::npos);
}

// The check after the sync fails: the group is on the disk, but was answered with an error and is
// not visible. It must not reappear next to later writes (found by the simulation, seed 114).
TEST_F(LogSwitchTest, AGroupThatWasNotAnsweredForStaysBehindTheAcceptedLength) {
  CommitLog log(Options(), {}, 0, {});
  auto apply = [](uint64_t) {};
  EXPECT_TRUE(Put(&log, "first", apply).ok());
  AddRule("fail stat *.log 1");
  EXPECT_EQ(Put(&log, "refused", apply).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(Put(&log, "second", apply).ok());
  EXPECT_TRUE(log.Close().ok());
  EXPECT_EQ(Replayed(&memory_), (std::vector<std::string>{"first", "second"}));
}

// A server killed between append and sync leaves a record in the machine's memory but not on its
// disk (found by the simulation, seed 12). The next life replays and serves the record; then the
// power fails.
TEST_F(LogSwitchTest, WhatOnlyMemoryKnewIsDurableBeforeTheNextLifeBuildsOnIt) {
  auto body_of = [](uint64_t sequence, const std::string& row) {
    std::string body;
    PutFixed64(&body, sequence);
    RowMutation mutation(row);
    AppendLogBody(&body, 1, 0, mutation.Set("f", "q", "v", 1));
    return body;
  };
  {
    auto killed = *LogWriter::Create(&memory_, "/wal", {{1, 1}, {}, 0});
    killed->Add(body_of(1, "synced"));
    ASSERT_TRUE(killed->Write(/*sync=*/true).ok());
    killed->Add(body_of(2, "in memory"));
    ASSERT_TRUE(killed->Write(/*sync=*/false).ok());
  }
  std::vector<std::vector<std::string>> found;
  Random random(1);
  faulty_.OnSync([&] {
    for (int i = 0; i < 20; ++i) found.push_back(Replayed(memory_.CrashClone(&random).get()));
  });
  auto replay_all = [](const LogRecord&) { return OkStatus(); };
  auto replayed = ReplayLog(
      &faulty_, "/wal", [](uint64_t) { return uint64_t{0}; }, replay_all);
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  ASSERT_EQ(replayed->in_doubt.size(), 1u);
  CommitLogOptions options = Options();
  options.epoch = 2;
  CommitLog log(options, replayed->last, replayed->last_length, replayed->segments,
                replayed->in_doubt);
  AddRule("fail write * 1");
  EXPECT_FALSE(log.Settle().ok());
  EXPECT_TRUE(log.Settle().ok());
  for (const auto& rows : found) EXPECT_EQ(rows[0], "synced");
  found.clear();
  next_sequence_ = 3;
  EXPECT_TRUE(Put(&log, "next life", [](uint64_t) {}).ok());
  ASSERT_FALSE(found.empty());
  for (const auto& rows : found) EXPECT_EQ(rows[1], "in memory");
  EXPECT_EQ(found.back(), (std::vector<std::string>{"synced", "in memory", "next life"}));
  EXPECT_TRUE(log.Close().ok());
}

TEST_F(LogSwitchTest, ASegmentPrintsItself) {
  auto writer = *LogWriter::Create(&memory_, "/wal", {{1, 2}, {1, 1}, 99});
  std::string body;
  PutFixed64(&body, 5);
  RowMutation mutation(std::string_view("r\0w", 3));
  mutation.Set("f", "q", "v\"", 7).DeleteColumn("f", "x", {1, 9}).DeleteFamily("g").DeleteRow();
  AppendLogBody(&body, 4, 1234, mutation);
  writer->Add(body);
  ASSERT_TRUE(writer->Finish().ok());
  std::string text;
  auto print = [&](std::string_view line) { text.append(line).append("\n"); };
  ASSERT_TRUE(DumpSegment(&memory_, "/wal/" + SegmentFileName({1, 2}), print).ok());
  EXPECT_EQ(text, fmt::format("segment 1.2 previous 1.1 accepted 99 B\n"
                              "@68 {0} B tablet 4 sequence 5 time 1234 row \"r\\x00w\"\n"
                              "  put f:\"q\" @7 \"v\\x22\"\n"
                              "  delete f:\"x\" from 1 to 9\n"
                              "  delete family g\n"
                              "  delete row\n"
                              "end @{1} of {1} B\n",
                              body.size(), 68 + 24 + body.size() + 24));
  EXPECT_EQ(DumpSegment(&memory_, "/wal/x.log", print).code(), StatusCode::kInvalidArgument);
}

// The server gives a tablet to another server, which uses the numbers of the rejected group again.
TEST_F(LogSwitchTest, ARefusedGroupIsCutOffBeforeOthersUseItsNumbers) {
  CommitLog log(Options(), {0, 0}, 0, {});
  ASSERT_TRUE(Put(&log, "a", [](uint64_t) {}).ok());
  AddRule("fail sync *.log 1");
  EXPECT_FALSE(Put(&log, "refused", [](uint64_t) {}).ok());
  ASSERT_EQ(Replayed(&memory_), (std::vector<std::string>{"a", "refused"})) << "it arrived";
  ASSERT_TRUE(log.CutRefused().ok());
  ASSERT_TRUE(log.CutRefused().ok()) << "there is none any more";
  auto seal = SealLog(&memory_, "/wal", 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  EXPECT_EQ(seal->LastSequences(), (LogSegments::TabletSequences{{1, 1}}));
}

TEST_F(LogSwitchTest, ALogThatSyncsNothingIsDurableWhereItIsAskedToBe) {
  CommitLogOptions options = Options();
  options.sync = false;
  CommitLog log(std::move(options), {0, 0}, 0, {});
  std::vector<std::string> durable;
  std::vector<std::string> all;
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    all.push_back(std::to_string(i));
    ASSERT_TRUE(Put(&log, all.back(), [](uint64_t) {}).ok());
    if (i % 8 == 5) {
      ASSERT_TRUE(log.MakeDurable().ok());
      durable = all;
    }
    std::vector<std::string> left = Replayed(memory_.CrashClone(&random).get());
    ASSERT_GE(left.size(), durable.size()) << i;
    EXPECT_TRUE(std::equal(left.begin(), left.end(), all.begin())) << i;
  }
}

// What was written before a failed append is durable before the next segment says that it counts.
TEST_F(LogSwitchTest, ALogThatSyncsNothingSyncsWhatItLeavesBehind) {
  CommitLogOptions options = Options();
  options.sync = false;
  CommitLog log(std::move(options), {0, 0}, 0, {});
  ASSERT_TRUE(Put(&log, "a", [](uint64_t) {}).ok());
  AddRule("fail write *.log 1");
  EXPECT_FALSE(Put(&log, "refused", [](uint64_t) {}).ok());
  ASSERT_TRUE(Put(&log, "b", [](uint64_t) {}).ok());
  ASSERT_TRUE(log.MakeDurable().ok());
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    std::unique_ptr<MemoryFileSystem> left = memory_.CrashClone(&random);
    EXPECT_EQ(Replayed(left.get()), (std::vector<std::string>{"a", "b"})) << i;
    auto seal = SealLog(left.get(), "/wal", 1);
    EXPECT_TRUE(seal.ok()) << seal.status();
  }
}

TEST_F(LogSwitchTest, ALogThatSyncsNothingEndsIfASyncFailed) {
  CommitLogOptions options = Options();
  options.sync = false;
  CommitLog log(std::move(options), {0, 0}, 0, {});
  ASSERT_TRUE(Put(&log, "a", [](uint64_t) {}).ok());
  AddRule("fail sync *.log 1");
  EXPECT_FALSE(log.MakeDurable().ok());
  const Status refused = Put(&log, "b", [](uint64_t) {});
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(refused).find("open the store again"), std::string::npos) << refused;
  Random random(1);
  auto seal = SealLog(memory_.CrashClone(&random).get(), "/wal", 1);
  EXPECT_TRUE(seal.ok()) << seal.status();
}

}  // namespace
}  // namespace sippar::engine
