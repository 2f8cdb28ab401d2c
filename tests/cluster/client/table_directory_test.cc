// Finds tables by name and by id.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/table_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster {
namespace {

// Several threads invalidate the table at once, as when their calls reach a tablet that is moving.
TEST(TableDirectory, ATableThatOthersForgetIsFoundAllTheSame) {
  LockWorld world;
  auto session = world.Session("client");
  TableRecord record;
  record.table_id = 7;
  record.schema.name = "t";
  ASSERT_TRUE(
      session->Create(lock_paths::Table(7), EncodeTableFile(record), LockFileKind::kLasting).ok());
  TableDirectory directory(session.get());
  std::atomic<int> missed{0};
  auto find_and_forget = [&] {
    for (int i = 0; i < 20'000; ++i) {
      StatusOr<uint64_t> id = directory.Find("t");
      if (!id.ok() || *id != 7) ++missed;
      directory.Forget("t", 7);
    }
  };
  {
    std::vector<engine::Thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back("client", find_and_forget);
  }
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(directory.Find("other").status().code(), StatusCode::kNotFound);
}

// A thousand tables are one question to the lock service, and afterwards only new ones are read.
TEST(TableDirectory, AllTablesAreReadInOneCall) {
  LockWorld world;
  auto master = world.Session("master");
  auto put = [&](uint64_t id) {
    TableRecord record;
    record.table_id = id;
    record.schema.name = fmt::format("t{}", id);
    return master->Create(lock_paths::Table(id), EncodeTableFile(record), LockFileKind::kLasting);
  };
  for (uint64_t id = 10; id < 1'010; ++id) EXPECT_OK(put(id));
  WatchedLocks locks(world.service.get());
  auto session = locks.OpenSession({"client", 10 * kSecond, &world.clock}).value();
  TableDirectory directory(session.get());
  EXPECT_EQ(directory.Find("t500").value(), 500u);
  EXPECT_EQ(locks.questions(), 1);
  EXPECT_EQ(directory.Find("t1009").value(), 1'009u);
  EXPECT_EQ(locks.questions(), 1) << "the first look-up has cached it";
  EXPECT_CODE(directory.Find("t5000"), StatusCode::kNotFound);
  EXPECT_OK(put(5'000));
  EXPECT_EQ(directory.Find("t5000").value(), 5'000u);
  EXPECT_EQ(locks.questions(), 3);
  // The files of cached tables are not read again, even if they cannot be decoded.
  EXPECT_OK(master->Write(lock_paths::Table(500), "\x7f", 1));
  EXPECT_CODE(directory.Find("t6000"), StatusCode::kNotFound);
  directory.Forget("t500", 500);
  EXPECT_CODE(directory.Find("t500"), StatusCode::kFailedPrecondition);
}

// A live table in a format that this version cannot read still exists; a dropped one does not.
TEST(TableDirectory, ATableOfANewerFormatIsNotMissing) {
  LockWorld world;
  auto session = world.Session("client");
  auto put = [&](uint64_t id, const std::string& content) {
    return session->Create(lock_paths::Table(id), content, LockFileKind::kLasting).status();
  };
  TableDirectory directory(session.get());
  ASSERT_TRUE(put(7, "\x82").ok());
  EXPECT_EQ(directory.Find("t").status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(put(8, "\x7f").ok());
  Status newer = directory.Find("t").status();
  EXPECT_EQ(newer.code(), StatusCode::kFailedPrecondition) << newer;
  EXPECT_NE(MessageOf(newer).find("use a newer sippar"), std::string_view::npos) << newer;
}

}  // namespace
}  // namespace sippar::cluster
