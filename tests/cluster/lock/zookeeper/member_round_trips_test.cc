// Counts how often a session waits for its member: the relays pass everything on late, so the time
// of a call shows its round trips, on a busy machine too many of them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "tests/cluster/lock/zookeeper/zookeeper_world.h"

namespace sippar::cluster {
namespace {

class MemberRoundTrips : public testing::Test {
 protected:
  static constexpr int kLateMs = 25;  // how late a relay passes on what it gets, in each direction

  ~MemberRoundTrips() override { TellMembers("heal"); }

  template <typename Call>
  static int64_t RoundTripsOf(const Call& call) {
    const int64_t begin_nanos = engine::Clock::System()->MonotonicNanos();
    call();
    const int64_t nanos = engine::Clock::System()->MonotonicNanos() - begin_nanos;
    return nanos / (2 * kLateMs * 1'000'000);
  }
  static void CreateFiles(LockSession* session, int count, LockFileKind kind) {
    for (int i = 0; i < count; ++i) {
      EXPECT_OK(session->Create(fmt::format("servers/s.{}", i), "content", kind));
    }
  }

  ZooKeeperOptions cluster_ = FreshCluster();
  std::unique_ptr<LockService> near_ = NewService(cluster_);
  std::unique_ptr<LockService> far_ = NewService(Through(cluster_, 1));
};

// A locked file is two nodes. At 200 requests in flight, of which the answers to 100 are awaited at
// a time, the 2,000 nodes need 20 round trips, and the relay makes up to 40 of them: it gets the
// first request of a hundred alone, and the others while it holds that one back.
TEST_F(MemberRoundTrips, AThousandLockedFilesNeedSomeDozensAndNotAThousand) {
  constexpr int kFiles = 1'000;
  auto writer = OpenSession(near_.get(), "writer", 30 * kSecond).value();
  auto reader = OpenSession(far_.get(), "reader", 30 * kSecond).value();
  CreateFiles(writer.get(), kFiles, LockFileKind::kLocked);
  TellMembers(fmt::format("slow {}", kLateMs));
  EXPECT_GE(RoundTripsOf([&] { EXPECT_OK(reader->Read("servers/s.0", Freshness::kCached)); }), 1);
  StatusOr<std::vector<NamedLockFile>> files = Unavailable("not asked");
  EXPECT_LE(RoundTripsOf([&] { files = reader->ReadDirectory("servers"); }), 100);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->size(), size_t{kFiles});
  for (const auto& [name, file] : *files) EXPECT_EQ(file.holder, writer->id()) << name;
}

// If the caller knows all files but one, only the list and that file are read.
TEST_F(MemberRoundTrips, WhatTheCallerExceptsIsNotRead) {
  constexpr int kFiles = 300;
  auto writer = OpenSession(near_.get(), "writer", 30 * kSecond).value();
  auto reader = OpenSession(far_.get(), "reader", 30 * kSecond).value();
  CreateFiles(writer.get(), kFiles, LockFileKind::kLasting);
  std::set<std::string> known;
  for (int i = 1; i < kFiles; ++i) known.insert(fmt::format("s.{}", i));
  TellMembers(fmt::format("slow {}", kLateMs));
  StatusOr<std::vector<NamedLockFile>> files = Unavailable("not asked");
  EXPECT_LE(RoundTripsOf([&] { files = reader->ReadDirectory("servers", known); }), 20);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().name, "s.0");
}

}  // namespace
}  // namespace sippar::cluster
