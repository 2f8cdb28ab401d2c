// A dead server's log: sealed once for all, sorted by tablet, read in slices. After any crash,
// fault, flipped byte or late write, recovery finds the same records or none (FAULTS.md P11, D2,
// D12, D14).
// SPDX-License-Identifier: Apache-2.0
#include "engine/log/sealed_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/crash_point.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/log/commit_log.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_replay.h"
#include "engine/log/log_sort.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kEpoch = 7;
const std::string kLive = "wal/s.7";
const std::string kSealed = "wal/s.7.sealed";

// The records of a tablet, as sequence numbers and rows in order.
using Records = std::vector<std::pair<uint64_t, std::string>>;
using TabletRecords = std::map<uint64_t, Records>;

std::function<Status(const LogRecord&)> AddTo(TabletRecords* out) {
  return [out](const LogRecord& record) {
    (*out)[record.tablet_id].emplace_back(record.first_sequence, record.mutation.row);
    return OkStatus();
  };
}

// A log of several small segments with records of a few tablets; nothing after the last answered
// write is synced.
class LogLife {
 public:
  LogLife(FileSystem* fs, uint64_t seed) : random_(seed) {
    EXPECT_TRUE(fs->CreateDir("wal").ok());
    EXPECT_TRUE(fs->SyncDir(".").ok());
    EXPECT_TRUE(fs->CreateDir(kLive).ok());
    EXPECT_TRUE(fs->SyncDir("wal").ok());
    CommitLogOptions options;
    options.fs = fs;
    options.directory = kLive;
    options.epoch = kEpoch;
    options.metrics = &metrics_;
    options.clock = Clock::System();
    options.segment_size = 1500;
    log_ = std::make_unique<CommitLog>(std::move(options), SegmentId{}, 0, LogSegments());
  }

  void Write(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      uint64_t tablet = 1 + random_.Uniform(4);
      if (tablet == 4 && i < count / 2) tablet = 1;  // keeps tablet 4 out of the first segments
      ASSERT_TRUE(WriteTo(tablet).ok());
    }
  }

  // Writes into the segment that is still open, although the log was renamed meanwhile.
  void WriteLate() { EXPECT_EQ(WriteTo(1).code(), StatusCode::kUnavailable); }

  TabletRecords acknowledged;
  TabletRecords written;  // including late writes

 private:
  Status WriteTo(uint64_t tablet) {
    RowMutation mutation("row" + std::to_string(random_.Uniform(50)));
    for (size_t entries = 1 + random_.Uniform(3); entries > 0; --entries) {
      mutation.Set("f", "q", std::string(random_.Uniform(60), 'v'), 1);
    }
    written[tablet].emplace_back(next_[tablet], mutation.row);
    CommitLog::Write write;
    write.tablet_id = tablet;
    write.body.assign(8, '\0');
    AppendLogBody(&write.body, tablet, 1, mutation);
    write.entry_count = mutation.entries.size();
    write.next_sequence = &next_[tablet];
    write.apply = [&, tablet](uint64_t first) {
      acknowledged[tablet].emplace_back(first, mutation.row);
    };
    CommitLog::Write* only = &write;
    return log_->Append({&only, 1});
  }

  Random random_;
  Metrics metrics_;
  std::map<uint64_t, uint64_t> next_{{1, 1}, {2, 100}, {3, 5}, {4, 77}};
  std::unique_ptr<CommitLog> log_;
};

class SealedLogTest : public testing::Test {
 protected:
  // Returns the disk of a server that died after `count` records.
  std::unique_ptr<MemoryFileSystem> DeadServer(uint64_t seed, size_t count = 80) {
    MemoryFileSystem fs;
    LogLife life(&fs, seed);
    life.Write(count);
    acknowledged_ = life.acknowledged;
    Random random(seed);
    std::unique_ptr<MemoryFileSystem> left = fs.CrashClone(&random);
    EXPECT_TRUE(left->Rename(kLive, kSealed).ok());
    EXPECT_TRUE(left->SyncDir("wal").ok());
    return left;
  }

  static Status SortAll(FileSystem* fs, const LogSeal& seal, uint64_t attempt) {
    for (const SealedSegment& segment : seal.segments) {
      RETURN_IF_ERROR(SortSegment(fs, kSealed, segment, attempt));
    }
    return OkStatus();
  }

  static StatusOr<TabletRecords> ReadAll(FileSystem* fs, uint64_t redo = 0) {
    ASSIGN_OR_RETURN(std::unique_ptr<SealedLog> log, SealedLog::Open(fs, kSealed));
    TabletRecords records;
    for (auto [tablet, last] : log->seal().LastSequences()) {
      RETURN_IF_ERROR(log->Replay(tablet, redo, AddTo(&records)));
    }
    return records;
  }

  // Seals, sorts and reads the log: all steps of a recovery.
  static StatusOr<TabletRecords> Recover(FileSystem* fs, uint64_t attempt) {
    ASSIGN_OR_RETURN(LogSeal seal, SealLog(fs, kSealed, attempt));
    RETURN_IF_ERROR(SortAll(fs, seal, attempt));
    return ReadAll(fs);
  }

  TabletRecords acknowledged_;
};

TEST_F(SealedLogTest, SlicesAreWhatADirectReplayGives) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    std::unique_ptr<MemoryFileSystem> fs = DeadServer(seed);
    Random random(seed);
    std::map<uint64_t, uint64_t> redo;
    for (uint64_t tablet = 1; tablet <= 4; ++tablet) redo[tablet] = random.Uniform(120);
    TabletRecords direct;
    Mutex mutex;
    auto replayed = ReplayLog(
        fs.get(), kSealed, [&](uint64_t tablet) { return redo[tablet]; },
        [&](const LogRecord& record) {
          MutexLock lock(&mutex);
          return AddTo(&direct)(record);
        });
    ASSERT_TRUE(replayed.ok()) << replayed.status();
    auto seal = SealLog(fs.get(), kSealed, 1);
    ASSERT_TRUE(seal.ok()) << seal.status();
    ASSERT_GT(seal->segments.size(), 2u);
    for (const SealedSegment& segment : seal->segments) {  // sorts some of them in most seeds
      if (random.OneIn(2)) {
        ASSERT_TRUE(SortSegment(fs.get(), kSealed, segment, 1).ok());
      }
    }
    auto log = SealedLog::Open(fs.get(), kSealed);
    ASSERT_TRUE(log.ok()) << log.status();
    TabletRecords slices;
    for (uint64_t tablet = 1; tablet <= 4; ++tablet) {
      Status status = (*log)->Replay(tablet, redo[tablet], AddTo(&slices));
      ASSERT_TRUE(status.ok()) << status;
    }
    EXPECT_EQ(slices, direct) << "seed " << seed;
    auto all = ReadAll(fs.get());
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_EQ(*all, acknowledged_) << "seed " << seed;
  }
}

TEST_F(SealedLogTest, SegmentsWithoutTheTabletAreNotRead) {
  std::unique_ptr<MemoryFileSystem> memory = DeadServer(3);
  FaultFileSystem fs(memory.get());
  auto seal = SealLog(&fs, kSealed, 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  ASSERT_FALSE(seal->segments[0].last_sequences.contains(4));
  auto log = SealedLog::Open(&fs, kSealed);
  ASSERT_TRUE(log.ok()) << log.status();
  fs.AddRule(*FaultRule::Parse("fail open *-00000001.log 1+"));
  TabletRecords records;
  EXPECT_TRUE((*log)->Replay(4, 0, AddTo(&records)).ok());
  EXPECT_EQ(records[4], acknowledged_[4]);
  EXPECT_EQ((*log)->Replay(1, 0, AddTo(&records)).code(), StatusCode::kUnavailable);
  uint64_t calls = fs.calls();
  EXPECT_TRUE((*log)->Replay(4, 1000, AddTo(&records)).ok());  // everything is in SSTables
  // The log has no records of this tablet.
  EXPECT_TRUE((*log)->Replay(99, 0, AddTo(&records)).ok());
  EXPECT_EQ(fs.calls(), calls);
}

// Without the SEAL, a second recovery would find the late record (PROTOCOL.md).
TEST_F(SealedLogTest, ALateWriteBehindTheSealIsNeverRead) {
  MemoryFileSystem fs;
  LogLife zombie(&fs, 5);
  zombie.Write(40);
  ASSERT_TRUE(fs.Rename(kLive, kSealed).ok());
  ASSERT_TRUE(fs.SyncDir("wal").ok());
  auto before = Recover(&fs, 1);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(*before, zombie.acknowledged);
  zombie.WriteLate();
  auto after = Recover(&fs, 2);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(*after, zombie.acknowledged);
  EXPECT_NE(*after, zombie.written);
}

TEST_F(SealedLogTest, OfTwoWhoSealAtOnceTheFirstCounts) {
  MemoryFileSystem fs;
  LogLife zombie(&fs, 6);
  zombie.Write(30);
  ASSERT_TRUE(fs.Rename(kLive, kSealed).ok());
  StatusOr<LogSeal> second = NotFound("not yet");
  bool inside = false;
  CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) != "seal.before_tail" || inside) return;
    inside = true;
    zombie.WriteLate();  // the two seals read different tails
    second = SealLog(&fs, kSealed, 2);
  });
  auto first = SealLog(&fs, kSealed, 1);
  CrashPoints::Arm({});
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(first->Encode(), second->Encode());
  EXPECT_EQ(*ReadAll(&fs), zombie.written) << "the second one read more, and was first";
}

TEST_F(SealedLogTest, ATornTailIsCutOnceAndForEver) {
  std::unique_ptr<MemoryFileSystem> fs = DeadServer(8, 20);
  std::string last = kSealed + "/" + SegmentFileName({kEpoch, 1});
  for (const std::string& path : fs->AllFiles()) {
    if (path.starts_with(kSealed)) last = path;
  }
  std::string whole = *ReadFile(fs.get(), last);
  const std::vector<std::string> unsealed = fs->AllFiles();
  auto unseal = [&] {
    for (const std::string& path : fs->AllFiles()) {
      if (std::find(unsealed.begin(), unsealed.end(), path) == unsealed.end()) {
        EXPECT_TRUE(fs->Remove(path).ok());
      }
    }
  };
  const SegmentId id = ParseSegmentFileName(last.substr(kSealed.size() + 1));
  auto ignore = [](uint64_t, std::string_view) { return OkStatus(); };
  size_t length = ReadSegment(fs.get(), last, id, UINT64_MAX, ignore)->valid_length;
  for (size_t size = length - 200; size <= length; ++size) {
    unseal();
    ASSERT_TRUE(ReplaceFile(fs.get(), last, whole.substr(0, size)).ok());
    auto torn = Recover(fs.get(), 1);
    ASSERT_TRUE(torn.ok()) << size << " " << torn.status();
    for (const auto& [tablet, records] : *torn) {
      const Records& all = acknowledged_[tablet];
      ASSERT_LE(records.size(), all.size());
      EXPECT_TRUE(std::equal(records.begin(), records.end(), all.begin())) << "tablet " << tablet;
    }
    ASSERT_TRUE(ReplaceFile(fs.get(), last, whole).ok());  // the tail reappears, but too late
    for (const std::string& path : fs->AllFiles()) {
      if (path.ends_with(".sorted")) {
        ASSERT_TRUE(fs->Remove(path).ok());
      }
    }
    EXPECT_EQ(*Recover(fs.get(), 2), *torn) << size;
    for (const std::string& path : fs->AllFiles()) {
      if (path.ends_with(".sorted")) {
        ASSERT_TRUE(fs->Remove(path).ok());
      }
    }
  }
}

TEST_F(SealedLogTest, EveryFlippedByteGivesTheRightRecordsOrDataLossWithFileAndOffset) {
  std::unique_ptr<MemoryFileSystem> fs = DeadServer(9, 24);
  for (bool sorted : {false, true}) {
    auto seal = SealLog(fs.get(), kSealed, 1);
    ASSERT_TRUE(seal.ok()) << seal.status();
    if (sorted) {
      ASSERT_TRUE(SortAll(fs.get(), *seal, 1).ok());
    }
    size_t lost = 0;
    for (const std::string& path : fs->AllFiles()) {
      if (!path.starts_with(kSealed + "/")) continue;
      for (uint64_t offset = 0; offset < *fs->FileSize(path); ++offset) {
        fs->FlipByte(path, offset, 0x10);
        auto records = ReadAll(fs.get());
        fs->FlipByte(path, offset, 0x10);
        if (path.ends_with(".sorted")) {  // a damaged copy: the segment is read instead
          ASSERT_TRUE(records.ok()) << path << " @" << offset << ": " << records.status();
        }
        if (records.ok()) {
          ASSERT_EQ(*records, acknowledged_) << path << " @" << offset;
          continue;
        }
        ++lost;
        ASSERT_EQ(records.status().code(), StatusCode::kDataLoss) << records.status();
        ASSERT_NE(records.status().ToString().find(path + " @"), std::string::npos)
            << records.status();
      }
    }
    EXPECT_GT(lost, sorted ? 50u : 1000u);  // if sorted, only damage to the SEAL matters
    EXPECT_EQ(*ReadAll(fs.get()), acknowledged_);
  }
}

TEST_F(SealedLogTest, EveryFailedCallIsToldAndTheNextAttemptSucceeds) {
  for (uint64_t nth = 1;; ++nth) {
    std::unique_ptr<MemoryFileSystem> memory = DeadServer(10, 24);
    FaultFileSystem fs(memory.get());
    fs.AddRule(*FaultRule::Parse("fail any * " + std::to_string(nth)));
    auto failed = Recover(&fs, 1);
    if (failed.ok()) EXPECT_EQ(*failed, acknowledged_) << nth;
    bool done = fs.faults() == 0;
    fs.ClearRules();
    auto again = Recover(&fs, 2);
    ASSERT_TRUE(again.ok()) << nth << " " << again.status();
    EXPECT_EQ(*again, acknowledged_) << nth;
    if (done) {
      EXPECT_GT(nth, 50u);
      return;
    }
  }
}

// P11, in pairs: one recovery dies at one crash point, the next at another, and the third finishes.
TEST_F(SealedLogTest, DyingAtAnyTwoStepsLeavesTheSameRecords) {
  std::unique_ptr<MemoryFileSystem> fs = DeadServer(11, 30);
  auto disks_at_steps = [](MemoryFileSystem* of, uint64_t attempt) {
    std::vector<std::unique_ptr<MemoryFileSystem>> disks;
    Random random(attempt);
    CrashPoints::Arm([&](const char*) { disks.push_back(of->CrashClone(&random)); });
    EXPECT_TRUE(Recover(of, attempt).ok());
    CrashPoints::Arm({});
    return disks;
  };
  size_t pairs = 0;
  for (auto& first : disks_at_steps(fs.get(), 1)) {
    for (auto& second : disks_at_steps(first.get(), 2)) {
      auto records = Recover(second.get(), 3);
      ASSERT_TRUE(records.ok()) << records.status();
      EXPECT_EQ(*records, acknowledged_);
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 50u);
}

TEST_F(SealedLogTest, AnySorterMakesTheSameBytes) {
  std::unique_ptr<MemoryFileSystem> fs = DeadServer(12);
  auto seal = SealLog(fs.get(), kSealed, 1);
  ASSERT_TRUE(seal.ok()) << seal.status();
  std::map<std::string, std::string> bytes;
  for (uint64_t attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_TRUE(SortAll(fs.get(), *seal, attempt).ok());
    for (const std::string& path : fs->AllFiles()) {
      ASSERT_FALSE(path.ends_with(".tmp")) << path;
      if (!path.ends_with(".sorted")) continue;
      std::string& known = bytes[path];
      if (known.empty()) known = *ReadFile(fs.get(), path);
      EXPECT_EQ(*ReadFile(fs.get(), path), known);
      ASSERT_TRUE(fs->Remove(path).ok());
    }
  }
  EXPECT_EQ(bytes.size(), seal->segments.size());
}

TEST_F(SealedLogTest, OnARealDiskTheFirstNameCounts) {
  std::unique_ptr<FileSystem> fs = NewPosixFileSystem();
  std::string directory = testing::TempDir() + "sealed_log_test_" + std::to_string(::getpid());
  std::filesystem::create_directories(directory);
  ASSERT_TRUE(ReplaceFile(fs.get(), directory + "/a", "first").ok());
  ASSERT_TRUE(ReplaceFile(fs.get(), directory + "/b", "second").ok());
  EXPECT_TRUE(fs->RenameNew(directory + "/a", directory + "/SEAL").ok());
  EXPECT_EQ(fs->RenameNew(directory + "/b", directory + "/SEAL").code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(*ReadFile(fs.get(), directory + "/SEAL"), "first");
  EXPECT_FALSE(*fs->Exists(directory + "/a"));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace sippar::engine
