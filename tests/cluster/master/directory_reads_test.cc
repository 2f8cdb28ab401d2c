// Counts the questions of the master to the lock service about a thousand servers and a thousand
// tables.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/recovery_actions.h"
#include "cluster/master/act/table_actions.h"
#include "cluster/master/act/table_file.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster::master {
namespace {

constexpr uint64_t kCount = 1'000;

// No connection to a server is cut.
class WholeTransport final : public Transport {
 public:
  bool IsCut(const ServerId&) override { return false; }
  std::shared_ptr<TabletService> Tablets(const ServerId&, net::Lane) override { return nullptr; }
  std::shared_ptr<TabletControl> Control(const ServerId&) override { return nullptr; }
  std::shared_ptr<AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<MasterNotices> Notices() override { return nullptr; }
};

class DirectoryReadsTest : public testing::Test {
 protected:
  DirectoryReadsTest() {
    places_.fs = &world_.fs;
    places_.transport = &transport_;
    places_.clock = &world_.clock;
    places_.directory = "/db";
  }

  LockWorld world_;
  WholeTransport transport_;
  ActionPlaces places_;
  WatchedLocks locks_{world_.service.get()};
  std::unique_ptr<LockSession> master_ =
      locks_.OpenSession({"master", 100 * kSecond, &world_.clock}).value();
};

TEST_F(DirectoryReadsTest, TheServersAreOneQuestionAndTheOrdersAndTheClockOneEach) {
  auto server = world_.Session("server", 100 * kSecond);
  for (uint64_t epoch = 1; epoch <= kCount; ++epoch) {
    const auto kind = epoch % 2 == 0 ? LockFileKind::kLocked : LockFileKind::kLasting;
    EXPECT_OK(server->Create(lock_paths::Server({"s", epoch}), "", kind));
  }
  RecoveryActions actions(&places_, master_.get(), 7);
  const event::Done done = actions.Do(action::ListServers{});
  EXPECT_EQ(locks_.questions(), 3);
  EXPECT_OK(done.status);
  const auto* listing = std::get_if<ServerListing>(&done.answer);
  ASSERT_NE(listing, nullptr);
  EXPECT_EQ(listing->locked.size(), kCount / 2);
  EXPECT_EQ(listing->unlocked.size(), kCount / 2);
}

TEST_F(DirectoryReadsTest, TheTablesAreOneQuestion) {
  for (uint64_t id = 10; id < 10 + kCount; ++id) {
    TableFile file;
    file.table.table_id = id;
    file.table.schema.name = fmt::format("t{}", id);
    EXPECT_OK(
        master_->Create(lock_paths::Table(id), EncodeTableFile(file), LockFileKind::kLasting));
  }
  TableActions actions(&places_, master_.get());
  const event::Done done = actions.Do(action::ReadTables{});
  EXPECT_EQ(locks_.questions(), 1);
  EXPECT_OK(done.status);
  const auto* tables = std::get_if<std::vector<TableFile>>(&done.answer);
  ASSERT_NE(tables, nullptr);
  ASSERT_EQ(tables->size(), kCount);
  for (const TableFile& table : *tables) EXPECT_EQ(table.version, 1u);
}

}  // namespace
}  // namespace sippar::cluster::master
