// Appends that are copied into a mapping of the file: the content is the same as with system calls,
// even if the process is killed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "engine/fs/file_system.h"

namespace sippar::engine {
namespace {

class MappedAppendTest : public testing::Test {
 protected:
  MappedAppendTest() {
    std::string pattern = testing::TempDir() + "mapped-append-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~MappedAppendTest() override {
    (void)fs_->Remove(directory_ + "/f");
    (void)fs_->RemoveDir(directory_);
  }

  // Appends records of many sizes, and reserves room for a few of them at a time, as the log does.
  static std::string AppendRecords(AppendFile* file) {
    std::string content;
    uint64_t reserved = 0;
    for (size_t i = 0; i < 3000; ++i) {
      std::string record(1 + i * 37 % 5000, static_cast<char>('a' + i % 26));
      if (content.size() + record.size() > reserved) {
        file->Reserve(64 << 10, /*rarely_synced=*/i % 7 != 0);
        reserved = content.size() + (64 << 10);
      }
      EXPECT_TRUE(file->Append(record).ok());
      content += record;
    }
    return content;
  }

  const std::unique_ptr<FileSystem> fs_ = NewPosixFileSystem();
  std::string directory_;
};

TEST_F(MappedAppendTest, HoldsWhatWasAppended) {
  auto file = fs_->Create(directory_ + "/f");
  ASSERT_TRUE(file.ok()) << file.status();
  std::string content = AppendRecords(file->get());
  ASSERT_TRUE((*file)->Sync().ok());
  EXPECT_EQ((*file)->size(), content.size());
  ASSERT_TRUE((*file)->Close().ok());
  auto read = ReadFile(fs_.get(), directory_ + "/f");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(*read == content);
}

TEST_F(MappedAppendTest, OutlivesItsProcess) {
  std::string content;
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto file = fs_->Create(directory_ + "/f");
    if (file.ok()) AppendRecords(file->get());
    ::kill(::getpid(), SIGKILL);
  }
  int ended = 0;
  ASSERT_EQ(::waitpid(child, &ended, 0), child);
  ASSERT_TRUE(WIFSIGNALED(ended));
  auto twin = fs_->Create(directory_ + "/twin");
  ASSERT_TRUE(twin.ok());
  content = AppendRecords(twin->get());
  ASSERT_TRUE((*twin)->Close().ok());
  ASSERT_TRUE(fs_->Remove(directory_ + "/twin").ok());
  auto read = ReadFile(fs_.get(), directory_ + "/f");
  ASSERT_TRUE(read.ok());
  ASSERT_GE(read->size(), content.size());
  EXPECT_TRUE(read->substr(0, content.size()) == content);
  EXPECT_EQ(read->find_first_not_of('\0', content.size()), std::string::npos)
      << "the room behind it reads as zeros";
}

}  // namespace
}  // namespace sippar::engine
