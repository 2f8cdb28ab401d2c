// Finds tables by name and by id.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/table_directory.h"

#include <gtest/gtest.h>

#include <atomic>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"
#include "tests/cluster/lock/lock_world.h"

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
