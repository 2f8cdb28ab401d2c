// Row D2: `sippar admin log salvage` on a log with one damaged byte, and after power losses.
// tests/cli/admin_test.py tests it through the program.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/salvage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "cluster/api/store_paths.h"
#include "cluster/node/embedded_node.h"
#include "engine/base/thread.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

using ::testing::HasSubstr;

constexpr int kRows = 12;

// Rows belong to two tablets in turn.
std::string RowOf(int i) { return fmt::format("{:03}", i % 2 == 0 ? i : 500 + i); }

StatusOr<std::unique_ptr<Client>> Open(engine::FileSystem* fs) {
  engine::StoreOptions options;
  options.fs = fs;
  options.clock = engine::Clock::System();
  options.create_if_missing = true;
  options.background = false;
  options.log_segment_size = 300;
  return OpenEmbedded("/db", options);
}

std::unique_ptr<engine::MemoryFileSystem> ImageOf(engine::MemoryFileSystem* disk) {
  engine::Random random(1);
  return disk->CrashClone(&random);
}

// A store whose process was killed after kRows rows, which only the log has.
std::unique_ptr<engine::MemoryFileSystem> KilledStore() {
  engine::MemoryFileSystem disk;
  TableSchema schema;
  schema.name = "t";
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  auto client = *Open(&disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{schema, {"500"}}));
  EXPECT_OK(client->Close());  // METADATA and the table are now in files
  client = *Open(&disk);
  for (int i = 0; i < kRows; ++i) {
    EXPECT_OK(client->data()->Apply("t", RowMutation(RowOf(i)).Set("f", "q", "v", 1)));
  }
  return ImageOf(&disk);
}

std::vector<std::string> LogsOf(engine::MemoryFileSystem* disk) {
  std::vector<std::string> logs;
  for (const std::string& path : disk->AllFiles()) {
    if (path.ends_with(".log")) logs.push_back(path);
  }
  return logs;
}

void EmptySealedLogs(engine::MemoryFileSystem* disk) {
  int removed = 0;
  for (const std::string& path : disk->AllFiles()) {
    if (path.find(".sealed/") == std::string::npos) continue;
    EXPECT_OK(disk->Remove(path));
    ++removed;
  }
  EXPECT_GT(removed, 0);
}

// The rows of the store; nullopt: an error.
std::optional<std::set<std::string>> RowsIn(Client* client) {
  auto cells = client->data()->Read("t", ReadSpec(), {});
  if (!cells.ok()) return std::nullopt;
  std::set<std::string> rows;
  for (; (*cells)->Valid(); (*cells)->Next()) rows.emplace((*cells)->cell().row);
  if (!(*cells)->status().ok()) return std::nullopt;
  return rows;
}

class SalvageTest : public testing::Test {
 protected:
  // Returns what the salvage printed.
  static std::string Salvage(engine::FileSystem* disk, bool drop) {
    std::string report;
    auto print = [&](std::string_view line) { report.append(line).append("\n"); };
    Status status = SalvageLog(disk, "/db", drop, print);
    EXPECT_TRUE(status.ok()) << status << "\n" << report;
    return report;
  }

  // Salvages the disk. Returns what power losses at each of the salvage's syncs would have left.
  static std::vector<std::unique_ptr<engine::MemoryFileSystem>> SalvageWithPowerLosses(
      engine::MemoryFileSystem* disk) {
    engine::FaultFileSystem faulty(disk);
    engine::Random random(1);
    engine::Mutex mutex;  // several threads of the salvage sync
    std::vector<std::unique_ptr<engine::MemoryFileSystem>> crashed;
    faulty.OnSync([&] {
      engine::MutexLock lock(&mutex);
      for (int i = 0; i < 5; ++i) crashed.push_back(disk->CrashClone(&random));
    });
    Salvage(&faulty, /*drop=*/true);
    EXPECT_GT(crashed.size(), 15u);
    return crashed;
  }

  // `lost_unsaid_max`: limit of lost rows that the report does not mention.
  static void CheckRows(Client* client, const std::string& report, int lost_unsaid_max) {
    std::optional<std::set<std::string>> found = RowsIn(client);
    ASSERT_TRUE(found.has_value());
    int lost_unsaid = 0;
    bool tablet_ended[2] = {false, false};
    for (int i = 0; i < kRows; ++i) {
      bool is_there = found->contains(RowOf(i));
      EXPECT_FALSE(is_there && tablet_ended[i % 2]) << "after a gap: " << i;
      tablet_ended[i % 2] |= !is_there;
      bool is_told = report.find("row " + RowOf(i)) != std::string::npos;
      EXPECT_FALSE(is_there && is_told) << i;
      lost_unsaid += is_there || is_told ? 0 : 1;
    }
    EXPECT_LE(lost_unsaid, lost_unsaid_max) << report;
    EXPECT_TRUE(!tablet_ended[0] || !tablet_ended[1]) << "one byte, two tablets\n" << report;
  }
};

// A salvage reports what is lost, and loses only the damaged record and the later records of the
// same tablet.
TEST_F(SalvageTest, D2_EveryTabletIsKeptUpToItsFirstLoss) {
  // Each byte opens the store up to three times. With a sanitizer every seventh byte would take
  // more than 10 minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr size_t kStep = 97;
  constexpr int kSalvagedMin = 5;
#else
  constexpr size_t kStep = 7;
  constexpr int kSalvagedMin = 50;
#endif
  const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
  const std::vector<std::string> logs = LogsOf(killed.get());
  ASSERT_GE(logs.size(), 3u);
  int salvaged = 0;
  for (const std::string& log : logs) {
    for (size_t at = 0; at < *killed->FileSize(log) && !HasFailure(); at += kStep) {
      SCOPED_TRACE(fmt::format("{} @{}", log, at));
      std::unique_ptr<engine::MemoryFileSystem> disk = ImageOf(killed.get());
      disk->FlipByte(log, at, 0x10);
      Status refused = Open(disk.get()).status();
      if (refused.ok()) continue;  // damage in the last group is a torn tail
      ++salvaged;
      EXPECT_THAT(std::string(MessageOf(refused)), HasSubstr("sippar admin log salvage /db"));
      std::string report = Salvage(disk.get(), /*drop=*/false);
      EXPECT_THAT(report, HasSubstr(log + ": @"));
      EXPECT_THAT(report, HasSubstr("nothing was changed"));
      EXPECT_CODE(Open(disk.get()).status(), StatusCode::kDataLoss);
      Salvage(disk.get(), /*drop=*/true);
      auto client = Open(disk.get());
      ASSERT_TRUE(client.ok()) << client.status();
      CheckRows(client->get(), report, /*lost_unsaid_max=*/1);
      EXPECT_OK((*client)->data()->Apply("t", RowMutation("later").Set("f", "q", "x", 1)));
    }
  }
  EXPECT_GT(salvaged, kSalvagedMin);
}

TEST_F(SalvageTest, D2_AWholeLogStays) {
  const std::unique_ptr<engine::MemoryFileSystem> whole = KilledStore();
  const std::vector<std::string> before = whole->AllFiles();
  EXPECT_THAT(Salvage(whole.get(), /*drop=*/true), HasSubstr("the log is whole"));
  EXPECT_EQ(whole->AllFiles(), before);
}

// A sealed log that METADATA names is lost, and an operator has made an empty directory in its
// place.
TEST_F(SalvageTest, D2_ALogOfWhichNothingIsLeftIsGivenUp) {
  const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
  auto client = Open(killed.get());
  ASSERT_TRUE(client.ok()) << client.status();
  // Killed again, after the recovery and before a flush.
  std::unique_ptr<engine::MemoryFileSystem> disk = ImageOf(killed.get());
  EmptySealedLogs(disk.get());
  EXPECT_CODE(Open(disk.get()).status(), StatusCode::kDataLoss);
  EXPECT_THAT(Salvage(disk.get(), /*drop=*/true), HasSubstr("all its segments are missing"));
  auto again = Open(disk.get());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(RowsIn(again->get()), std::set<std::string>());
}

// A start refuses a log that a record names and that has no SEAL.
TEST_F(SalvageTest, D2_ALostSealIsWrittenAgain) {
  const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
  auto client = Open(killed.get());
  ASSERT_TRUE(client.ok()) << client.status();
  std::unique_ptr<engine::MemoryFileSystem> disk = ImageOf(killed.get());
  for (const std::string& path : disk->AllFiles()) {
    if (path.ends_with("/SEAL")) EXPECT_OK(disk->Remove(path));
  }
  EXPECT_CODE(Open(disk.get()).status(), StatusCode::kDataLoss);
  EXPECT_THAT(Salvage(disk.get(), /*drop=*/false), HasSubstr("its SEAL is missing"));
  EXPECT_THAT(Salvage(disk.get(), /*drop=*/true), HasSubstr(": sealed"));
  auto again = Open(disk.get());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(RowsIn(again->get())->size(), size_t{kRows});
}

// A server whose start failed leaves an empty log under the name of a sealed one.
TEST_F(SalvageTest, D2_AnEmptyLogThatNoRecordNamesIsNoLoss) {
  const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
  EXPECT_OK(killed->CreateDir(store_paths::SealedLog("/db", ServerId{"server", 999})));
  const std::vector<std::string> before = killed->AllFiles();
  EXPECT_THAT(Salvage(killed.get(), /*drop=*/false), HasSubstr("the log is whole"));
  EXPECT_THAT(Salvage(killed.get(), /*drop=*/true), HasSubstr("the log is whole"));
  EXPECT_EQ(killed->AllFiles(), before);
  EXPECT_OK(Open(killed.get()).status());
}

// The log of the life that the records name as their server is lost, and an operator has made an
// empty directory in its place. With OWNER it would be the log of a life that wrote nothing.
TEST_F(SalvageTest, D2_ALostLogOfTheLastLifeIsNamed) {
  for (bool has_owner : {false, true}) {
    SCOPED_TRACE(has_owner);
    const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
    std::string lost;
    for (const std::string& path : killed->AllFiles()) {
      const size_t name = path.rfind('/');
      if (!path.starts_with("/db/wal/") || path.find(".sealed/") != std::string::npos) continue;
      lost = path.substr(0, name);
      EXPECT_OK(killed->Remove(path));
    }
    ASSERT_NE(lost, "");
    EXPECT_OK(killed->CreateDir(lost + ".sealed"));
    if (has_owner) EXPECT_OK(killed->Create(store_paths::LogOwner(lost + ".sealed")).status());
    EXPECT_THAT(Salvage(killed.get(), /*drop=*/true),
                HasSubstr(has_owner ? "the log is whole" : "all its segments are missing"));
    EXPECT_OK(Open(killed.get()).status());
  }
}

// The first log begins with records of METADATA; the middle one has rows.
TEST_F(SalvageTest, D2_APowerLossLosesNoMore) {
  const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
  const std::vector<std::string> logs = LogsOf(killed.get());
  for (const std::string& damaged : {logs.front(), logs[logs.size() / 2]}) {
    SCOPED_TRACE(damaged);
    std::unique_ptr<engine::MemoryFileSystem> disk = ImageOf(killed.get());
    disk->FlipByte(damaged, 100, 0x10);
    const std::vector<std::unique_ptr<engine::MemoryFileSystem>> crashed =
        SalvageWithPowerLosses(disk.get());
    auto client = Open(disk.get());
    ASSERT_TRUE(client.ok()) << client.status();
    const auto kept = RowsIn(client->get());
    ASSERT_TRUE(kept.has_value());
    if (damaged == logs.front()) {
      EXPECT_EQ(kept->size(), static_cast<size_t>(kRows));
    } else {
      EXPECT_GT(kept->size(), 2u);
      EXPECT_LT(kept->size(), static_cast<size_t>(kRows));
    }
    for (const auto& left : crashed) {
      // A start without a second salvage is rejected, or finds the rows that the first one would
      // have kept.
      std::unique_ptr<engine::MemoryFileSystem> image = ImageOf(left.get());
      if (auto started = Open(image.get()); started.ok()) {
        EXPECT_EQ(RowsIn(started->get()), kept);
      }
      Salvage(left.get(), /*drop=*/true);
      auto again = Open(left.get());
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(RowsIn(again->get()), kept);
    }
  }
}

std::vector<std::string> SealedSegmentsOf(engine::MemoryFileSystem* disk) {
  std::vector<std::string> segments = LogsOf(disk);
  std::erase_if(segments,
                [](const auto& path) { return path.find(".sealed/") == std::string::npos; });
  return segments;
}

// KilledStore, whose next start was killed after the recovery, before a flush.
std::unique_ptr<engine::MemoryFileSystem> KilledAfterTheSeal() {
  const std::unique_ptr<engine::MemoryFileSystem> killed = KilledStore();
  auto client = Open(killed.get());
  EXPECT_TRUE(client.ok()) << client.status();
  return ImageOf(killed.get());
}

// A start reads what SEAL names, and a salvage has to see whatever stops the start.
TEST_F(SalvageTest, D2_WhatStopsAStartAtASealedLogIsFound) {
  const std::unique_ptr<engine::MemoryFileSystem> sealed = KilledAfterTheSeal();
  const std::vector<std::string> segments = SealedSegmentsOf(sealed.get());
  ASSERT_GE(segments.size(), 3u);
  size_t refused = 0;
  for (const std::string& path : segments) {
    for (const std::string_view harm : {"missing", "empty", "cut", "flipped"}) {
      SCOPED_TRACE(fmt::format("{} {}", path, harm));
      std::unique_ptr<engine::MemoryFileSystem> disk = ImageOf(sealed.get());
      std::string bytes = *engine::ReadFile(disk.get(), path);
      if (harm == "empty") bytes.clear();
      if (harm == "cut") bytes.pop_back();
      if (harm == "flipped") bytes.back() ^= 0x10;
      EXPECT_OK(disk->Remove(path));
      if (harm != "missing") {
        EXPECT_OK(engine::ReplaceFile(disk.get(), path, bytes));
      }
      const Status started = Open(disk.get()).status();
      if (started.ok()) continue;  // only the mark of a clean end was hit
      ++refused;
      EXPECT_CODE(started, StatusCode::kDataLoss);
      EXPECT_THAT(Salvage(disk.get(), /*drop=*/false), HasSubstr(path));
      Salvage(disk.get(), /*drop=*/true);
      auto client = Open(disk.get());
      ASSERT_TRUE(client.ok()) << client.status();
      EXPECT_TRUE(RowsIn(client->get()).has_value());
    }
  }
  // SEAL leaves out the mark of a clean end, which the last byte belongs to. Only for the segment
  // that the seal wrote does SEAL cover the mark.
  EXPECT_GE(refused, 2 * segments.size() + 2);
}

TEST_F(SalvageTest, D2_APowerLossInTheSalvageOfASealedLogLeavesItToTheNext) {
  const std::unique_ptr<engine::MemoryFileSystem> sealed = KilledAfterTheSeal();
  const std::vector<std::string> segments = SealedSegmentsOf(sealed.get());
  std::unique_ptr<engine::MemoryFileSystem> disk = ImageOf(sealed.get());
  disk->FlipByte(segments[segments.size() / 2], 100, 0x10);
  const std::vector<std::unique_ptr<engine::MemoryFileSystem>> crashed =
      SalvageWithPowerLosses(disk.get());
  auto client = Open(disk.get());
  ASSERT_TRUE(client.ok()) << client.status();
  const auto kept = RowsIn(client->get());
  ASSERT_TRUE(kept.has_value());
  for (const auto& left : crashed) {
    Salvage(left.get(), /*drop=*/true);
    auto again = Open(left.get());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(RowsIn(again->get()), kept);
  }
}

}  // namespace
}  // namespace sippar::cluster
