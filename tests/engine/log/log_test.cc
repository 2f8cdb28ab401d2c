// The commit log: group commit, torn tails, damage in the middle, abandoned segments.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/wake_up.h"
#include "engine/log/commit_log.h"
#include "engine/log/log_reader.h"

namespace sippar::engine {
namespace {

class LogTest : public testing::Test {
 protected:
  LogTest() : fs_(NewPosixFileSystem()) {
    static int counter = 0;
    directory_ = testing::TempDir() + "log_test_" + std::to_string(::getpid()) + "_" +
                 std::to_string(counter++);
    std::filesystem::create_directories(directory_);
  }
  ~LogTest() override { std::filesystem::remove_all(directory_); }

  std::string PathOf(SegmentId id) const { return directory_ + "/" + SegmentFileName(id); }

  // Replaces the content of the segment's file by `bytes`.
  void Overwrite(SegmentId id, const std::string& bytes) {
    ASSERT_TRUE(ReplaceFile(fs_.get(), PathOf(id), bytes).ok());
  }

  StatusOr<std::vector<std::string>> Bodies(SegmentId id, uint64_t accepted = UINT64_MAX) {
    std::vector<std::string> bodies;
    auto content =
        ReadSegment(fs_.get(), PathOf(id), id, accepted, [&](uint64_t, std::string_view body) {
          bodies.emplace_back(body);
          return OkStatus();
        });
    if (!content.ok()) return content.status();
    return bodies;
  }

  std::string WriteSegment(SegmentId id, const std::vector<std::string>& bodies, bool finish) {
    auto writer = LogWriter::Create(fs_.get(), directory_, {id, {}, 0});
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (const std::string& body : bodies) {
      (*writer)->Add(body);
      EXPECT_TRUE((*writer)->Write(true).ok());
    }
    uint64_t size = (*writer)->accepted_length();
    if (finish) {
      EXPECT_TRUE((*writer)->Finish().ok());
      size = (*writer)->accepted_length();
      EXPECT_EQ(*fs_->FileSize(PathOf(id)), size) << "reserved room must be given back";
    }
    // Zeros may follow while the log is open.
    return ReadFile(fs_.get(), PathOf(id))->substr(0, size);
  }

  std::unique_ptr<FileSystem> fs_;
  std::string directory_;
};

TEST_F(LogTest, TornTailIsCutAtTheLastWholeRecord) {
  SegmentId id{1, 1};
  std::string file = WriteSegment(id, {"first", "second record", "third"}, false);
  size_t last = file.size() - kLogRecordHeaderSize - 5;
  for (size_t size = last; size < file.size(); ++size) {
    Overwrite(id, file.substr(0, size));
    auto bodies = Bodies(id);
    ASSERT_TRUE(bodies.ok()) << size << " " << bodies.status();
    EXPECT_EQ(*bodies, (std::vector<std::string>{"first", "second record"})) << size;
  }
  Overwrite(id, file + std::string(4096, '\0'));  // zeros from delayed allocation
  EXPECT_EQ(Bodies(id)->size(), 3u);
}

TEST_F(LogTest, AFlippedByteBeforeValidRecordsIsDataLossNamingFileAndOffset) {
  SegmentId id{1, 1};
  std::string file = WriteSegment(id, {"first", "second record", "third"}, true);
  size_t end_mark = file.size() - kLogRecordHeaderSize;
  for (size_t i = 0; i < end_mark; ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    Overwrite(id, damaged);
    auto bodies = Bodies(id);
    ASSERT_FALSE(bodies.ok()) << "byte " << i;
    EXPECT_EQ(bodies.status().code(), StatusCode::kDataLoss);
    EXPECT_NE(bodies.status().ToString().find(SegmentFileName(id)), std::string::npos);
  }
}

TEST_F(LogTest, AHoleInTheLastGroupIsATornGroupAndInAnEarlierOneLoss) {
  SegmentId id{1, 1};
  auto writer = LogWriter::Create(fs_.get(), directory_, {id, {}, 0});
  ASSERT_TRUE(writer.ok()) << writer.status();
  (*writer)->Add("synced");
  ASSERT_TRUE((*writer)->Write(true).ok());
  uint64_t group = (*writer)->accepted_length();
  for (const char* body : {"one", "two", "three"}) (*writer)->Add(body);
  ASSERT_TRUE((*writer)->Write(true).ok());
  std::string file = ReadFile(fs_.get(), PathOf(id))->substr(0, (*writer)->accepted_length());
  std::string hole = file;
  hole[group + 1] ^= 1;  // "two" and "three" are undamaged
  Overwrite(id, hole);
  auto bodies = Bodies(id);
  ASSERT_TRUE(bodies.ok()) << bodies.status();
  EXPECT_EQ(*bodies, (std::vector<std::string>{"synced"}));
  hole = file;
  hole[group - 1] ^= 1;  // the group's header shows that this record was synced
  Overwrite(id, hole);
  EXPECT_EQ(Bodies(id).status().code(), StatusCode::kDataLoss);
}

TEST_F(LogTest, WhatTheNextSegmentAcceptedMustBeThere) {
  SegmentId id{1, 1};
  std::string file = WriteSegment(id, {"first", "second"}, false);
  EXPECT_EQ(Bodies(id, file.size())->size(), 2u);
  Overwrite(id, file.substr(0, file.size() - 1));
  EXPECT_EQ(Bodies(id, file.size()).status().code(), StatusCode::kDataLoss);
  // Records after the accepted length were never acknowledged.
  Overwrite(id, file);
  EXPECT_EQ(Bodies(id, file.size() - kLogRecordHeaderSize - 6)->size(), 1u);
}

TEST_F(LogTest, RecordsComeBackAsWritten) {
  RowMutation mutation(std::string_view("row\0key", 7));
  mutation.Set("f", "q", "value", -3).DeleteColumn("f", "", {1, 9}).DeleteFamily("g").DeleteRow();
  std::string body(8, '\0');
  AppendLogBody(&body, 7, 1234, mutation);
  auto record = DecodeLogBody(body);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->tablet_id, 7u);
  EXPECT_EQ(record->wall_us, 1234);
  EXPECT_EQ(record->mutation.row, mutation.row);
  ASSERT_EQ(record->mutation.entries.size(), 4u);
  EXPECT_EQ(record->mutation.entries[1].time, (TimeRange{1, 9}));
  for (size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(DecodeLogBody(body.substr(0, size)).ok()) << size;
  }
  size_t without_answer = body.size();
  AppendLogAnswer(&body, {5, 9, 7}, "answer");
  record = DecodeLogBody(body);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->mutation.request, (RequestId{5, 9, 7}));
  EXPECT_EQ(record->answer, "answer");
  for (size_t size = without_answer + 1; size < body.size(); ++size) {
    EXPECT_FALSE(DecodeLogBody(body.substr(0, size)).ok()) << size;
  }
}

TEST_F(LogTest, ManyWritersShareGroupsAndKeepTheOrderOfNumbers) {
  Metrics metrics;
  CommitLogOptions options;
  options.fs = fs_.get();
  options.directory = directory_;
  options.epoch = 1;
  options.metrics = &metrics;
  options.clock = Clock::System();
  options.segment_size = 4096;  // small, for many rotations
  CommitLog log(options, {}, 0, {});
  uint64_t next_sequence = 1;
  std::vector<uint64_t> applied;  // only the leader adds to it
  std::vector<Thread> threads;
  constexpr int kThreads = 8;
  constexpr int kWrites = 200;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back("writer", [&] {
      for (int i = 0; i < kWrites; ++i) {
        CommitLog::Write write;
        write.tablet_id = 1;
        write.body.assign(8, '\0');
        RowMutation mutation("row");
        AppendLogBody(&write.body, 1, 0, mutation.Set("f", "q", "v", 1));
        write.entry_count = 1;
        write.next_sequence = &next_sequence;
        write.apply = [&](uint64_t first) { applied.push_back(first); };
        CommitLog::Write* pointer = &write;
        EXPECT_TRUE(log.Append({&pointer, 1}).ok());
      }
    });
  }
  threads.clear();
  ASSERT_EQ(applied.size(), size_t{kThreads * kWrites});
  for (size_t i = 0; i < applied.size(); ++i) EXPECT_EQ(applied[i], i + 1);
  EXPECT_LE(metrics.Get("log_groups")->value(), uint64_t{kThreads * kWrites});
  EXPECT_TRUE(log.RemoveObsolete([](uint64_t) { return UINT64_MAX; }, 100).empty());
  EXPECT_TRUE(log.Close().ok());
  EXPECT_EQ(fs_->List(directory_)->size(), 2u) << "only the open segment and REACH are kept";
}

TEST(WakeUpTest, EachNotifyEndsOneWait) {
  WakeUp wake;
  EXPECT_FALSE(wake.WaitFor(1'000));
  wake.Notify();
  wake.Notify();
  EXPECT_TRUE(wake.WaitFor(0));
  wake.Wait();
  EXPECT_FALSE(wake.WaitFor(0));
  Thread waker("waker", [&] { wake.Notify(); });
  EXPECT_TRUE(wake.WaitFor(60'000'000));
}

}  // namespace
}  // namespace sippar::engine
