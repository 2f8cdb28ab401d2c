// The space that files use: it becomes free when the last name of a file is removed.
// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/memory_file_system.h"

#include <gtest/gtest.h>

namespace sippar::engine {
namespace {

TEST(MemoryFileSystemTest, ARenameFreesOnlyAFileWithoutAnotherName) {
  MemoryFileSystem fs;
  ASSERT_TRUE(fs.CreateDir("/d").ok());
  for (const char* name : {"/d/a", "/d/c", "/d/e"}) {
    auto file = fs.Create(name);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Append("12345").ok());
    ASSERT_TRUE((*file)->Close().ok());
  }
  ASSERT_TRUE(fs.Link("/d/a", "/d/b").ok());
  EXPECT_EQ(fs.used_bytes(), 15u);
  ASSERT_TRUE(fs.Rename("/d/c", "/d/a").ok());
  EXPECT_EQ(fs.used_bytes(), 15u);  // /d/b still names the first file
  ASSERT_TRUE(fs.Rename("/d/e", "/d/b").ok());
  EXPECT_EQ(fs.used_bytes(), 10u);
  ASSERT_TRUE(fs.Rename("/d/a", "/d/a").ok());
  EXPECT_EQ(fs.used_bytes(), 10u);
}

}  // namespace
}  // namespace sippar::engine
