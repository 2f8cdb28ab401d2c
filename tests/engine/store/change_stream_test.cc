// Changes of a table with a change stream: a reader gets every acknowledged change once and in the
// order of each row, across flushes, restarts, power losses, splits and merges; changes are kept
// for the retention time and no longer.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/base/crash_point.h"
#include "engine/changes/change_reader.h"
#include "engine/fs/memory_file_system.h"
#include "engine/model/change_config.h"
#include "tests/engine/store/hosted_history.h"

namespace sippar::engine {
namespace {

constexpr int64_t kDay = int64_t{24} * 3600 * 1'000'000;

class ChangeStreamTest : public testing::Test {
 protected:
  ChangeStreamTest() : clock_(10 * kDay) { store_ = Open(&fs_); }
  ~ChangeStreamTest() override { CrashPoints::Arm(nullptr); }

  std::unique_ptr<HostedTables> Open(FileSystem* fs) {
    auto opened = HostedTables::Open("/db", LadderOptions(fs, &clock_));
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  void Reopen() {
    store_.reset();
    store_ = Open(&fs_);
  }
  void Create(bool with_stream = true, const std::vector<std::string>& splits = {}) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, {}}};
    if (with_stream) SetChangeStream(ChangeStreamConfig{kDay, 0}, &schema);
    ASSERT_TRUE(store_->CreateTable(schema, splits).ok());
  }
  Status Alter(const std::optional<ChangeStreamConfig>& config) {
    auto table = store_->GetTable("t");
    SetChangeStream(config, &table->schema);
    return store_->AlterTable(table->schema, table->schema_version);
  }
  // Each write has its own value and a later time.
  void Write(const std::string& row) {
    clock_.Set(clock_.NowMicros() + 1);
    RowMutation mutation(row);
    std::string value = std::to_string(++writes_);
    mutation.Set("f", "a", value).Set("f", "b", std::string(300, 'x'), 5);
    ASSERT_TRUE(store_->Apply("t", {&mutation}).front().ok());
    written_[row].push_back(value);
  }
  void WriteAll(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (const char* row : {"a", "c", "k", "m", "z"}) Write(row);
    }
  }

  struct Reading {
    std::map<std::string, std::vector<std::string>> values;  // values of each row, in order
    std::vector<std::string> tokens;
    ChangePosition end;
    Status status;
  };
  // Reads everything that the tablet with these rows returns now.
  Reading Read(HostedTables* store, const ChangePosition& from) {
    Reading reading;
    auto tablet = store->FindTablet("t", from.rows().start);
    EXPECT_EQ((*tablet)->range(), from.rows());
    ChangeReader reader((*tablet)->changes().Source(), from);
    for (bool is_whole = false; !is_whole;) {
      std::vector<ReadChange> changes;
      reading.status = reader.Read(&changes, &is_whole);
      if (!reading.status.ok()) return reading;
      for (const ReadChange& change : changes) {
        const RowMutation& mutation = change.record.mutation;
        EXPECT_EQ(mutation.entries.size(), 2);
        reading.values[mutation.row].push_back(mutation.entries[0].value);
        reading.tokens.push_back(change.token);
      }
    }
    reading.end = reader.position();
    return reading;
  }
  ChangePosition Begin(const RowRange& rows = {}, int64_t start_us = 0) {
    return ChangePosition::From(store_->GetTable("t")->table_id, rows, start_us);
  }
  // Expires the table's archive as a server's sweep does.
  Status Expire() {
    BookTable table = *store_->GetTable("t");
    int64_t kept_us = ChangeStreamOf(table.schema)->retention_us + kChangesGraceUs;
    return ExpireChangeFiles(&fs_, fmt::format("/db/changes/{}", table.table_id),
                             clock_.NowMicros() - kept_us)
        .status();
  }
  size_t Files() {
    size_t count = 0;
    for (const std::string& path : fs_.AllFiles())
      count += path.starts_with("/db/changes/") && path.ends_with(".changes");
    return count;
  }

  MemoryFileSystem fs_;
  ManualClock clock_;
  std::unique_ptr<HostedTables> store_;
  int writes_ = 0;
  std::map<std::string, std::vector<std::string>> written_;
};

TEST_F(ChangeStreamTest, EveryChangeOnceInOrderWhereverItIs) {
  Create();
  WriteAll(3);
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);  // all changes are in memory
  ASSERT_TRUE(store_->Flush("t").ok());
  EXPECT_EQ(Files(), 1);
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);  // all changes are in a file
  WriteAll(2);
  ASSERT_TRUE(store_->Flush("t").ok());
  WriteAll(2);
  Reading all = Read(store_.get(), Begin());
  EXPECT_EQ(all.values, written_);
  Reopen();
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);  // the tail is restored from the log
  // From any token, reading returns the rest.
  ASSERT_EQ(all.tokens.size(), 35);
  for (size_t i = 0; i < all.tokens.size(); ++i) {
    auto from = ChangePosition::Decode(all.tokens[i]);
    ASSERT_TRUE(from.ok());
    Reading rest = Read(store_.get(), *from);
    EXPECT_EQ(rest.tokens.size(), 34 - i);
    const auto next = all.tokens.begin() + static_cast<std::ptrdiff_t>(i + 1);
    EXPECT_TRUE(std::equal(rest.tokens.begin(), rest.tokens.end(), next));
  }
}

TEST_F(ChangeStreamTest, AReaderThatFollowsSeesWhatIsWrittenAndFlushedMeanwhile) {
  Create();
  ChangePosition position = Begin();
  std::map<std::string, std::vector<std::string>> seen;
  auto tablet = *store_->FindTablet("t", "");
  ChangeReader reader(tablet->changes().Source(), position);
  for (int round = 0; round < 30; ++round) {
    WriteAll(1);
    if (round % 3 == 1) ASSERT_TRUE(store_->Flush("t").ok());
    if (round % 5 == 4) continue;  // the reader falls behind
    std::vector<ReadChange> changes;
    for (bool is_whole = false; !is_whole;) ASSERT_TRUE(reader.Read(&changes, &is_whole).ok());
    for (const ReadChange& change : changes) {
      seen[change.record.mutation.row].push_back(change.record.mutation.entries[0].value);
    }
    if (round % 5 != 3) EXPECT_EQ(reader.position().low_us, clock_.NowMicros());
  }
  written_["a"].pop_back();  // the last round was not read
  for (auto& [row, values] : written_) {
    if (row != "a") values.pop_back();
  }
  EXPECT_EQ(seen, written_);
}

TEST_F(ChangeStreamTest, APowerLossAtAnyPointLosesNoChangeAndGivesNoneTwice) {
  Create();
  WriteAll(2);
  ASSERT_TRUE(store_->Flush("t").ok());
  WriteAll(2);
  std::vector<std::pair<std::string, std::unique_ptr<MemoryFileSystem>>> disks;
  auto arm = [&] {
    CrashPoints::Arm([&](const char* name) {
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        Random random(seed);
        disks.emplace_back(name, fs_.CrashClone(&random));
      }
    });
  };
  arm();
  ASSERT_TRUE(store_->Flush("t").ok());
  CrashPoints::Arm(nullptr);
  auto passed = [&](const std::string& point) {
    return std::any_of(disks.begin(), disks.end(), [&](const auto& d) { return d.first == point; });
  };
  ASSERT_TRUE(passed("changes.before_publish") && passed("changes.after_publish"));
  ASSERT_TRUE(passed("flush.before_state") && passed("flush.after_state"));
  for (auto& [point, disk] : disks) {
    SCOPED_TRACE(point);
    auto store = Open(disk.get());
    EXPECT_EQ(Read(store.get(), Begin()).values, written_);
    // The crash kept the redo point from advancing, so the next flush writes the same changes
    // again.
    RowMutation mutation("a");
    mutation.Set("f", "a", "after").Set("f", "b", "");
    ASSERT_TRUE(store->Apply("t", {&mutation}).front().ok());
    ASSERT_TRUE(store->Flush("t").ok());
    auto expected = written_;
    expected["a"].push_back("after");
    EXPECT_EQ(Read(store.get(), Begin()).values, expected);
    for (const std::string& path : disk->AllFiles()) EXPECT_FALSE(path.ends_with(".tmp")) << path;
  }
}

TEST_F(ChangeStreamTest, SplitsAndMergesGoOnFromWhereTheirParentsWere) {
  Create();
  WriteAll(2);
  ASSERT_TRUE(store_->Flush("t").ok());
  WriteAll(2);
  Reading before = Read(store_.get(), Begin());
  ASSERT_TRUE(store_->Split("t", "k").ok());
  WriteAll(2);
  Reading left = Read(store_.get(), before.end.Clip({"", "k"}));
  Reading right = Read(store_.get(), before.end.Clip({"k", ""}));
  EXPECT_EQ(left.values["a"], std::vector<std::string>({"21", "26"}));
  EXPECT_EQ(right.values["z"], std::vector<std::string>({"25", "30"}));
  EXPECT_EQ(left.values.size() + right.values.size(), 5);
  // Reads from the beginning, including writes to the tablet before the split.
  EXPECT_EQ(Read(store_.get(), Begin({"k", ""})).values["m"], written_["m"]);
  for (int i = 0; i < 20; ++i) Write("z");  // makes the sequence numbers of the halves diverge
  // The halves were read up to different positions before they are merged.
  auto right_end = ChangePosition::Decode(right.tokens[1]);
  ASSERT_TRUE(store_->Merge("t", {}).ok());
  WriteAll(1);
  auto joined = JoinPositions({*right_end, left.end});
  ASSERT_TRUE(joined.ok());
  Reopen();
  Reading merged = Read(store_.get(), *joined);
  EXPECT_EQ(merged.values["a"], std::vector<std::string>({"51"}));
  std::vector<std::string> of_z(written_["z"].begin() + 4, written_["z"].end());
  EXPECT_EQ(merged.values["z"], of_z);
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);
  for (const std::string& token : Read(store_.get(), *joined).tokens) {
    EXPECT_TRUE(Read(store_.get(), *ChangePosition::Decode(token)).status.ok());
  }
}

TEST_F(ChangeStreamTest, APowerLossInASplitLosesNoChange) {
  Create();
  WriteAll(3);
  std::vector<std::unique_ptr<MemoryFileSystem>> disks;
  CrashPoints::Arm([&](const char*) {
    Random random(disks.size());
    disks.push_back(fs_.CrashClone(&random));
  });
  ASSERT_TRUE(store_->Split("t", "k").ok());
  CrashPoints::Arm(nullptr);
  EXPECT_GT(disks.size(), 8);
  for (auto& disk : disks) {
    auto store = Open(disk.get());
    std::map<std::string, std::vector<std::string>> values;
    auto tablets = store->Tablets("t");
    for (const auto& tablet : *tablets) {
      values.merge(Read(store.get(), Begin(tablet->range())).values);
    }
    EXPECT_EQ(values, written_);
  }
}

TEST_F(ChangeStreamTest, BeginsAndEndsWithTheSchema) {
  Create(/*with_stream=*/false);
  WriteAll(1);
  ASSERT_TRUE(store_->Flush("t").ok());
  WriteAll(1);
  clock_.Set(clock_.NowMicros() + 10);
  EXPECT_EQ(Files(), 0);
  EXPECT_EQ(Alter(ChangeStreamConfig{kDay - 1, 0}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Alter(ChangeStreamConfig{7 * kDay + 1, 0}).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(Alter(ChangeStreamConfig{kDay, 77}).ok());
  auto config = ChangeStreamOf(store_->GetTable("t")->schema);
  EXPECT_EQ(config->since_us, clock_.NowMicros());
  written_.clear();
  WriteAll(2);
  EXPECT_EQ(Read(store_.get(), Begin({}, config->since_us)).values, written_);
  Reopen();
  EXPECT_EQ(Read(store_.get(), Begin({}, config->since_us)).values, written_);
  clock_.Set(clock_.NowMicros() + 10);
  ASSERT_TRUE(Alter(ChangeStreamConfig{2 * kDay, 0}).ok());  // the stream continues
  EXPECT_EQ(ChangeStreamOf(store_->GetTable("t")->schema)->since_us, config->since_us);
  ASSERT_TRUE(store_->Flush("t").ok());
  EXPECT_EQ(Files(), 1);
  EXPECT_EQ(Read(store_.get(), Begin({}, config->since_us)).values, written_);
  ASSERT_TRUE(Alter(std::nullopt).ok());
  EXPECT_EQ(Files(), 0);
  WriteAll(1);
  ASSERT_TRUE(store_->Flush("t").ok());
  EXPECT_EQ(Files(), 0);
  EXPECT_EQ(store_->host()->memtable_bytes(), 0);
  ASSERT_TRUE(Alter(ChangeStreamConfig{kDay, 0}).ok());
  WriteAll(1);
  ASSERT_TRUE(store_->Flush("t").ok());
  EXPECT_EQ(Files(), 1);
  ASSERT_TRUE(store_->DropTable("t").ok());
  EXPECT_EQ(Files(), 0);
}

TEST_F(ChangeStreamTest, ChangesGoAfterTheirRetention) {
  Create();
  WriteAll(1);
  ASSERT_TRUE(store_->Flush("t").ok());
  Reading first = Read(store_.get(), Begin());
  clock_.Set(clock_.NowMicros() + kDay / 2);
  written_.clear();
  WriteAll(1);
  ASSERT_TRUE(store_->Flush("t").ok());
  ASSERT_TRUE(Expire().ok());
  EXPECT_EQ(Files(), 2);
  // A reader whose position has expired gets an error.
  auto tablet = *store_->FindTablet("t", "");
  auto archive = ChangeArchive::Open(&fs_, tablet->changes().Source().directory,
                                     *ChangePosition::Decode(first.tokens[0]));
  ASSERT_TRUE(archive.ok());
  clock_.Set(clock_.NowMicros() + 14 * kDay / 24);
  ASSERT_TRUE(Expire().ok());
  EXPECT_EQ(Files(), 1);
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);
  clock_.Set(clock_.NowMicros() + kDay);
  ASSERT_TRUE(Expire().ok());
  EXPECT_EQ(Files(), 0);
  Status status;
  for (int i = 0; i < 6 && status.ok(); ++i) {
    status = (*archive)->Next(Begin()).status();
  }
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange) << status;
}

// A reader that continued without the file would miss changes unnoticed.
TEST_F(ChangeStreamTest, F_D4_AMissingFileIsToldWithItsName) {
  Create();
  for (int flushes = 0; flushes < 3; ++flushes) {
    WriteAll(4);
    ASSERT_TRUE(store_->Flush("t").ok());
  }
  int missed = 0;
  for (const std::string& path : fs_.AllFiles()) {
    if (!path.starts_with("/db/changes/") || !path.ends_with(".changes")) continue;
    SCOPED_TRACE(path);
    ASSERT_TRUE(fs_.Rename(path, path + ".away").ok());
    Reading reading = Read(store_.get(), Begin());
    EXPECT_EQ(reading.status.code(), StatusCode::kDataLoss) << reading.status;
    const std::string name = path.substr(path.rfind('/') + 1);
    EXPECT_NE(MessageOf(reading.status).find(name), std::string::npos) << reading.status;
    ASSERT_TRUE(fs_.Rename(path + ".away", path).ok());
    ++missed;
  }
  EXPECT_GE(missed, 3);
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);
}

TEST_F(ChangeStreamTest, DamageIsToldWithFileAndOffset) {
  Create();
  WriteAll(4);
  ASSERT_TRUE(store_->Flush("t").ok());
  for (const std::string& path : fs_.AllFiles()) {
    if (!path.starts_with("/db/changes/")) continue;
    for (uint64_t at = 0; at < *fs_.FileSize(path); at += 37) {
      fs_.FlipByte(path, at, 16);
      Reading reading = Read(store_.get(), Begin());
      EXPECT_EQ(reading.status.code(), StatusCode::kDataLoss) << at << reading.status;
      EXPECT_NE(MessageOf(reading.status).find(path), std::string::npos);
      fs_.FlipByte(path, at, 16);
    }
  }
  EXPECT_EQ(Read(store_.get(), Begin()).values, written_);
}

}  // namespace
}  // namespace sippar::engine
