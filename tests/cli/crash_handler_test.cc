// Tests the note that a process leaves when it crashes, and that it still ends as it would without
// the note.
// SPDX-License-Identifier: Apache-2.0
#include "cli/crash_handler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cluster/api/crash_note.h"
#include "engine/base/check.h"
#include "engine/base/parallel.h"
#include "engine/base/tablet_scope.h"
#include "engine/base/thread.h"

namespace sippar::cli {
namespace {

using engine::TabletScope;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizer's own handler runs after this one and ends the process in its own way.
bool EndsBy(int /*signal*/, int status) { return status != 0; }
#else
bool EndsBy(int signal, int status) { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
#endif

int __attribute__((noinline)) Recurse(int depth) {
  volatile char filler[4096];
  filler[0] = static_cast<char>(depth);
  return depth == 1 << 30 ? 0 : Recurse(depth + 1) + filler[0];
}

class CrashHandlerTest : public testing::Test {
 protected:
  CrashHandlerTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    folder_ = testing::TempDir() + "crash_handler_test";
    std::filesystem::create_directories(folder_);
    std::filesystem::remove(Path());
  }
  ~CrashHandlerTest() override {
    std::filesystem::remove_all(testing::TempDir() + "crash_handler_test");
  }
  std::string Path() const { return folder_ + "/CRASH"; }
  std::string Note() const {
    std::ifstream in(Path());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string Text(int signal, uint64_t tablet_id) {
    std::array<char, cluster::kCrashNoteSizeMax> room;
    return std::string(cluster::EncodeCrashNote({signal, tablet_id}, &room));
  }
  // Runs `work` in a process that notes its crashes.
  template <class Work>
  void Dies(int signal, const Work& work) {
    auto end = [&] {
      NoteCrashesIn(Path());
      work();
      _exit(0);
    };
    EXPECT_EXIT(
        end(), [&](int status) { return EndsBy(signal, status); }, "");
  }

  std::string folder_;
};

TEST_F(CrashHandlerTest, P20_AFailedCheckNamesTheTabletOfItsThread) {
  Dies(SIGABRT, [] {
    engine::Thread worker("worker", [] {
      const TabletScope outer(7);
      { const TabletScope inner(8); }
      CHECK(engine::TabletAtWork() == 0);
    });
    worker.Join();
  });
  EXPECT_EQ(Note(), Text(SIGABRT, 7));
}

TEST_F(CrashHandlerTest, AnOverflowOfAThreadsStackIsNoted) {
  Dies(SIGSEGV, [] {
    engine::Thread worker("worker", [] {
      const TabletScope scope(9);
      std::printf("%d\n", Recurse(0));
    });
    worker.Join();
  });
  EXPECT_EQ(Note(), Text(SIGSEGV, 9));
}

TEST_F(CrashHandlerTest, ThreadsThatTakePartInTheWorkOnATabletNameIt) {
  Dies(SIGSEGV, [] {
    const TabletScope scope(10);
    const pid_t caller = gettid();
    engine::RunParallel(2, 2, [caller](size_t) {
      if (gettid() != caller) raise(SIGSEGV);
      for (;;) pause();
    });
  });
  EXPECT_EQ(Note(), Text(SIGSEGV, 10));
}

TEST_F(CrashHandlerTest, AThreadThatWorksOnNoTabletLeavesNoNote) {
  Dies(SIGBUS, [] { kill(getpid(), SIGBUS); });
  EXPECT_TRUE(std::filesystem::exists(Path()));
  EXPECT_EQ(Note(), "");
}

TEST_F(CrashHandlerTest, WantOfMemoryIsNoTabletsFault) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer allocates, and never calls the handler";
#endif
  Dies(SIGABRT, []() noexcept {
    const TabletScope scope(7);
    // A program may be compiled without the allocation, if its result is not used.
    std::vector<std::string> room;
    room.reserve(room.max_size());
    std::printf("%p\n", static_cast<void*>(room.data()));
  });
  EXPECT_EQ(Note(), "");
}

TEST_F(CrashHandlerTest, TheFileOfTheLastCallGetsTheNote) {
  std::filesystem::remove(folder_ + "/moved/CRASH");
  std::filesystem::create_directories(folder_ + "/moved");
  Dies(SIGILL, [this] {
    NoteCrashesIn(folder_ + "/CRASH.new");
    std::filesystem::rename(folder_ + "/CRASH.new", folder_ + "/moved/CRASH");
    const TabletScope scope(11);
    raise(SIGILL);
  });
  EXPECT_EQ(Note(), "");
  folder_ += "/moved";
  EXPECT_EQ(Note(), Text(SIGILL, 11));
}

TEST_F(CrashHandlerTest, P18_AKillLeavesNoNote) {
  for (int signal : {SIGKILL, SIGTERM}) {
    Dies(signal, [&] {
      const TabletScope scope(7);
      raise(signal);
    });
    EXPECT_TRUE(std::filesystem::exists(Path()));
    EXPECT_EQ(Note(), "");
  }
}

TEST_F(CrashHandlerTest, WithoutAFileTheProcessEndsAllTheSame) {
  Dies(SIGFPE, [] {
    NoteCrashesIn("/nonexistent/CRASH");
    raise(SIGFPE);
  });
  EXPECT_EQ(Note(), "");
}

}  // namespace
}  // namespace sippar::cli
