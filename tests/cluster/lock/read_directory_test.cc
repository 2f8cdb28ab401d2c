// Tests ReadDirectory: it answers as List and Read would, in one call, also while files change.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <map>
#include <set>

#include "cluster/lock/steady_session.h"
#include "engine/base/thread.h"
#include "tests/cluster/lock/contract_world.h"
#include "tests/cluster/lock/watched_locks.h"

namespace sippar::cluster {
namespace {

constexpr auto kLasting = LockFileKind::kLasting;
constexpr auto kLocked = LockFileKind::kLocked;
constexpr auto kEphemeral = LockFileKind::kEphemeral;

class ReadDirectoryTest : public InContractWorld {
 protected:
  static std::vector<std::string> NamesOf(const StatusOr<std::vector<NamedLockFile>>& files) {
    std::vector<std::string> names;
    EXPECT_OK(files);
    if (!files.ok()) return names;
    for (const NamedLockFile& file : *files) names.push_back(file.name);
    return names;
  }
};

TEST_F(ReadDirectoryTest, AnswersWhatListAndReadDo) {
  auto a = world.Session("a");
  auto b = world.Session("b");
  for (const char* path : {"servers.x", "serversx/c", "a/servers/d", "servers/deep/er"}) {
    EXPECT_OK(a->Create(path, "not in it", kLasting));
  }
  EXPECT_OK(a->Create("servers/lasting.2", "one", kLasting));
  EXPECT_OK(a->Create("servers/locked.10", "two", kLocked));
  EXPECT_OK(b->Create("servers/ephemeral.1", "three\nlines", kEphemeral));
  EXPECT_OK(a->Create("servers/released.3", "", kLocked));
  EXPECT_OK(a->Release("servers/released.3"));
  EXPECT_OK(b->Acquire("servers/released.3"));
  EXPECT_OK(a->Write("servers/ephemeral.1", "four", 1));
  auto files = a->ReadDirectory("servers");
  EXPECT_EQ(NamesOf(files), a->List("servers").value());
  EXPECT_EQ(files->size(), 4u);
  for (const auto& [name, file] : *files) {
    auto read = a->Read("servers/" + name);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(file.content, read->content) << name;
    EXPECT_EQ(file.version, read->version) << name;
    EXPECT_EQ(file.ephemeral, read->ephemeral) << name;
    EXPECT_EQ(file.holder, read->holder) << name;
    EXPECT_EQ(file.fence, read->fence) << name;
  }
  EXPECT_EQ(NamesOf(a->ReadDirectory("tables")), std::vector<std::string>());
}

TEST_F(ReadDirectoryTest, LeavesOutWhatTheCallerExcepts) {
  auto a = world.Session("a");
  for (const char* path : {"tables/1", "tables/2", "tables/3"}) {
    EXPECT_OK(a->Create(path, "", kLasting));
  }
  EXPECT_EQ(NamesOf(a->ReadDirectory("tables", {"2", "4"})), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(NamesOf(a->ReadDirectory("tables", {"1", "2", "3"})), std::vector<std::string>());
}

TEST_F(ReadDirectoryTest, AThousandFilesAreOneCallOfASession) {
  constexpr int kFiles = 1'000;
  WatchedLocks locks(world.locks());
  auto steady = SteadySession::Open(&locks, {"client", 100 * kSecond, world.clock}).value();
  auto server = world.Session("server", 100 * kSecond);
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_OK(server->Create(fmt::format("servers/s.{:04}", i), fmt::format("content {}", i),
                             i % 2 == 0 ? kLocked : kLasting));
  }
  const int before = locks.questions();
  auto files = steady->ReadDirectory("servers", {});
  EXPECT_EQ(locks.questions() - before, 1);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), size_t{kFiles});
  for (int i = 0; i < kFiles; ++i) {
    const auto& [name, file] = (*files)[static_cast<size_t>(i)];
    EXPECT_EQ(name, fmt::format("s.{:04}", i));
    EXPECT_EQ(file.content, fmt::format("content {}", i));
    EXPECT_EQ(file.holder, i % 2 == 0 ? server->id() : 0) << name;
  }
}

TEST_F(ReadDirectoryTest, ASteadySessionThatIsOverReadsTheWholeInTheNextOne) {
  auto steady = SteadySession::Open(world.locks(), {"client", kSecond, world.clock}).value();
  EXPECT_OK(steady->Create("tables/1", "", kLasting));
  world.Pass(10 * kSecond);  // longer than the timeout, without a heartbeat
  EXPECT_EQ(NamesOf(steady->ReadDirectory("tables", {})), std::vector<std::string>{"1"});
}

// Files come and go, and a lock changes its holder, while a session reads. Files that stay are in
// each answer, and each file is one that a single read could have found.
TEST_F(ReadDirectoryTest, FilesThatChangeMeanwhileAreWholeOrAway) {
  constexpr int kStay = 300;
  auto reader = world.Session("reader", 0);
  auto owner = world.Session("owner", 0);
  for (int i = 0; i < kStay; ++i) {
    EXPECT_OK(owner->Create(fmt::format("servers/stays.{}", i), "stays", kLasting));
  }
  EXPECT_OK(owner->Create("servers/flips.1", "flips", kLasting));
  std::atomic<bool> is_over{false};
  engine::Thread changes("changes", [&] {
    for (int i = 0; !is_over; ++i) {
      const std::string path = fmt::format("servers/goes.{}", i % 7);
      EXPECT_OK(owner->Create(path, "goes", i % 2 == 0 ? kLocked : kEphemeral));
      EXPECT_OK(owner->Acquire("servers/flips.1"));
      EXPECT_OK(owner->Remove(path, 1));
      EXPECT_OK(owner->Release("servers/flips.1"));
    }
  });
  for (int i = 0; i < 2'000 / world.slowness() && !HasFailure(); ++i) {
    auto files = reader->ReadDirectory("servers");
    EXPECT_OK(files);
    if (!files.ok()) break;
    std::map<std::string, int> kinds;
    for (const auto& [name, file] : *files) {
      const std::string kind = name.substr(0, name.find('.'));
      ++kinds[kind];
      EXPECT_EQ(file.content, kind);
      EXPECT_EQ(file.holder == 0, file.fence == 0) << name;
      EXPECT_TRUE(file.holder == 0 || file.holder == owner->id()) << name;
      // A file that goes is locked as long as it exists.
      if (kind == "goes") EXPECT_EQ(file.holder, owner->id()) << name;
      if (kind == "stays") EXPECT_EQ(file.holder, 0u) << name;
    }
    EXPECT_EQ(kinds["stays"], kStay);
    EXPECT_EQ(kinds["flips"], 1);
  }
  is_over = true;
  changes.Join();
}

}  // namespace
}  // namespace sippar::cluster
