// Backups of a directory, opened as by every command, on a faulty disk: power losses in between,
// failing calls, a full disk.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/node/embedded_node.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kHour = int64_t{3600} * 1'000'000;
constexpr const char* kFilled = "a=2 b=1 x=1 y=1 z=3 ";

std::unique_ptr<Client> Open(engine::FileSystem* fs) {
  engine::StoreOptions options;
  options.fs = fs;
  options.clock = engine::Clock::System();
  options.create_if_missing = true;
  options.background = false;  // only the test's own calls use the file system
  auto client = OpenEmbedded("/db", options);
  EXPECT_OK(client);
  return client.ok() ? *std::move(client) : nullptr;
}

int64_t InAnHour() { return engine::Clock::System()->NowMicros() + kHour; }

void Write(Client* client, const std::string& table, const std::string& row,
           const std::string& value) {
  EXPECT_OK(client->data()->Apply(table, RowMutation(row).Set("f", "q", value, 1)));
}

// Makes a table with one file shared by two tablets, one file of a single tablet, and cells in
// memory.
void Fill(Client* client, const std::string& table) {
  TableSchema schema;
  schema.name = table;
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  EXPECT_OK(client->admin()->Do(calls::CreateTable{schema, {}}));
  for (const char* row : {"a", "b", "x", "y"}) Write(client, table, row, "1");
  EXPECT_OK(client->admin()->Do(calls::Flush{table}));
  EXPECT_OK(client->admin()->Do(calls::Split{table, "m"}));
  Write(client, table, "a", "2");
  EXPECT_OK(client->admin()->Do(calls::Flush{table}));
  Write(client, table, "z", "3");
}

std::string Rows(Client* client, const std::string& table) {
  auto cells = client->data()->Read(table, ReadSpec(), {});
  if (!cells.ok()) return cells.status().ToString();
  std::string text;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    text += fmt::format("{}={} ", (*cells)->cell().row, (*cells)->cell().value);
  }
  return (*cells)->status().ok() ? text : (*cells)->status().ToString();
}

// Checks that every existing table is complete, that every backup can be restored, and that a table
// that was being dropped exists or can be undeleted.
void CheckAfterPowerLoss(engine::FileSystem* disk, bool may_be_dropped, size_t* backups) {
  auto client = Open(disk);
  ASSERT_NE(client, nullptr);
  auto tables = client->admin()->Do(calls::ListTables{});
  EXPECT_OK(tables);
  for (const TableInfo& table : *tables) EXPECT_EQ(Rows(client.get(), table.schema.name), kFilled);
  auto all = client->admin()->Do(calls::ListBackups{});
  EXPECT_OK(all);
  for (const BackupInfo& info : *all) {
    ++*backups;
    EXPECT_OK(client->admin()->Do(calls::RestoreTable{info.name, "of_" + info.name}));
    EXPECT_EQ(Rows(client.get(), "of_" + info.name), kFilled);
    EXPECT_OK(client->admin()->Do(calls::DeleteBackup{info.name}));
  }
  if (may_be_dropped && !client->admin()->Do(calls::GetTable{"t"}).ok()) {
    EXPECT_OK(client->admin()->Do(calls::UndeleteTable{"t"}));
  }
  EXPECT_EQ(Rows(client.get(), "t"), kFilled);
}

TEST(BackupFaultsTest, AfterAPowerLossWhatIsThereIsWhole) {
  engine::MemoryFileSystem memory;
  engine::FaultFileSystem faulty(&memory);
  auto client = Open(&faulty);
  Fill(client.get(), "t");
  engine::Random random(7);
  engine::Mutex mutex;
  std::vector<std::unique_ptr<engine::MemoryFileSystem>> disks;
  size_t losses = 0, backups = 0;
  auto check_after = [&](const char* step, const auto& call) {
    SCOPED_TRACE(step);
    faulty.OnSync([&] {
      engine::MutexLock lock(&mutex);
      disks.push_back(memory.CrashClone(&random));
    });
    auto result = call(client->admin());
    EXPECT_OK(result);
    faulty.OnSync({});
    engine::MutexLock lock(&mutex);
    for (const auto& disk : disks) {
      CheckAfterPowerLoss(disk.get(), /*may_be_dropped=*/step == std::string("drop"), &backups);
    }
    losses += disks.size();
    disks.clear();
  };
  check_after("create", [](auto* to) { return to->Do(calls::CreateBackup{"b", "t", InAnHour()}); });
  check_after("copy", [](auto* to) { return to->Do(calls::CopyBackup{"b", "c", InAnHour()}); });
  check_after("expiry", [](auto* to) { return to->Do(calls::SetBackupExpiry{"b", InAnHour()}); });
  check_after("restore", [](auto* to) { return to->Do(calls::RestoreTable{"b", "r"}); });
  check_after("drop", [](auto* to) -> Status {
    RETURN_IF_ERROR(to->Do(calls::DropAndKeepTable{"t", kHour}));
    return to->Do(calls::UndeleteTable{"t"});
  });
  check_after("delete", [](auto* to) -> Status {
    RETURN_IF_ERROR(to->Do(calls::DeleteBackup{"b"}));
    return to->Do(calls::DeleteBackup{"c"});
  });
  EXPECT_GT(losses, 20u);
  EXPECT_GT(backups, 10u);
  EXPECT_EQ(Rows(client.get(), "t"), kFilled);
  EXPECT_EQ(Rows(client.get(), "r"), kFilled);
}

// While a backup is made and restored, one call of the file system fails, in turn every fourth (a
// call after which the log accepts no more writes costs ten seconds). The next process finds the
// acknowledged results and can make the others.
TEST(BackupFaultsTest, WhatFailsIsMadeAgain) {
  bool has_failed = true;
  uint64_t n = 1;
  for (; has_failed; n += 4) {
    SCOPED_TRACE(fmt::format("call {} fails", n));
    engine::MemoryFileSystem memory;
    engine::FaultFileSystem faulty(&memory);
    auto client = Open(&faulty);
    Fill(client.get(), "t");
    faulty.AddRule(*engine::FaultRule::Parse(fmt::format("fail any /db/* {}", n)));
    Status made = client->admin()->Do(calls::CreateBackup{"b", "t", InAnHour()}).status();
    Status restored = made.ok() ? client->admin()->Do(calls::RestoreTable{"b", "r"}) : made;
    has_failed = faulty.faults() > 0;
    EXPECT_TRUE((made.ok() && restored.ok()) || has_failed) << made << " " << restored;
    faulty.ClearRules();
    (void)client->Close();
    client = Open(&memory);
    ASSERT_NE(client, nullptr);
    bool has_backup = client->admin()->Do(calls::GetBackup{"b"}).ok();
    EXPECT_TRUE(has_backup || !made.ok());
    if (!has_backup) EXPECT_OK(client->admin()->Do(calls::CreateBackup{"b", "t", InAnHour()}));
    bool has_table = client->admin()->Do(calls::GetTable{"r"}).ok();
    EXPECT_TRUE(has_table || !restored.ok());
    if (!has_table) EXPECT_OK(client->admin()->Do(calls::RestoreTable{"b", "r"}));
    EXPECT_EQ(Rows(client.get(), "r"), kFilled);
    EXPECT_EQ(Rows(client.get(), "t"), kFilled);
    EXPECT_OK(client->admin()->Do(calls::DeleteBackup{"b"}));
    if (HasFailure()) break;
  }
  EXPECT_GT(n, 20u);
}

TEST(BackupFaultsTest, OnAFullDiskADroppedTableIsNotKept) {
  engine::MemoryFileSystem disk;
  auto client = Open(&disk);
  Fill(client.get(), "t");
  EXPECT_OK(client->admin()->Do(calls::Flush{"t"}));
  disk.SetCapacity(disk.used_bytes());
  EXPECT_OK(client->admin()->Do(calls::DropAndKeepTable{"t", kHour}));
  EXPECT_CODE(client->admin()->Do(calls::GetTable{"t"}).status(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace sippar::cluster
