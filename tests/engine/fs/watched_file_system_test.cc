// The watch of calls, and the file system whose calls it watches: calls that hang are seen, those
// that return are not.
// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/watched_file_system.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::engine {
namespace {

constexpr int64_t kStep = 1'000'000;
constexpr int64_t kLimit = 3 * kStep;

std::string LookOnce(CallWatch* watch) {
  const char* found = watch->Look(kStep, kLimit);
  return found == nullptr ? "" : found;
}

TEST(CallWatchTest, ACallCountsFromTheFirstLookThatSeesIt) {
  CallWatch watch;
  EXPECT_EQ(LookOnce(&watch), "");
  const CallWatch::Call call(&watch, "sync", "/db/wal/1.log");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(LookOnce(&watch), "") << i;
  EXPECT_EQ(LookOnce(&watch), "its file system has not returned from sync /db/wal/1.log for 3 s");
  EXPECT_EQ(LookOnce(&watch), "its file system has not returned from sync /db/wal/1.log for 4 s");
}

TEST(CallWatchTest, CallsThatReturnAreNeverOverdue) {
  CallWatch watch;
  for (int i = 0; i < 2'000; ++i) {
    const CallWatch::Call call(&watch, "read", "/db/a");
    EXPECT_EQ(LookOnce(&watch), "");
  }
}

TEST(CallWatchTest, TheLongestCallIsNamedAndOfALongPathTheEnd) {
  CallWatch watch;
  const std::string path = "/" + std::string(500, 'd') + "/wal/1.log";
  const CallWatch::Call longest(&watch, "write", path);
  EXPECT_EQ(LookOnce(&watch), "");
  const CallWatch::Call other(&watch, "read", "/db/b");
  for (int i = 0; i < 5; ++i) LookOnce(&watch);
  const std::string found = LookOnce(&watch);
  EXPECT_NE(found.find("write ...ddd"), std::string::npos) << found;
  EXPECT_NE(found.find("ddd/wal/1.log for 6 s"), std::string::npos) << found;
}

TEST(CallWatchTest, MoreCallsThanSlots) {
  CallWatch watch;
  std::vector<std::unique_ptr<CallWatch::Call>> calls;
  for (int i = 0; i < 1'000; ++i) {
    calls.push_back(std::make_unique<CallWatch::Call>(&watch, "stat", "/db"));
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(LookOnce(&watch), "");
  EXPECT_NE(LookOnce(&watch), "");
  calls.clear();
  EXPECT_EQ(LookOnce(&watch), "");
  const CallWatch::Call call(&watch, "stat", "/db/a");
  for (int i = 0; i < 3; ++i) LookOnce(&watch);
  EXPECT_NE(LookOnce(&watch).find("stat /db/a"), std::string::npos);
}

TEST(CallWatchTest, ManyThreadsWhileOneLooks) {
  CallWatch watch;
  std::atomic<bool> ends{false};
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(std::make_unique<Thread>("calls", [&watch, &ends, i] {
      const std::string path = fmt::format("/db/{}", i);
      while (!ends) const CallWatch::Call call(&watch, "read", path);
    }));
  }
  // The limit is passed by a call that two looks see, so texts are read while calls come and go.
  for (int i = 0; i < 20'000; ++i) {
    const char* found = watch.Look(kStep, kStep);
    if (found != nullptr) EXPECT_NE(std::string(found).find("read /db/"), std::string::npos);
  }
  ends = true;
  for (auto& thread : threads) thread->Join();
}

// Every call of the file system, and of its files, is seen while it hangs.
class WatchedCallsTest : public testing::Test {
 protected:
  WatchedCallsTest() {
    EXPECT_TRUE(disk_.CreateDir("/db").ok());
    auto faulty = std::make_unique<FaultFileSystem>(&disk_);
    faulty->OnCall([this](const char*, const std::string&, FaultRule::Effect*) -> Status {
      for (int i = 0; i < 3; ++i) LookOnce(watched_->watch());
      seen_ = LookOnce(watched_->watch());
      return OkStatus();
    });
    watched_ = std::make_unique<WatchedFileSystem>(std::move(faulty));
  }
  void ExpectSeen(const std::string& call) {
    EXPECT_NE(seen_.find("from " + call + " for"), std::string::npos) << call << ": " << seen_;
    seen_.clear();
    EXPECT_EQ(LookOnce(watched_->watch()), "") << call << " has returned";
  }

  MemoryFileSystem disk_;
  std::unique_ptr<WatchedFileSystem> watched_;
  std::string seen_;
};

TEST_F(WatchedCallsTest, CallsOfFiles) {
  auto file = *watched_->Create("/db/a");
  ExpectSeen("create /db/a");
  EXPECT_TRUE(file->Append("abc").ok());
  ExpectSeen("write /db/a");
  EXPECT_TRUE(file->Sync().ok());
  ExpectSeen("sync /db/a");
  EXPECT_TRUE(file->Close().ok());
  ExpectSeen("close /db/a");
  auto random = *watched_->OpenRandom("/db/a");
  ExpectSeen("open /db/a");
  std::string read;
  EXPECT_TRUE(random->Read(0, 3, &read).ok());
  EXPECT_EQ(read, "abc");
  ExpectSeen("read /db/a");
  auto patch = *watched_->OpenPatch("/db/p");
  ExpectSeen("open /db/p");
  EXPECT_TRUE(patch->Write(0, "x").ok());
  ExpectSeen("write /db/p");
  EXPECT_TRUE(patch->Sync().ok());
  ExpectSeen("sync /db/p");
}

TEST_F(WatchedCallsTest, CallsOfNames) {
  EXPECT_TRUE((*watched_->Create("/db/a"))->Close().ok());
  const std::vector<std::pair<std::string, std::function<Status()>>> calls = {
      {"link /db/a", [&] { return watched_->Link("/db/a", "/db/b"); }},
      {"rename /db/b", [&] { return watched_->Rename("/db/b", "/db/c"); }},
      {"rename /db/c", [&] { return watched_->RenameNew("/db/c", "/db/d"); }},
      {"sync /db/d", [&] { return watched_->SyncFile("/db/d"); }},
      {"remove /db/d", [&] { return watched_->Remove("/db/d"); }},
      {"create directory /db/s", [&] { return watched_->CreateDir("/db/s"); }},
      {"sync directory /db", [&] { return watched_->SyncDir("/db"); }},
      {"remove directory /db/s", [&] { return watched_->RemoveDir("/db/s"); }},
      {"list /db", [&] { return watched_->List("/db").status(); }},
      {"stat /db/a", [&] { return watched_->Exists("/db/a").status(); }},
      {"stat /db/a", [&] { return watched_->FileSize("/db/a").status(); }},
      {"lock /db/l", [&] { return watched_->Lock("/db/l", "").status(); }},
      {"statfs /db", [&] { return watched_->Kind("/db").status(); }},
  };
  for (const auto& [name, call] : calls) {
    EXPECT_TRUE(call().ok()) << name;
    ExpectSeen(name);
  }
}

}  // namespace
}  // namespace sippar::engine
