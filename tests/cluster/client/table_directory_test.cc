// Names of tables. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/table_directory.h"

#include <gtest/gtest.h>

#include <atomic>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

// As when calls of several threads meet a tablet that is on its way.
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

}  // namespace
}  // namespace sippar::cluster
