// OpenClient of a directory: a cluster of one server that is created, closed, killed, swept, and
// read on a disk that rejects writes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "cluster/client/client.h"
#include "cluster/node/embedded_node.h"
#include "cluster/node/open_client.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/support/power_cuts.h"

namespace sippar::cluster {
namespace {

StatusOr<std::unique_ptr<Client>> TryOpen(engine::FileSystem* fs, bool create = true) {
  ClientOptions options;
  options.fs = fs;
  options.create_if_missing = create;
  options.memory_limit = 64 << 20;
  return OpenClient("/db", options);
}

std::unique_ptr<Client> Open(engine::FileSystem* fs) {
  auto client = TryOpen(fs);
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? std::move(*client) : nullptr;
}

TableSchema Schema(const std::string& name) {
  TableSchema schema;
  schema.name = name;
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  return schema;
}

Status Put(Client* client, const std::string& row, const std::string& value) {
  return client->data()->Apply("t", RowMutation(row).Set("f", "q", value));
}

std::string Rows(Client* client, const std::string& table = "t") {
  ReadSpec read;
  read.rows = engine::RowSet::All();
  read.versions_per_column = 1;
  auto cells = client->data()->Read(table, read, {});
  if (!cells.ok()) return cells.status().ToString();
  std::string text;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    text += fmt::format("{}={} ", (*cells)->cell().row, (*cells)->cell().value);
  }
  EXPECT_OK((*cells)->status());
  return text;
}

size_t FilesIn(engine::MemoryFileSystem* disk, const std::string& directory) {
  auto names = disk->List(directory);
  return names.ok() ? names->size() : 0;
}

// The disk as a process that ends now leaves it.
std::unique_ptr<engine::MemoryFileSystem> Killed(engine::MemoryFileSystem* disk) {
  engine::Random random(1);
  return disk->CrashClone(&random);
}

TEST(EmbeddedNodeTest, OnlyAStoreOrAnEmptyDirectoryIsOpened) {
  engine::MemoryFileSystem disk;
  EXPECT_CODE(TryOpen(&disk, false).status(), StatusCode::kNotFound);
  EXPECT_FALSE(*disk.Exists("/db"));
  EXPECT_OK(disk.CreateDir("/db"));
  EXPECT_CODE(TryOpen(&disk, false).status(), StatusCode::kNotFound);
  EXPECT_EQ(FilesIn(&disk, "/db"), 0u);
  EXPECT_OK(engine::ReplaceFile(&disk, "/db/letter", "dear"));
  EXPECT_CODE(TryOpen(&disk).status(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(FilesIn(&disk, "/db"), 1u);
  EXPECT_OK(disk.Remove("/db/letter"));
  ASSERT_NE(Open(&disk), nullptr);
  EXPECT_TRUE(TryOpen(&disk, false).ok());
  EXPECT_OK(engine::ReplaceFile(&disk, "/db/STORE", "sippar store\nformat 3\n"));
  EXPECT_CODE(TryOpen(&disk).status(), StatusCode::kFailedPrecondition);
}

TEST(EmbeddedNodeTest, OneProcessHasIt) {
  engine::MemoryFileSystem disk;
  auto client = Open(&disk);
  EXPECT_CODE(TryOpen(&disk).status(), StatusCode::kUnavailable);
  EXPECT_OK(client->Close());
  EXPECT_TRUE(TryOpen(&disk).ok());
}

TEST(EmbeddedNodeTest, WhatWasTakenAwayIsMissed) {
  for (const char* name : {"/db/wal", "/db/sst", "/db/lock"}) {
    engine::MemoryFileSystem disk;
    EXPECT_OK(Open(&disk)->Close());
    EXPECT_OK(disk.Rename(name, "/elsewhere"));
    EXPECT_CODE(TryOpen(&disk).status(), StatusCode::kDataLoss);
    EXPECT_FALSE(*disk.Exists(name));
  }
}

TEST(EmbeddedNodeTest, APowerCutWhileItIsMadeLosesNothing) {
  engine::MemoryFileSystem memory;
  engine::FaultFileSystem faulty(&memory);
  engine::PowerCuts cuts(&memory, 7);
  faulty.OnSync([&] { cuts.Take(); });
  auto client = Open(&faulty);
  ASSERT_NE(client, nullptr);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {}}));
  faulty.OnSync({});
  const auto disks = cuts.End();
  EXPECT_GT(disks.size(), 10u);
  for (const auto& disk : disks) {
    auto again = Open(disk.get());
    ASSERT_NE(again, nullptr);
    Status made = again->admin()->Do(calls::CreateTable{Schema("t"), {}});
    EXPECT_TRUE(made.ok() || made.code() == StatusCode::kAlreadyExists) << made;
    EXPECT_OK(Put(again.get(), "a", "1"));
    EXPECT_EQ(Rows(again.get()), "a=1 ");
  }
}

// Names that a killed process has made are only in memory: the next start reads them, and then the
// power is cut (simulator, seed 720).
TEST(EmbeddedNodeTest, APowerCutAfterAKillWhileItIsMadeLosesNothing) {
  bool is_made = false;
  for (int life = 1; !is_made; ++life) {  // each life may make this many calls
    engine::MemoryFileSystem memory;
    engine::FaultFileSystem dying(&memory);
    int calls = 0;
    dying.OnCall([&](const char* operation, const std::string& path, engine::FaultRule::Effect*) {
      is_made |=
          operation == std::string("syncdir") && path == "/db" && *memory.Exists("/db/STORE");
      return ++calls > life ? Unavailable("killed") : OkStatus();
    });
    EXPECT_FALSE(TryOpen(&dying).ok());
    memory.Crash(nullptr);
    engine::PowerCuts cuts(&memory, static_cast<uint64_t>(life));
    engine::FaultFileSystem faulty(&memory);
    faulty.OnSync([&] { cuts.Take(6); });
    auto next = Open(&faulty);
    faulty.OnSync({});
    ASSERT_NE(next, nullptr) << life;
    next.reset();
    for (const auto& left : cuts.End()) ASSERT_NE(Open(left.get()), nullptr) << life;
  }
}

TEST(EmbeddedNodeTest, LivesLeaveNothingBehind) {
  engine::MemoryFileSystem disk;
  std::unique_ptr<engine::MemoryFileSystem> killed;  // outlives the client
  auto client = Open(&disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {"m"}}));
  EXPECT_OK(Put(client.get(), "a", "0"));
  EXPECT_OK(client->admin()->Do(calls::CreateBackup{"b", "t", INT64_MAX}));
  size_t most = 0;
  for (int life = 0; life < 60; ++life) {
    EXPECT_OK(Put(client.get(), "a", std::to_string(life)));
    EXPECT_OK(Put(client.get(), fmt::format("x{}", life), "v"));
    if (life % 3 == 0) {
      auto left = Killed(killed == nullptr ? &disk : killed.get());
      client.reset();
      killed = std::move(left);
    } else {
      EXPECT_OK(client->Close());
    }
    client = Open(killed.get());
    ASSERT_NE(client, nullptr);
    most = std::max(most, FilesIn(killed.get(), "/db/sst"));
    EXPECT_LE(FilesIn(killed.get(), "/db/wal"), 5u) << life;
  }
  EXPECT_LE(most, 80u);
  EXPECT_EQ(Rows(client.get()).substr(0, 5), "a=59 ");
  EXPECT_OK(client->admin()->Do(calls::RestoreTable{"b", "again"}));
  EXPECT_EQ(Rows(client.get(), "again"), "a=0 ");
  EXPECT_OK(client->admin()->Do(calls::Verify{"t"}));
}

TEST(EmbeddedNodeTest, LivesThatAreKilledDoNotPileUpTheirLogs) {
  std::vector<std::unique_ptr<engine::MemoryFileSystem>> disks;
  disks.push_back(std::make_unique<engine::MemoryFileSystem>());
  size_t most = 0;
  for (int life = 0; life < 20; ++life) {
    auto client = Open(disks.back().get());
    ASSERT_NE(client, nullptr);
    if (life == 0) EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {}}));
    EXPECT_OK(Put(client.get(), fmt::format("{:02}", life), "v"));
    engine::Clock::System()->SleepMicros(100'000);  // lets background work run
    most = std::max(most, FilesIn(disks.back().get(), "/db/wal"));
    disks.push_back(Killed(disks.back().get()));
  }
  EXPECT_LE(most, 10u);
  auto client = Open(disks.back().get());
  ASSERT_NE(client, nullptr);
  std::string rows = Rows(client.get());
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '='), 20);
}

TEST(EmbeddedNodeTest, ATableIsDroppedWhenTheDiskIsFull) {
  engine::MemoryFileSystem disk;
  auto client = Open(&disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {}}));
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("large"), {}}));
  EXPECT_OK(Put(client.get(), "a", "1"));
  uint64_t used = 0;
  for (const std::string& path : disk.AllFiles()) used += *disk.FileSize(path);
  disk.SetCapacity(used);
  EXPECT_CODE(Put(client.get(), "b", std::string(4 << 20, 'x')), StatusCode::kResourceExhausted);
  EXPECT_CODE(client->admin()->Do(calls::CreateTable{Schema("more"), {}}),
              StatusCode::kResourceExhausted);
  EXPECT_OK(client->admin()->Do(calls::DropTable{"large"}));
  EXPECT_FALSE(*disk.Exists("/db/RESERVE"));
  EXPECT_CODE(client->admin()->Do(calls::GetTable{"large"}).status(), StatusCode::kNotFound);
  EXPECT_EQ(Rows(client.get()), "a=1 ");
  disk.SetCapacity(0);
  EXPECT_OK(Put(client.get(), "b", "2"));
  EXPECT_OK(client->Close());
  client = Open(&disk);
  EXPECT_EQ(Rows(client.get()), "a=1 b=2 ");
  EXPECT_TRUE(*disk.Exists("/db/RESERVE"));
}

TEST(EmbeddedNodeTest, ADiskThatTakesNothingIsRead) {
  engine::MemoryFileSystem disk;
  auto client = Open(&disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {"m"}}));
  EXPECT_OK(Put(client.get(), "a", "1"));
  EXPECT_OK(client->admin()->Do(calls::Flush{"t"}));
  EXPECT_OK(Put(client.get(), "z", "2"));
  auto left = Killed(&disk);
  client.reset();
  engine::FaultFileSystem faulty(left.get());
  auto names = left->AllFiles();
  ClientOptions options;
  options.fs = &faulty;
  auto reading = OpenForReading("/db", options, DiskFull("no space left"));
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(Rows(reading->get()), "a=1 z=2 ");
  EXPECT_FALSE((*reading)->has_refused());
  Status put = Put(reading->get(), "b", "3");
  EXPECT_CODE(put, StatusCode::kResourceExhausted);
  EXPECT_TRUE((*reading)->has_refused());
  EXPECT_EQ(Rows(reading->get()), "a=1 z=2 ");
  // The directory is locked all the same.
  EXPECT_CODE(TryOpen(left.get()).status(), StatusCode::kUnavailable);
  EXPECT_OK((*reading)->Close());
  EXPECT_EQ(left->AllFiles(), names);
  auto again = Open(left.get());
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(Rows(again.get()), "a=1 z=2 ");
}

// A process serves its own reads, and such a scan does not record what it has returned: a retried
// scan returned the tablet's rows twice (simulator, seed 244).
TEST(EmbeddedNodeTest, AReadThatFailsOnceRepeatsNoRow) {
  constexpr int kRows = 300;
  engine::MemoryFileSystem disk;
  auto client = Open(&disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {"r150"}}));
  // Random values cannot be compressed, so a scan has many blocks.
  engine::Random random(1);
  for (int i = 0; i < kRows; ++i) {
    std::string value(3'000, '\0');
    for (char& byte : value) byte = static_cast<char>(random.Uniform(256));
    EXPECT_OK(Put(client.get(), fmt::format("r{:03}", i), value));
  }
  EXPECT_OK(client->admin()->Do(calls::Flush{"t"}));
  EXPECT_OK(client->Close());
  engine::FaultFileSystem faulty(&disk);
  int broken = 0;
  // Some reads fail while a tablet is being opened, which is retried.
  for (uint64_t nth = 1; nth <= 16; ++nth) {
    // A new process has an empty block cache.
    std::unique_ptr<Client> reader = TryOpen(&faulty).value();
    engine::FaultRule rule = *engine::FaultRule::Parse(fmt::format("fail read *.sst {}", nth));
    faulty.AddRule(rule);
    auto cells = reader->data()->Read("t", {}, {});
    ASSERT_TRUE(cells.ok()) << cells.status();
    int seen = 0;
    for (; (*cells)->Valid(); (*cells)->Next()) {
      EXPECT_EQ((*cells)->cell().row, fmt::format("r{:03}", seen)) << nth;
      ++seen;
    }
    broken += (*cells)->status().ok() ? 0 : 1;
    if ((*cells)->status().ok()) EXPECT_EQ(seen, kRows);
    faulty.ClearRules();
    EXPECT_EQ(Rows(reader.get()).size(), static_cast<size_t>(kRows) * 3'006);
  }
  EXPECT_GT(broken, 0);
}

// The server's time decides for f:q, the position in the log for f:r: both must show the same last
// writer (simulator, seed 2530).
TEST(EmbeddedNodeTest, C2_NoMixOfTwoWritesIsTheNewest) {
  engine::MemoryFileSystem disk;
  auto client = Open(&disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{Schema("t"), {}}));
  constexpr int kWriters = 4;
  constexpr int kRounds = 10'000;
  std::vector<engine::Thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back("writer", [&client, writer] {
      for (int round = 0; round < kRounds; ++round) {
        RowMutation mutation(fmt::format("r{}", round));
        const std::string value = fmt::format("{}", writer);
        mutation.Set("f", "q", value).Set("f", "r", value, 1);
        EXPECT_OK(client->data()->Apply("t", mutation));
      }
    });
  }
  for (engine::Thread& writer : writers) writer.Join();
  ReadSpec read;
  read.versions_per_column = 1;
  auto cells = client->data()->Read("t", read, {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  int mixed = 0;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    const std::string by_time((*cells)->cell().value);
    (*cells)->Next();
    mixed += by_time == (*cells)->cell().value ? 0 : 1;
  }
  EXPECT_EQ(mixed, 0);
}

}  // namespace
}  // namespace sippar::cluster
