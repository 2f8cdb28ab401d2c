// A directory that a store has written is opened as a cluster: everything is there, whatever moment
// of the upgrade the machine lost its power at. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/support/store/backups.h"
#include "tests/support/store/store.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kHour = int64_t{3600} * 1'000'000;

int64_t Now() { return engine::Clock::System()->NowMicros(); }

TableSchema SchemaOf(const std::string& table) {
  TableSchema schema;
  schema.name = table;
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  return schema;
}

void Put(engine::Store* store, const std::string& table, const std::string& row,
         const std::string& value) {
  RowMutation mutation(row);
  mutation.Set("f", "q", value);
  EXPECT_OK(store->Apply(table, {&mutation}).front());
}

engine::StoreOptions Options(engine::FileSystem* fs) {
  engine::StoreOptions options;
  options.fs = fs;
  options.clock = engine::Clock::System();
  options.create_if_missing = true;
  options.background = false;
  return options;
}

// Flushed and not, split, altered, protected, dropped, saved; not closed.
void WriteStore(engine::FileSystem* fs) {
  auto opened = engine::Store::Open("/db", Options(fs));
  ASSERT_TRUE(opened.ok()) << opened.status();
  engine::Store* store = opened->get();
  EXPECT_OK(store->CreateTable(SchemaOf("t"), {"m"}));
  Put(store, "t", "a", "old");
  TableSchema anew = SchemaOf("t");
  anew.families[0].incarnation = 5;
  EXPECT_OK(store->AlterTable(anew, 1));
  Put(store, "t", "b", "1");
  EXPECT_OK(store->Flush("t"));
  EXPECT_OK(store->backups()->Create("saved", "t", Now() + kHour));
  Put(store, "t", "z", "2");
  TableSchema kept = SchemaOf("kept");
  kept.options[engine::kProtectedOption] = "true";
  EXPECT_OK(store->CreateTable(kept, {}));
  Put(store, "kept", "a", "3");
  for (const char* value : {"4", "5"}) {
    EXPECT_OK(store->CreateTable(SchemaOf("gone"), {}));
    Put(store, "gone", "a", value);
    EXPECT_OK(store->backups()->DropTable("gone", kHour));
  }
  EXPECT_OK(store->CreateTable(SchemaOf("gone"), {}));
  EXPECT_OK(store->records()->Put("note", "text", 0));
}

std::string Values(Client* client, const std::string& table) {
  ReadSpec read;
  read.rows = engine::RowSet::All();
  auto cells = client->data()->Read(table, read, {});
  if (!cells.ok()) return cells.status().ToString();
  std::string text;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    text += fmt::format("{}={} ", (*cells)->cell().row, (*cells)->cell().value);
  }
  EXPECT_OK((*cells)->status());
  return text;
}

std::unique_ptr<Client> Open(engine::FileSystem* fs) {
  ClientOptions options;
  options.fs = fs;
  auto client = OpenClient("/db", options);
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? std::move(*client) : nullptr;
}

void CheckTables(Client* client) {
  EXPECT_EQ(Values(client, "t"), "b=1 z=2 ");
  EXPECT_EQ(client->admin()->Do(calls::GetTable{"t"})->tablet_count, 2u);
  EXPECT_EQ(Values(client, "kept"), "a=3 ");
  EXPECT_CODE(client->admin()->Do(calls::DropTable{"kept"}), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Values(client, "gone"), "");
  EXPECT_EQ(client->admin()->Do(calls::GetRecord{"note"})->body, "text");
  ASSERT_EQ(client->admin()->Do(calls::ListBackups{})->size(), 1u);
  EXPECT_EQ(client->admin()->Do(calls::ListBackups{})->front().name, "saved");
}

TEST(StoreUpgradeTest, EverythingIsThereAndGoesOn) {
  engine::MemoryFileSystem disk;
  WriteStore(&disk);
  auto client = Open(&disk);
  ASSERT_NE(client, nullptr);
  CheckTables(client.get());
  // A family made anew is another one than those that the store had.
  TableSchema schema = client->admin()->Do(calls::GetTable{"t"})->schema;
  ++schema.families[0].incarnation;
  EXPECT_OK(client->admin()->Do(
      calls::AlterTable{schema, client->admin()->Do(calls::GetTable{"t"})->schema_version}));
  EXPECT_EQ(Values(client.get(), "t"), "");
  EXPECT_OK(client->data()->Apply("t", RowMutation("n").Set("f", "q", "6", 1)));
  EXPECT_OK(client->admin()->Do(calls::DropTable{"gone"}));
  EXPECT_OK(client->admin()->Do(calls::UndeleteTable{"gone"}));
  EXPECT_EQ(Values(client.get(), "gone"), "a=5 ");
  EXPECT_OK(client->admin()->Do(calls::RestoreTable{"saved", "again"}));
  EXPECT_EQ(Values(client.get(), "again"), "b=1 ");
  EXPECT_OK(client->Close());
  // No second time, and no program that takes it for a store.
  client = Open(&disk);
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(Values(client.get(), "t"), "n=6 ");
  EXPECT_OK(client->admin()->Do(calls::Verify{"t"}));
  EXPECT_OK(client->Close());
  EXPECT_CODE(engine::Store::Open("/db", Options(&disk)).status(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(*disk.Exists("/db/tablets"));
  EXPECT_FALSE(*disk.Exists("/db/CATALOG"));
}

TEST(StoreUpgradeTest, AMissingFileStopsItBeforeAnythingIsChanged) {
  engine::MemoryFileSystem disk;
  WriteStore(&disk);
  std::vector<std::string> files = *disk.List("/db/sst");
  ASSERT_FALSE(files.empty());
  const std::string path = "/db/sst/" + files.front();
  const std::string bytes = *engine::ReadFile(&disk, path, 1 << 20);
  EXPECT_OK(disk.Remove(path));
  ClientOptions options;
  options.fs = &disk;
  const Status refused = OpenClient("/db", options).status();
  EXPECT_CODE(refused, StatusCode::kDataLoss);
  EXPECT_NE(refused.message().find(path), std::string::npos) << refused;
  EXPECT_OK(engine::ReplaceFile(&disk, path, bytes));
  auto client = Open(&disk);
  ASSERT_NE(client, nullptr);
  CheckTables(client.get());
  EXPECT_OK(client->Close());
}

TEST(StoreUpgradeTest, WhatOldProgramsLeftUnfinishedGoes) {
  engine::MemoryFileSystem disk;
  WriteStore(&disk);
  const std::string backup = "/db/backups/00000000000000ff";  // killed before its MANIFEST
  EXPECT_OK(disk.CreateDir(backup));
  const std::vector<std::string> left = {backup + "/0000000100000001.sst",
                                         "/db/sst/00000000000000ee.sst", "/db/CATALOG.tmp",
                                         "/db/EPOCH.tmp"};
  for (const std::string& path : left) EXPECT_OK(engine::ReplaceFile(&disk, path, "half"));
  auto client = Open(&disk);
  ASSERT_NE(client, nullptr);
  CheckTables(client.get());
  for (const std::string& path : left) EXPECT_FALSE(*disk.Exists(path)) << path;
  EXPECT_FALSE(*disk.Exists(backup));
  EXPECT_OK(client->Close());
}

TEST(StoreUpgradeTest, ADamagedBackupStaysAndIsInNobodysWay) {
  engine::MemoryFileSystem disk;
  WriteStore(&disk);
  std::string lacking;  // one of its files
  const auto names = disk.List("/db/backups");
  for (const std::string& name : *names) {
    const std::string backup = "/db/backups/" + name;
    const auto files = disk.List(backup);
    for (const std::string& file : *files) {
      if (lacking.empty() && file.ends_with(".sst")) lacking = backup + "/" + file;
    }
  }
  ASSERT_FALSE(lacking.empty());
  EXPECT_OK(disk.Remove(lacking));
  auto client = Open(&disk);
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(Values(client.get(), "t"), "b=1 z=2 ");
  EXPECT_TRUE(*disk.Exists(lacking.substr(0, lacking.rfind('/')) + "/MANIFEST"));
  EXPECT_OK(client->Close());
}

TEST(StoreUpgradeTest, ADirectoryThatWasNotFinishedIsAnEmptyStore) {
  engine::MemoryFileSystem disk;
  auto store = engine::Store::Open("/db", Options(&disk));
  ASSERT_TRUE(store.ok()) << store.status();
  store->reset();
  EXPECT_OK(disk.Remove("/db/STORE"));  // comes last
  ClientOptions options;
  options.fs = &disk;
  options.create_if_missing = true;
  auto client = OpenClient("/db", options);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->admin()->Do(calls::ListTables{})->empty());
  EXPECT_OK((*client)->Close());
}

TEST(StoreUpgradeTest, APowerCutAtAnyMomentLosesNothing) {
  engine::MemoryFileSystem memory;
  WriteStore(&memory);
  engine::FaultFileSystem faulty(&memory);
  engine::Random random(7);
  std::vector<std::unique_ptr<engine::MemoryFileSystem>> disks;
  size_t syncs = 0;
  faulty.OnSync([&] {
    if (++syncs % 3 == 0) disks.push_back(memory.CrashClone(&random));
  });
  auto client = Open(&faulty);
  faulty.OnSync({});
  ASSERT_NE(client, nullptr);
  EXPECT_OK(client->Close());
  EXPECT_GT(disks.size(), 20u);
  for (const auto& disk : disks) {
    client = Open(disk.get());
    ASSERT_NE(client, nullptr);
    CheckTables(client.get());
    EXPECT_OK(client->Close());
  }
}

}  // namespace
}  // namespace sippar::cluster
