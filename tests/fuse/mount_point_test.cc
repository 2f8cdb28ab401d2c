// What may be mounted on. Needs no /dev/fuse.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/mount_point.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuse/kernel/errno_map.h"

namespace sippar::fuse {
namespace {

class MountPointTest : public ::testing::Test {
 protected:
  MountPointTest() {
    std::string pattern = testing::TempDir() + "sippar-mount-point-XXXXXX";
    folder_ = std::filesystem::canonical(mkdtemp(pattern.data()));
    std::filesystem::create_directories(folder_ / "store/sub");
    std::filesystem::create_directories(folder_ / "mnt");
    std::ofstream(folder_ / "file") << "x";
  }
  ~MountPointTest() override { std::filesystem::remove_all(folder_); }

  Status Prepare(const std::string& mount_point) {
    return PrepareMountPoint(folder_ / mount_point, folder_ / "store").status();
  }

  std::filesystem::path folder_;
};

TEST_F(MountPointTest, AcceptsADirectoryElsewhere) {
  auto path = PrepareMountPoint(folder_ / "store/../mnt/", folder_ / "store");
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, folder_ / "mnt");
}

TEST_F(MountPointTest, RefusesWithAReasonAndAHint) {
  Status missing = Prepare("none");
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(MessageOf(missing).find("mkdir -p"), std::string::npos) << missing;
  Status file = Prepare("file");
  EXPECT_EQ(file.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(MessageOf(file).find("not a directory"), std::string::npos) << file;
  EXPECT_FALSE(Prepare("file/below").ok());
  EXPECT_FALSE(PrepareMountPoint("", "x").ok());
}

TEST_F(MountPointTest, RefusesPlacesWhereTheStoreWouldWaitForItself) {
  for (const char* place : {"store", "store/sub", "."}) {
    EXPECT_EQ(Prepare(place).code(), StatusCode::kInvalidArgument) << place;
  }
}

TEST(MountInfo, ReadsPathsWithBlanksAndPassesOverNoise) {
  auto entries = ParseMountInfo(
      "36 35 0:40 / /mnt/a\\040b ro,nosuid shared:1 - fuse.sippar /data/my\\040store ro\n"
      "37 35 0:41 / /mnt/c rw - tmpfs tmpfs rw\n"
      "38 35 0:41 / /cut rw -\n"
      "noise\n\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].mount_point, "/mnt/a b");
  EXPECT_EQ(entries[0].type, "fuse.sippar");
  EXPECT_EQ(entries[0].source, "/data/my store");
  EXPECT_EQ(entries[1].type, "tmpfs");
}

TEST(ErrnoMap, GivesEachCauseItsNumber) {
  EXPECT_EQ(ErrnoOf(OkStatus()), 0);
  EXPECT_EQ(ErrnoOf(NotFound("")), ENOENT);
  EXPECT_EQ(ErrnoOf(InvalidArgument("")), EINVAL);
  EXPECT_EQ(ErrnoOf(PermissionDenied("")), EACCES);
  EXPECT_EQ(ErrnoOf(DeadlineExceeded("")), ETIMEDOUT);
  EXPECT_EQ(ErrnoOf(Unavailable("")), EHOSTDOWN);
  EXPECT_EQ(ErrnoOf(Cancelled("")), EINTR);
  EXPECT_EQ(ErrnoOf(ResourceExhausted("")), ENOMEM);
  EXPECT_EQ(ErrnoOf(TooLarge("")), EFBIG);
  EXPECT_EQ(ErrnoOf(FailedPrecondition("")), ESTALE);
  EXPECT_EQ(ErrnoOf(DataLoss("")), EIO);
  EXPECT_EQ(ErrnoOf(Internal("")), EIO);
  EXPECT_TRUE(IsTrouble(EIO));
  EXPECT_FALSE(IsTrouble(ENOENT));
}

}  // namespace
}  // namespace sippar::fuse
