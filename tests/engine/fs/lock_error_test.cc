// Which errors of a lock say that another process holds it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/fs/file_system.h"

namespace sippar::engine {
namespace {

TEST(LockErrors, OnlyAHeldLockIsUnavailable) {
  std::string directory = testing::TempDir() + "lock-error-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  std::unique_ptr<FileSystem> fs = NewPosixFileSystem();
  const std::string path = directory + "/LOCK";
  auto held = fs->Lock(path, "me");
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(fs->Lock(path, "other").status().code(), StatusCode::kUnavailable);
  // The system refuses to open a directory for writing, with an error that has no code of its own.
  EXPECT_EQ(fs->Lock(directory, "me").status().code(), StatusCode::kInternal);
  held->reset();
  EXPECT_TRUE(fs->Remove(path).ok());
  EXPECT_TRUE(fs->RemoveDir(directory).ok());
}

}  // namespace
}  // namespace sippar::engine
