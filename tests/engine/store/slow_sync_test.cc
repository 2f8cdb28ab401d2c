// A store whose log has a slow sync, with power losses at many moments around it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

StoreOptions Options(FileSystem* fs, bool background) {
  StoreOptions options;
  options.fs = fs;
  options.clock = Clock::System();
  options.background = background;
  return options;
}

std::set<std::string> Rows(FileSystem* fs) {
  std::set<std::string> rows;
  auto store = HostedTables::Open("/db", Options(fs, /*background=*/false));
  EXPECT_TRUE(store.ok()) << store.status();
  if (!store.ok()) return rows;
  auto tablets = (*store)->Tablets("t");
  EXPECT_TRUE(tablets.ok()) << tablets.status();
  for (const auto& tablet : *tablets) {
    auto cells = tablet->Read({});
    EXPECT_TRUE(cells.ok()) << cells.status();
    if (!cells.ok()) return rows;
    for (; (*cells)->Valid(); (*cells)->Next()) rows.emplace((*cells)->cell().row);
  }
  return rows;
}

TEST(SlowSyncTest, WhatWasAcknowledgedAroundASwitchOfWritersSurvives) {
  MemoryFileSystem memory;
  FaultFileSystem faulty(&memory);
  auto store = std::move(*HostedTables::Open("/db", Options(&faulty, /*background=*/true)));
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"f", FamilyType::kBytes, {}}};
  ASSERT_TRUE(store->CreateTable(schema, {"2"}).ok());
  faulty.AddRule(*FaultRule::Parse("delay:400 sync */wal/*-00000001.log 5+"));
  Mutex mutex;
  std::set<std::string> acknowledged;
  std::vector<std::pair<std::set<std::string>, std::unique_ptr<MemoryFileSystem>>> moments;
  Random crash(11);
  faulty.OnSync([&] {
    MutexLock lock(&mutex);
    moments.emplace_back(acknowledged, memory.CrashClone(&crash));
  });
  {
    std::vector<Thread> writers;
    for (int t = 0; t < 4; ++t) {
      writers.emplace_back("writer", [&, t] {
        for (int i = 0; i < 20; ++i) {
          RowMutation mutation(fmt::format("{}-{}", t, i));
          ASSERT_TRUE(store->Apply("t", {&mutation.Set("f", "q", "v", 1)}).front().ok());
          MutexLock lock(&mutex);
          acknowledged.insert(mutation.row);
        }
      });
    }
  }
  EXPECT_GE(store->metrics()->Get("log_switches")->value(), 1u);
  faulty.OnSync({});
  ASSERT_TRUE(store->Close().ok());
  store.reset();
  EXPECT_GT(moments.size(), 20u);
  for (const auto& [expected, disk] : moments) {
    std::set<std::string> rows = Rows(disk.get());
    for (const std::string& row : expected) EXPECT_TRUE(rows.contains(row)) << row << " is lost";
  }
  EXPECT_EQ(Rows(&memory), acknowledged);
}

TEST(SlowSyncTest, WritesOfARowThatReadNothingShareASync) {
  MemoryFileSystem memory;
  FaultFileSystem faulty(&memory);
  auto store = std::move(*HostedTables::Open("/db", Options(&faulty, /*background=*/false)));
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"f", FamilyType::kBytes, {}}, {"n", FamilyType::kCounter, {}}};
  ASSERT_TRUE(store->CreateTable(schema, {}).ok());
  Counter* groups = store->metrics()->Get("log_groups");
  // Runs four writers at once, each with a batch that contains the row.
  auto groups_of = [&](const RowMutation& of_row) {
    uint64_t before = groups->value();
    std::vector<Thread> writers;
    for (int t = 0; t < 4; ++t) {
      writers.emplace_back("writer", [&, t] {
        RowMutation other(fmt::format("other{}", t));
        for (const Status& status : store->Apply("t", {&other.Set("f", "q", "v"), &of_row})) {
          EXPECT_TRUE(status.ok()) << status;
        }
      });
    }
    writers.clear();
    return groups->value() - before;
  };
  RowMutation put("row");
  put.Set("f", "q", "v");
  RowMutation count("row");
  count.Increment("n", "q", 1);
  EXPECT_LE(groups_of(put), 4u) << "opens the segment";
  faulty.AddRule(*FaultRule::Parse("delay:300 sync */wal/* 1+"));
  EXPECT_LE(groups_of(put), 3u) << "one in the first sync, whoever has come meanwhile in the next";
  EXPECT_GE(groups_of(count), 4u) << "each reads what the one before it has written";
}

}  // namespace
}  // namespace sippar::engine
