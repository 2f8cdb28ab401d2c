// Backups, restored and dropped tables: what is in them, what becomes of their files, and power
// losses on the way. SPDX-License-Identifier: Apache-2.0
#include "tests/support/store/backups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::engine {
namespace {

constexpr int64_t kDay = int64_t{24} * 3600 * 1'000'000;

class BackupTest : public testing::Test {
 protected:
  BackupTest() : faulty_(&memory_) { store_ = Open(&faulty_); }

  std::unique_ptr<Store> Open(FileSystem* fs) {
    StoreOptions options;
    options.fs = fs;
    options.clock = &clock_;
    options.create_if_missing = true;
    options.background = false;
    auto store = Store::Open("/s", options);
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? std::move(*store) : nullptr;
  }
  void Reopen() {
    store_.reset();
    store_ = Open(&faulty_);
  }

  // A table with a file that tablets share, one of their own, and cells in memory.
  void Fill(const std::string& table) {
    TableSchema schema;
    schema.name = table;
    schema.families.emplace_back().name = "f";
    ASSERT_TRUE(store_->CreateTable(schema, {}).ok());
    for (const char* row : {"a", "b", "x", "y"}) Write(table, row, "1");
    ASSERT_TRUE(store_->Flush(table).ok());
    ASSERT_TRUE(store_->Split(table, "m").ok());
    Write(table, "a", "2");
    ASSERT_TRUE(store_->Flush(table).ok());
    Write(table, "z", "3");
  }
  static constexpr const char* kFilled = "a=2 b=1 x=1 y=1 z=3 ";

  void Write(const std::string& table, const std::string& row, const std::string& value) {
    RowMutation mutation(row);
    mutation.Set("f", "q", value, 1);
    Status status = store_->Apply(table, {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }
  static std::string Read(Store* store, const std::string& table) {
    auto tablets = store->Tablets(table);
    if (!tablets.ok()) return std::string(MessageOf(tablets.status()));
    std::string text;
    for (const auto& tablet : *tablets) {
      auto cells = tablet->Read(ReadSpec());
      EXPECT_TRUE(cells.ok()) << cells.status();
      for (; (*cells)->Valid(); (*cells)->Next()) {
        text += fmt::format("{}={} ", (*cells)->cell().row, (*cells)->cell().value);
      }
      EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    }
    return text;
  }
  std::string Read(const std::string& table) { return Read(store_.get(), table); }
  int64_t In(int64_t micros) { return clock_.NowMicros() + micros; }
  size_t FilesBelow(const std::string& folder) {
    size_t count = 0;
    for (const std::string& path : memory_.AllFiles()) count += path.starts_with(folder) ? 1 : 0;
    return count;
  }

  MemoryFileSystem memory_;
  FaultFileSystem faulty_;
  ManualClock clock_{1'000'000};
  std::unique_ptr<Store> store_;
};

TEST_F(BackupTest, OutlivesItsTableAndIsRestoredAsItWas) {
  Fill("t");
  auto made = store_->backups()->Create("b", "t", In(kDay));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->source_table, "t");
  EXPECT_GT(made->size_bytes, 0u);
  EXPECT_EQ(store_->backups()->Create("b", "t", In(kDay)).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->backups()->Create("c", "u", In(kDay)).status().code(), StatusCode::kNotFound);
  Write("t", "b", "later");
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  ASSERT_TRUE(store_->DropTable("t").ok());
  EXPECT_EQ(FilesBelow("/s/sst/"), 0u);
  Reopen();
  ASSERT_TRUE(store_->backups()->Restore("b", "r").ok());
  EXPECT_EQ(Read("r"), kFilled);
  EXPECT_EQ(store_->Tablets("r")->size(), 2u);
  EXPECT_EQ(store_->backups()->Restore("b", "r").code(), StatusCode::kAlreadyExists);
  // Writes are newer than all that was restored; nothing depends on the backup any more.
  Write("r", "x", "new");
  ASSERT_TRUE(store_->backups()->Delete("b").ok());
  EXPECT_EQ(FilesBelow("/s/backups/"), 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Read("r"), "a=2 b=1 x=new y=1 z=3 ");
    if (i == 0) Reopen();
    if (i == 1) ASSERT_TRUE(store_->CompactMajor("r", "").ok());
  }
  EXPECT_EQ(store_->metrics()->Snapshot()["orphans_swept"], 0u);
}

TEST_F(BackupTest, ARestoredTableAndItsSourceShareFiles) {
  Fill("t");
  ASSERT_TRUE(store_->backups()->Create("b", "t", In(kDay)).ok());
  size_t files = FilesBelow("/s/sst/");
  uint64_t bytes = memory_.used_bytes();
  ASSERT_TRUE(store_->backups()->Restore("b", "r").ok());
  EXPECT_EQ(FilesBelow("/s/sst/"), files);
  EXPECT_LT(memory_.used_bytes() - bytes, 4'000u);  // states and catalog
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  ASSERT_TRUE(store_->DropTable("t").ok());
  EXPECT_EQ(Read("r"), kFilled);
  EXPECT_EQ(FilesBelow("/s/sst/"), files);
  ASSERT_TRUE(store_->backups()->Restore("b", "t").ok());
  ASSERT_TRUE(store_->DropTable("r").ok());
  EXPECT_EQ(Read("t"), kFilled);
  Reopen();
  EXPECT_EQ(Read("t"), kFilled);
  EXPECT_EQ(FilesBelow("/s/sst/"), files);
}

TEST_F(BackupTest, CopiesAndExpiry) {
  Fill("t");
  ASSERT_TRUE(store_->backups()->Create("b", "t", In(kDay)).ok());
  auto copy = store_->backups()->Copy("b", "c", In(3 * kDay));
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->source_backup, "b");
  ASSERT_TRUE(store_->backups()->SetExpiry("b", In(2 * kDay)).ok());
  clock_.SleepMicros(kDay);
  Reopen();
  ASSERT_EQ(store_->backups()->List().size(), 2u);
  clock_.SleepMicros(kDay);
  EXPECT_EQ(store_->backups()->Get("b").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->backups()->Restore("b", "r").code(), StatusCode::kNotFound);
  ASSERT_EQ(store_->backups()->List().size(), 1u);
  ASSERT_TRUE(store_->backups()->Create("b", "t", In(kDay)).ok());  // the name is free
  store_->backups()->Expire();
  ASSERT_TRUE(store_->backups()->Restore("c", "r").ok());
  EXPECT_EQ(Read("r"), kFilled);
  clock_.SleepMicros(kDay);
  store_->backups()->Expire();
  EXPECT_EQ(FilesBelow("/s/backups/"), 0u);
}

TEST_F(BackupTest, ADroppedTableIsKeptForItsTime) {
  Fill("t");
  EXPECT_EQ(store_->backups()->Undelete("t").code(), StatusCode::kNotFound);
  ASSERT_TRUE(store_->backups()->DropTable("t", kDay).ok());
  EXPECT_EQ(Read("t"), "no table 't'");
  EXPECT_TRUE(store_->backups()->List().empty());
  Reopen();
  ASSERT_TRUE(store_->backups()->Undelete("t").ok());
  EXPECT_EQ(Read("t"), kFilled);
  EXPECT_EQ(FilesBelow("/s/backups/"), 0u);
  ASSERT_TRUE(store_->backups()->DropTable("t", kDay).ok());
  Fill("t");
  EXPECT_EQ(store_->backups()->Undelete("t").code(), StatusCode::kAlreadyExists);
  clock_.SleepMicros(kDay);
  ASSERT_TRUE(store_->DropTable("t").ok());
  EXPECT_EQ(store_->backups()->Undelete("t").code(), StatusCode::kNotFound);
  store_->backups()->Expire();
  EXPECT_EQ(FilesBelow("/s/backups/"), 0u);
}

TEST_F(BackupTest, AFullDiskLosesATableAllTheSame) {
  Fill("t");
  ASSERT_TRUE(store_->Flush("t").ok());
  memory_.SetCapacity(memory_.used_bytes());
  uint64_t before = memory_.used_bytes();
  ASSERT_TRUE(store_->backups()->DropTable("t", kDay).ok());
  EXPECT_EQ(store_->backups()->Undelete("t").code(), StatusCode::kNotFound);
  EXPECT_LT(memory_.used_bytes(), before);
  EXPECT_EQ(FilesBelow("/s/sst/"), 0u);
}

TEST_F(BackupTest, AProtectedTableStaysAndComesBackUnprotected) {
  Fill("t");
  auto entry = store_->GetTable("t");
  entry->schema.options[kProtectedOption] = "TRUE";
  ASSERT_TRUE(store_->AlterTable(entry->schema, entry->schema_version).ok());
  EXPECT_EQ(store_->backups()->DropTable("t", kDay).code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(store_->backups()->Create("b", "t", In(kDay)).ok());
  ASSERT_TRUE(store_->backups()->Restore("b", "r").ok());
  EXPECT_TRUE(store_->DropTable("r").ok());
  EXPECT_EQ(Read("t"), kFilled);
}

TEST_F(BackupTest, ADamagedOneIsInNobodysWay) {
  Fill("t");
  ASSERT_TRUE(store_->backups()->Create("b", "t", In(kDay)).ok());
  for (const std::string& path : memory_.AllFiles()) {
    if (path.ends_with("/MANIFEST")) memory_.FlipByte(path, 40, 1);
  }
  Reopen();
  EXPECT_EQ(Read("t"), kFilled);
  EXPECT_TRUE(store_->backups()->List().empty());
  EXPECT_EQ(store_->metrics()->Snapshot()["backups_unreadable"], 1u);
}

// After every sync of a whole life of backups the power goes: what is there is whole.
TEST_F(BackupTest, PowerLosses) {
  Fill("t");
  Random random(7);
  size_t losses = 0, backups = 0;
  std::string step;
  faulty_.OnSync([&] {
    auto disk = memory_.CrashClone(&random);
    auto store = Open(disk.get());
    ASSERT_NE(store, nullptr);
    ++losses;
    for (const CatalogTable& table : store->ListTables()) {
      EXPECT_EQ(Read(store.get(), table.schema.name), kFilled) << step;
    }
    for (const BackupInfo& info : store->backups()->List()) {
      ++backups;
      EXPECT_TRUE(store->backups()->Restore(info.name, info.name).ok()) << step;
      EXPECT_EQ(Read(store.get(), info.name), kFilled) << step;
      EXPECT_TRUE(store->backups()->Delete(info.name).ok()) << step;
    }
    if (!store->GetTable("t").ok() && step == "drop") {
      EXPECT_TRUE(store->backups()->Undelete("t").ok());
      EXPECT_EQ(Read(store.get(), "t"), kFilled);
    }
  });
  step = "create";
  ASSERT_TRUE(store_->backups()->Create("b", "t", In(kDay)).ok());
  step = "copy";
  ASSERT_TRUE(store_->backups()->Copy("b", "c", In(kDay)).ok());
  step = "expiry";
  ASSERT_TRUE(store_->backups()->SetExpiry("b", In(kDay)).ok());
  step = "restore";
  ASSERT_TRUE(store_->backups()->Restore("b", "r").ok());
  step = "drop";
  ASSERT_TRUE(store_->backups()->DropTable("t", kDay).ok());
  ASSERT_TRUE(store_->backups()->Undelete("t").ok());
  step = "delete";
  ASSERT_TRUE(store_->backups()->Delete("b").ok());
  ASSERT_TRUE(store_->backups()->Delete("c").ok());
  faulty_.OnSync({});
  EXPECT_GT(losses, 20u);
  EXPECT_GT(backups, 10u);
  EXPECT_EQ(Read("t"), kFilled);
  EXPECT_EQ(Read("r"), kFilled);
}

// Every call of a life of backups fails once, and is made again.
TEST_F(BackupTest, EachCallThatFailsIsMadeAgain) {
  for (uint64_t n = 1;; ++n) {
    std::string table = fmt::format("t{}", n), restored = fmt::format("r{}", n);
    Fill(table);
    uint64_t before = faulty_.faults();
    faulty_.AddRule(*FaultRule::Parse(fmt::format("fail any /s/* {}", n)));
    auto made = store_->backups()->Create("b", table, In(kDay));
    bool failed = faulty_.faults() > before;
    if (made.ok() && !failed) {
      Status status = store_->backups()->Restore("b", restored);
      failed = faulty_.faults() > before;
      EXPECT_TRUE(status.ok() || failed) << status;
    }
    faulty_.ClearRules();
    if (!failed) break;
    if (!made.ok()) ASSERT_TRUE(store_->backups()->Create("b", table, In(kDay)).ok()) << n;
    if (!store_->GetTable(restored).ok()) {
      ASSERT_TRUE(store_->backups()->Restore("b", restored).ok()) << n;
    }
    EXPECT_EQ(Read(restored), kFilled) << n;
    EXPECT_EQ(Read(table), kFilled) << n;
    ASSERT_TRUE(store_->backups()->Delete("b").ok());
    ASSERT_TRUE(store_->DropTable(table).ok());
    ASSERT_TRUE(store_->DropTable(restored).ok());
    ASSERT_LT(n, 500u);
  }
}

}  // namespace
}  // namespace sippar::engine
