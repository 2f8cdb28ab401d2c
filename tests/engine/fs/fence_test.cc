// Identity and Fence of every implementation, against a process that holds a lock: a real one on
// the disk, a machine's in memory.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/fs/overlay_file_system.h"
#include "engine/fs/watched_file_system.h"

namespace sippar::engine {
namespace {

// A child of this process that holds the lock `path`, with a note that `note_of` makes from its
// identity. After `lives_us` microseconds it ends by itself.
class ChildHolder {
 public:
  using NoteOf = std::function<std::string(const std::string& identity)>;
  ChildHolder(const std::string& path, const NoteOf& note_of, int64_t lives_us = INT64_MAX) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(pipe[0]);
      Hold(path, note_of, lives_us, pipe[1]);
    }
    ::close(pipe[1]);
    std::array<char, 256> text{};
    const ssize_t size = ::read(pipe[0], text.data(), text.size());
    ::close(pipe[0]);
    identity_.assign(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
  }
  ~ChildHolder() {
    if (is_waited_for_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  const std::string& identity() const { return identity_; }
  void Freeze() const {
    ::kill(pid_, SIGSTOP);
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, WUNTRACED), pid_);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  bool Lives() {
    int status = 0;
    return ::waitpid(pid_, &status, WNOHANG) == 0;
  }
  // Waits for the end of the process; the signal that ended it, or 0.
  int Signal() {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    is_waited_for_ = true;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  [[noreturn]] static void Hold(const std::string& path, const NoteOf& note_of, int64_t lives_us,
                                int out) {
    auto fs = NewPosixFileSystem();
    const std::string identity = fs->Identity();
    auto lock = fs->Lock(path, note_of(identity));
    if (!lock.ok() || ::write(out, identity.data(), identity.size()) < 0) ::_exit(1);
    const int64_t until_ns =
        lives_us == INT64_MAX ? INT64_MAX : Clock::System()->MonotonicNanos() + lives_us * 1000;
    while (Clock::System()->MonotonicNanos() < until_ns) Clock::System()->SleepMicros(10'000);
    ::_exit(0);
  }

  pid_t pid_ = 0;
  bool is_waited_for_ = false;
  std::string identity_;
};

std::string RecordWith(const std::string& identity) {
  return fmt::format("host h\nidentity {}\n", identity);
}

class PosixFenceTest : public testing::Test {
 protected:
  PosixFenceTest() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~PosixFenceTest() override { std::filesystem::remove_all(directory_); }
  Status Fence(const std::string& identity) { return fs_->Fence(identity, path_); }

  const std::string directory_ = testing::TempDir() + "fence_test." + std::to_string(::getpid());
  const std::string path_ = directory_ + "/OWNER";
  const std::unique_ptr<FileSystem> fs_ = NewPosixFileSystem();
};

TEST_F(PosixFenceTest, AFrozenProcessIsKilledAtOnce) {
  ChildHolder holder(path_, RecordWith);
  ASSERT_TRUE(holder.identity().starts_with("posix:"));
  EXPECT_NE(holder.identity(), fs_->Identity());
  holder.Freeze();
  const int64_t begun_ns = Clock::System()->MonotonicNanos();
  const Status fenced = Fence(holder.identity());
  EXPECT_TRUE(fenced.ok()) << fenced;
  EXPECT_LT(Clock::System()->MonotonicNanos() - begun_ns, 1'500'000'000);
  EXPECT_EQ(holder.Signal(), SIGKILL);
  EXPECT_TRUE(Fence(holder.identity()).ok()) << "once more";
}

TEST_F(PosixFenceTest, AProcessThatRunsMayEndByItself) {
  ChildHolder holder(path_, RecordWith, /*lives_us=*/300'000);
  EXPECT_TRUE(Fence(holder.identity()).ok());
  EXPECT_EQ(holder.Signal(), 0);
}

TEST_F(PosixFenceTest, AProcessThatRunsOnIsKilled) {
  ChildHolder holder(path_, RecordWith);
  EXPECT_TRUE(Fence(holder.identity()).ok());
  EXPECT_EQ(holder.Signal(), SIGKILL);
}

TEST_F(PosixFenceTest, NoOtherProcessIsKilled) {
  ChildHolder holder(path_, RecordWith);
  holder.Freeze();
  const std::string& right = holder.identity();
  const size_t boot = right.find(':') + 1;
  const size_t pid = right.find(':', boot);
  std::string other_boot = right;
  other_boot[boot] = other_boot[boot] == '0' ? '1' : '0';
  const std::string other_space = right.substr(0, right.find('/') + 1) + "1" + right.substr(pid);
  for (const std::string& identity :
       {std::string(), std::string("posix:"), right.substr(0, pid), right + "1", other_boot,
        other_space, right.substr(0, pid) + ":0:0", right.substr(0, pid) + ":-1:0",
        right.substr(0, pid) + ":99999999:1", std::string("memory:1.0"), fs_->Identity()}) {
    EXPECT_EQ(Fence(identity).code(), StatusCode::kUnavailable) << identity;
  }
  EXPECT_TRUE(holder.Lives());
}

TEST_F(PosixFenceTest, AProcessThatTheNoteDoesNotNameLives) {
  ChildHolder holder(path_, [](const std::string&) { return "host h\n"; });
  holder.Freeze();
  const Status refused = Fence(holder.identity());
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(refused).find("does not name it"), std::string::npos) << refused;
  EXPECT_TRUE(holder.Lives());
}

TEST_F(PosixFenceTest, AProcessThatHasThePidOfAnEarlierOneLives) {
  ChildHolder holder(path_, [](const std::string& identity) { return identity + "1"; });
  holder.Freeze();
  const Status refused = Fence(holder.identity() + "1");
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(refused).find("another process has its pid"), std::string::npos) << refused;
  EXPECT_TRUE(holder.Lives());
}

TEST_F(PosixFenceTest, TheCallerDoesNotKillItself) {
  auto lock = fs_->Lock(path_, RecordWith(fs_->Identity()));
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(Fence(fs_->Identity()).code(), StatusCode::kUnavailable);
  lock->reset();
  EXPECT_TRUE(Fence(fs_->Identity()).ok());
}

TEST_F(PosixFenceTest, AMissingLockFileProvesNothing) {
  EXPECT_EQ(Fence(fs_->Identity()).code(), StatusCode::kNotFound);
  EXPECT_FALSE(*fs_->Exists(path_));
}

// The same through every file system that lies on top of the disk's.
TEST_F(PosixFenceTest, LayersPassIdentityFenceAndKindOn) {
  FaultFileSystem faulty(fs_.get());
  OverlayFileSystem overlay(fs_.get(), 1 << 20);
  WatchedFileSystem watched(NewPosixFileSystem());
  for (FileSystem* layer : std::initializer_list<FileSystem*>{&faulty, &overlay, &watched}) {
    EXPECT_EQ(layer->Identity(), fs_->Identity());
    EXPECT_EQ(*layer->Kind(directory_), *fs_->Kind(directory_));
    EXPECT_EQ(layer->Kind(directory_ + "/none").status().code(), StatusCode::kNotFound);
    ChildHolder holder(path_, RecordWith);
    holder.Freeze();
    EXPECT_EQ(layer->Fence(holder.identity() + "1", path_).code(), StatusCode::kUnavailable);
    EXPECT_TRUE(holder.Lives());
    EXPECT_TRUE(layer->Fence(holder.identity(), path_).ok());
    EXPECT_EQ(holder.Signal(), SIGKILL);
  }
  EXPECT_EQ(overlay.Fence("", directory_ + "/none").code(), StatusCode::kNotFound);
  auto lock = overlay.Lock(directory_ + "/new", "note");
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(overlay.Fence(overlay.Identity(), directory_ + "/new").code(),
            StatusCode::kUnavailable);
}

class MemoryFenceTest : public testing::Test {
 protected:
  MemoryFenceTest() {
    EXPECT_TRUE(disk_.CreateDir("/db").ok());
    lock_ = *holder_->Lock(kPath, "note");
  }
  void EndByCrash() {
    disk_.OnFence([this](uint32_t machine, const std::string& identity) {
      fenced_ = fmt::format("{} {}", machine, identity);
      holder_->Crash(nullptr);
    });
  }
  static constexpr char kPath[] = "/db/OWNER";
  MemoryFileSystem disk_;
  const std::unique_ptr<MemoryFileSystem> holder_ = disk_.ForMachine(1);
  const std::unique_ptr<MemoryFileSystem> asker_ = disk_.ForMachine(2);
  std::unique_ptr<FileLock> lock_;
  std::string fenced_;
};

TEST_F(MemoryFenceTest, TheProcessOfTheIdentityIsEnded) {
  EndByCrash();
  const std::string identity = holder_->Identity();
  EXPECT_EQ(identity, "memory:1.0");
  EXPECT_EQ(asker_->Fence("memory:1.1", kPath).code(), StatusCode::kUnavailable);
  EXPECT_EQ(asker_->Fence(asker_->Identity(), kPath).code(), StatusCode::kUnavailable);
  EXPECT_EQ(holder_->Fence(identity, kPath).code(), StatusCode::kUnavailable) << "itself";
  EXPECT_EQ(fenced_, "");
  EXPECT_TRUE(asker_->Fence(identity, kPath).ok());
  EXPECT_EQ(fenced_, "1 memory:1.0");
  EXPECT_EQ(holder_->Identity(), "memory:1.1") << "another process";
}

TEST_F(MemoryFenceTest, WithoutAWayToEndProcessesOnlyAFreeLockIsProof) {
  EXPECT_EQ(asker_->Fence(holder_->Identity(), kPath).code(), StatusCode::kUnavailable);
  lock_.reset();
  EXPECT_TRUE(asker_->Fence(holder_->Identity(), kPath).ok());
  EXPECT_EQ(asker_->Fence(holder_->Identity(), "/db/none").code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace sippar::engine
