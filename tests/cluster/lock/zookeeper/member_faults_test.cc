// ZooKeeper members that are killed, frozen and cut off, from their clients and from each other.
// Acknowledged changes stay; a lock has only one holder, which knows in time that it may have lost
// the lock.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "tests/cluster/lock/lock_history.h"
#include "tests/cluster/lock/zookeeper/zookeeper_world.h"

namespace sippar::cluster {
namespace {

constexpr auto kLocked = LockFileKind::kLocked;

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }
void Sleep(int64_t micros) { engine::Clock::System()->SleepMicros(micros); }

class MemberFaults : public testing::Test {
 protected:
  ~MemberFaults() override { TellMembers("heal"); }

  // Returns a member that is the leader, or one that is not.
  static int Member(bool leads) {
    for (int member = 1; member <= MemberCount(); ++member) {
      if ((AskMembers(fmt::format("leads {}", member)) == "ok\n") == leads) return member;
    }
    return 1;  // a single member does not report that it leads
  }

  ZooKeeperOptions cluster_ = FreshCluster();
  std::unique_ptr<LockService> all_ = NewService(cluster_);
};

// The ladder: a fault at a random moment of a history, healed a second later.
TEST_F(MemberFaults, L8ChangesAreWholeWhateverMemberFailsInTheirMiddle) {
  for (const char* fault : {"kill", "freeze", "cut", "part"}) {
    for (bool leads : {true, false}) {
      if (HasFailure() || (MemberCount() == 1 && (leads || fault == std::string("part")))) continue;
      const int member = Member(leads);
      SCOPED_TRACE(fmt::format("{} {}", fault, member));
      ZooKeeperOptions cluster = FreshCluster();
      auto service = NewService(Through(cluster, 0));
      auto session = OpenSession(service.get(), "history", 12 * kSecond).value();
      uint64_t seed = static_cast<uint64_t>(fault[0]) + (leads ? 1 : 0);
      LockHistory history(seed, /*loses_answers=*/true);
      history.Gave(session->id());
      std::atomic<bool> healed{false};
      engine::Thread breaker("breaker", [&] {
        Sleep(static_cast<int64_t>(engine::Random(seed).Uniform(60'000)));
        TellMembers(fmt::format("{} {}", fault, member));
        Sleep(kSecond);
        TellMembers("heal");
        healed = true;
      });
      while (!HasFailure() && (history.changed() < 12 || !healed)) history.Change(session.get());
      breaker.Join();
      EXPECT_OK(session->Heartbeat()) << "a session outlives a fault that is shorter than it";
      EXPECT_OK(session->Close());
      auto later = OpenSession(NewService(cluster).get(), "later", 12 * kSecond);
      ASSERT_TRUE(later.ok()) << later.status();
      history.CheckLeft(later->get());
    }
  }
}

// Observes the session of a lock holder in a thread of its own, as a server would.
class Holder {
 public:
  Holder(const ZooKeeperOptions& options, int64_t timeout_us)
      : timeout_us_(timeout_us), service_(NewService(options)) {
    auto opened = OpenSession(service_.get(), "holder", timeout_us);
    EXPECT_TRUE(opened.ok()) << opened.status();
    session_ = std::move(*opened);
    EXPECT_OK(session_->Create("master", "", kLocked));
    EXPECT_OK(session_->Create("gateways/g", "", LockFileKind::kEphemeral));
    Beat();
    beats_ = engine::Thread("beats", [this] {
      while (!ended_) {
        Beat();
        Sleep(timeout_us_ / 10);
      }
    });
  }
  ~Holder() { End(); }
  void End() {
    ended_ = true;
    beats_.Join();
  }
  // End of the lease according to the last successful heartbeat.
  int64_t over_at_nanos() const { return over_at_nanos_; }
  int64_t longest_nanos() const { return longest_nanos_; }  // longest duration of a heartbeat
  LockSession* session() { return session_.get(); }

 private:
  void Beat() {
    int64_t begin_nanos = Now();
    auto over_at_nanos = session_->Heartbeat();
    longest_nanos_ = std::max(longest_nanos_.load(), Now() - begin_nanos);
    if (over_at_nanos.ok()) over_at_nanos_ = *over_at_nanos;
  }

  const int64_t timeout_us_;
  std::unique_ptr<LockService> service_;
  std::unique_ptr<LockSession> session_;
  std::atomic<int64_t> over_at_nanos_{0};
  std::atomic<int64_t> longest_nanos_{0};
  std::atomic<bool> ended_{false};
  engine::Thread beats_;
};

// The holder's only member fails: another session gets the lock, but not before the holder has
// stopped relying on it.
TEST_F(MemberFaults, L1ALockPassesOnlyAfterItsHolderKnows) {
  constexpr int64_t kTimeout = 4 * kSecond;
  auto other = OpenSession(all_.get(), "other", 30 * kSecond).value();
  const int leader = Member(/*leads=*/true);
  std::vector<std::pair<const char*, int>> faults = {{"cut", 1}};
  if (MemberCount() > 1) {  // a majority remains
    faults.emplace_back("part", Member(/*leads=*/false));
    faults.emplace_back("freeze", Member(/*leads=*/false));
    faults.emplace_back("freeze", leader);
  }
  for (auto [fault, member] : faults) {
    if (!HasFailure()) {
      SCOPED_TRACE(fmt::format("{} {}", fault, member));
      Holder holder(Through(cluster_, member), kTimeout);
      Sleep(kTimeout / 4);
      TellMembers(fmt::format("{} {}", fault, member));
      StatusOr<uint64_t> fence = Unavailable("not asked");
      int64_t until_nanos = Now() + 40 * kSecond * 1000;
      while (!fence.ok() && Now() < until_nanos) {
        Sleep(10'000);
        fence = other->Acquire("master");
      }
      int64_t passed_nanos = Now();
      ASSERT_TRUE(fence.ok()) << fence.status();
      EXPECT_GE(passed_nanos, holder.over_at_nanos());
      EXPECT_CODE(other->Read("gateways/g"), StatusCode::kNotFound);
      TellMembers("heal");
      Sleep(kTimeout / 2);
      holder.End();
      EXPECT_GE(passed_nanos, holder.over_at_nanos()) << "no heartbeat succeeded after the end";
      EXPECT_LT(holder.longest_nanos(), kTimeout * 1000 / 3 + kSecond * 1000) << "answers in time";
      EXPECT_CODE(holder.session()->Heartbeat(), StatusCode::kFailedPrecondition);
      EXPECT_CODE(holder.session()->Write("master", "x", 1), StatusCode::kFailedPrecondition);
      EXPECT_CODE(holder.session()->NextEpoch(), StatusCode::kFailedPrecondition);
      EXPECT_OK(holder.session()->Close());
      EXPECT_OK(other->Remove("master", 1));
    }
  }
}

// A change in flight when its session ends is not carried out later.
TEST_F(MemberFaults, NothingIsDoneForASessionThatIsOver) {
  auto service = NewService(Through(cluster_, 1));
  auto late = OpenSession(service.get(), "late", 4 * kSecond).value();
  auto other = OpenSession(all_.get(), "other", 30 * kSecond).value();
  EXPECT_OK(late->Create("master", "old", kLocked));
  TellMembers("cut 1");
  EXPECT_CODE(late->Write("master", "late", 1), StatusCode::kUnavailable);
  while (!other->Acquire("master").ok()) Sleep(20'000);
  TellMembers("join 1");
  StatusOr<LockFile> read = Unavailable("not asked");
  while (read.status().code() == StatusCode::kUnavailable) read = late->Read("master");
  EXPECT_CODE(read, StatusCode::kFailedPrecondition);
  EXPECT_EQ(other->Read("master")->content, "old");
}

TEST_F(MemberFaults, L6SessionsAndFilesSurviveTheDeathOfAllMembers) {
  auto session = OpenSession(all_.get(), "survivor", 30 * kSecond).value();
  EXPECT_OK(session->Create("master", "content", kLocked));
  uint64_t fence = session->Read("master")->fence;
  uint64_t epoch = session->NextEpoch().value();
  for (int member = 1; member <= MemberCount(); ++member) {
    TellMembers(fmt::format("kill {}", member));
  }
  EXPECT_CODE(session->Write("master", "lost", 1), StatusCode::kUnavailable);
  TellMembers("heal");
  StatusOr<int64_t> beat = Unavailable("not asked");
  for (int tries = 0; tries < 20 && beat.status().code() == StatusCode::kUnavailable; ++tries) {
    beat = session->Heartbeat();
  }
  ASSERT_TRUE(beat.ok()) << beat.status();
  EXPECT_EQ(session->Read("master")->holder, session->id());
  EXPECT_EQ(session->Read("master")->fence, fence);
  EXPECT_EQ(session->Read("master")->content, "content") << "it was never sent";
  EXPECT_GT(session->NextEpoch().value(), epoch);
  EXPECT_OK(session->Close());
}

TEST_F(MemberFaults, L5AWatchOutlivesTheMemberThatHasIt) {
  auto service = NewService(Through(cluster_, 0));
  auto watcher = OpenSession(service.get(), "watcher", 50 * kSecond).value();
  auto other = OpenSession(all_.get(), "other", 30 * kSecond).value();
  EXPECT_OK(other->Create("master", "", kLocked));
  std::atomic<int> calls{0};
  EXPECT_OK(watcher->Watch("master", [&] { ++calls; }));
  EXPECT_OK(watcher->Watch("servers", [&] { calls += 10; }));
  for (int member = 1; member <= MemberCount(); ++member) {
    TellMembers(fmt::format("kill {}", member));
    TellMembers("heal");
  }
  Status freed = Unavailable("not asked");
  for (int tries = 0; tries < 20 && freed.code() == StatusCode::kUnavailable; ++tries) {
    freed = other->Release("master");
  }
  EXPECT_OK(other->Create("servers/a.1", "", kLocked));
  int64_t until_nanos = Now() + 60 * kSecond * 1000;
  while (calls != 11 && Now() < until_nanos) Sleep(10'000);
  EXPECT_EQ(calls, 11);
}

// Members that have fewer transactions than a client has seen close the connection without an
// answer.
TEST_F(MemberFaults, X16_ASessionWhoseMembersWereWipedIsOver) {
  constexpr int64_t kTimeout = 4 * kSecond;
  auto session = OpenSession(all_.get(), "survivor", kTimeout).value();
  for (int i = 0; i < 50; ++i) EXPECT_OK(session->NextEpoch());
  TellMembers("wipe");
  StatusOr<int64_t> beat = Unavailable("not asked");
  const int64_t until_nanos = Now() + 10 * kTimeout * 1000;
  while (beat.status().code() == StatusCode::kUnavailable && Now() < until_nanos) {
    beat = session->Heartbeat();
  }
  EXPECT_TRUE(HasCause(beat.status(), Cause::kSessionOver)) << beat.status();
  EXPECT_CODE(session->Read("master"), StatusCode::kFailedPrecondition);
  EXPECT_OK(session->Close());
  EXPECT_OK(OpenSession(all_.get(), "next", kTimeout).status());
}

// Reads and heartbeats continue through another member, without an error.
TEST_F(MemberFaults, L7AMemberThatDiesIsNotSeenByReadsAndHeartbeats) {
  if (MemberCount() == 1) GTEST_SKIP() << "SKIPPED: there is no other member";
  auto session = OpenSession(all_.get(), "client", 30 * kSecond).value();
  EXPECT_OK(session->Create("root", "content", LockFileKind::kLasting));
  for (bool leads : {false, true}) {
    TellMembers(fmt::format("kill {}", Member(leads)));
    for (int i = 0; i < 20; ++i) {
      EXPECT_OK(session->Heartbeat());
      EXPECT_OK(session->Read("root"));
      EXPECT_OK(session->NextEpoch());
    }
    TellMembers("heal");
  }
}

// A member fails while a directory is read: the answer has all files, or there is none.
TEST_F(MemberFaults, L7ADirectoryIsReadWholeWhateverMemberFailsInItsMiddle) {
  constexpr int kFiles = 600;
  auto service = NewService(Through(cluster_, 0));
  auto session = OpenSession(service.get(), "reader", 30 * kSecond).value();
  auto writer = OpenSession(all_.get(), "writer", 30 * kSecond).value();
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_OK(writer->Create(fmt::format("servers/s.{}", i), "content",
                             i % 2 == 0 ? kLocked : LockFileKind::kLasting));
  }
  for (const char* fault : {"kill", "freeze", "cut"}) {
    for (bool leads : {true, false}) {
      if (HasFailure() || (MemberCount() == 1 && leads)) continue;
      const int member = Member(leads);
      SCOPED_TRACE(fmt::format("{} {}", fault, member));
      std::atomic<bool> healed{false};
      engine::Thread breaker("breaker", [&] {
        Sleep(static_cast<int64_t>(engine::Random(static_cast<uint64_t>(member)).Uniform(60'000)));
        TellMembers(fmt::format("{} {}", fault, member));
        Sleep(kSecond);
        TellMembers("heal");
        healed = true;
      });
      bool is_read = false;
      for (int tries = 0; tries < 1'000 && !(is_read && healed); ++tries) {
        auto files = session->ReadDirectory("servers");
        is_read = files.ok();
        if (!is_read) EXPECT_CODE(files, StatusCode::kUnavailable);
        if (!is_read) continue;
        EXPECT_EQ(files->size(), size_t{kFiles});
        for (const auto& [name, file] : *files) EXPECT_EQ(file.content, "content") << name;
      }
      EXPECT_TRUE(is_read);
      breaker.Join();
    }
  }
}

// A reminder cannot be told from other requests, so the test counts what the member has received.
TEST_F(MemberFaults, L18AMemberThatIsSilentIsReminded) {
  auto service = NewService(Through(cluster_, 1));
  auto session = OpenSession(service.get(), "reader", 30 * kSecond).value();
  EXPECT_OK(session->Create("root", "", LockFileKind::kLasting));
  auto received = [] {
    const std::string count = AskMembers("received 1");
    EXPECT_GT(count.size(), 1u) << "the member does not say how many packets it has received";
    return std::atoi(count.c_str());
  };
  const int before = received();
  EXPECT_OK(session->Read("root", Freshness::kCached));
  const int of_one_read = received() - before;  // and of one question about it
  TellMembers("freeze 1");
  engine::Thread reader("reader", [&] { EXPECT_OK(session->Read("root", Freshness::kCached)); });
  Sleep(2 * kSecond);  // reminders after 0.1, 0.3, 0.7 and 1.5 s
  TellMembers("thaw 1");
  reader.Join();
  EXPECT_GE(received() - before - of_one_read, of_one_read + 2);
}

// Each member answers reads by itself, and may lack changes that another member has.
TEST_F(MemberFaults, L9AReadSeesWhatWasAnsweredThroughAnotherMember) {
  auto writer = OpenSession(all_.get(), "writer", 30 * kSecond).value();
  EXPECT_OK(writer->Create("root", "", LockFileKind::kLasting));
  std::vector<std::unique_ptr<LockService>> services;
  std::vector<std::unique_ptr<LockSession>> readers;
  for (int member = 1; member <= MemberCount(); ++member) {
    services.push_back(NewService(Through(cluster_, member)));
    readers.push_back(OpenSession(services.back().get(), "reader", 30 * kSecond).value());
  }
  uint64_t version = 1;
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    version = writer->Write("root", fmt::format("{}", i), version).value();
    for (const auto& reader : readers) EXPECT_EQ(reader->Read("root")->version, version);
    std::string name = fmt::format("{}", i);
    EXPECT_OK(writer->Create("tables/" + name, "", LockFileKind::kLasting));
    auto& lister = readers[static_cast<size_t>(i) % readers.size()];
    auto names = lister->List("tables").value();
    EXPECT_EQ(names.size(), static_cast<size_t>(i) + 1);
    auto& other = readers[static_cast<size_t>(i + 1) % readers.size()];
    EXPECT_EQ(other->ReadDirectory("tables")->size(), static_cast<size_t>(i) + 1);
    // A read after a consistent call is as new without a transaction of its own.
    EXPECT_OK(lister->Read("tables/" + name, Freshness::kCached));
  }
}

}  // namespace
}  // namespace sippar::cluster
