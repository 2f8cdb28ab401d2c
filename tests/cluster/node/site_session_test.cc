// Tests how many lock-service sessions a process has, and that none is left when it ends.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cluster/node/cluster_client.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster {
namespace {

class SiteSessionTest : public testing::Test {
 protected:
  SiteSessionTest() { std::filesystem::remove_all(directory_); }
  ~SiteSessionTest() override { std::filesystem::remove_all(directory_); }
  StatusOr<bool> Make(const std::string& directory) {
    return MakeClusterIn(locks_.get(), "test", "posix:" + directory, {});
  }

  const std::string directory_ =
      testing::TempDir() + "site_session_test." + std::to_string(::getpid());
  LockWorld world_;
  std::shared_ptr<WatchedLocks> locks_ = std::make_shared<WatchedLocks>(world_.service.get());
};

TEST_F(SiteSessionTest, AClientHasOneSession) {
  EXPECT_OK(Make(directory_));
  const int before = locks_->opened();
  {
    std::shared_ptr<ClusterSite> site = ClusterSite::OpenIn(locks_, "test", {}).value();
    auto client = OpenClusterClient(std::move(site), nullptr);
    EXPECT_OK(client);
    EXPECT_EQ(locks_->opened(), before + 1);
    EXPECT_EQ(locks_->left(), 1);
    EXPECT_OK((*client)->Close());
  }
  EXPECT_EQ(locks_->left(), 0);
}

TEST_F(SiteSessionTest, WhatFailsLeavesNoSession) {
  EXPECT_CODE(ClusterSite::OpenIn(locks_, "test", {}), StatusCode::kNotFound);
  EXPECT_EQ(locks_->left(), 0);
  EXPECT_OK(Make(directory_));
  EXPECT_EQ(locks_->left(), 0);
  EXPECT_CODE(Make(directory_ + ".other"), StatusCode::kFailedPrecondition);
  EXPECT_EQ(locks_->left(), 0);
}

}  // namespace
}  // namespace sippar::cluster
