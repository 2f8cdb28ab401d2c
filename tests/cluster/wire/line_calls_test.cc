// Calls between members over real sockets: the options that travel with a call, and how it ends.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cluster/net/failure.h"
#include "cluster/wire/remote_client.h"
#include "tests/cluster/wire/line_world.h"

namespace sippar::cluster {
namespace {

using Apply = calls::ApplyRows<TabletAddress>;

std::vector<RowMutation> SomeMutations(size_t count) {
  std::vector<RowMutation> mutations(count);
  for (size_t i = 0; i < count; ++i) mutations[i].row = "row" + std::to_string(i);
  return mutations;
}

Status WriteOne(TabletService* tablets, const CallOptions& options = {}) {
  return OnlyPart(tablets->Do(Apply{{7, 3}, SomeMutations(1)}, options));
}

TEST(LineCalls, ACallCarriesTheTabletItsEpochAndTheTimeThatIsLeft) {
  LineWorld world;
  world.Begin();
  auto tablets = world.transport.Tablets(world.id, net::Lane::kUsers);
  EXPECT_TRUE(WriteOne(tablets.get()).ok());
  EXPECT_EQ(world.tablets->last_tablet.tablet_id, 7u);
  EXPECT_EQ(world.tablets->last_tablet.tablet_epoch, 3u);
  EXPECT_EQ(world.tablets->rows, std::vector<std::string>{"row0"});
  // A short call has a time limit even if its caller sets none.
  EXPECT_GT(world.tablets->last_options.timeout_us, 1'000'000);
  EXPECT_LE(world.tablets->last_options.timeout_us, 30'000'000);
  EXPECT_TRUE(WriteOne(tablets.get(), {nullptr, 5'000'000}).ok());
  EXPECT_LE(world.tablets->last_options.timeout_us, 5'000'000);
  // A write gets no cancel flag, because it is carried out to its end.
  EXPECT_EQ(world.tablets->last_options.cancel, nullptr);

  EXPECT_TRUE(world.transport.Control(world.id)->Do(calls::UnloadTablet{6, 7, 3}).ok());
  EXPECT_GT(world.control->last_timeout_us, MicrosOf(TimeLimit::kShort));
  EXPECT_LE(world.control->last_timeout_us, MicrosOf(TimeLimit::kLong));
  // A check of all data has no time limit.
  EXPECT_EQ(world.transport.Control(world.id)->Do(calls::VerifyTablet{7}).code(),
            StatusCode::kUnimplemented);
  EXPECT_EQ(world.control->last_timeout_us, 0);
}

TEST(LineCalls, AnErrorKeepsItsCodeItsTextAndItsCause) {
  LineWorld world;
  world.Begin();
  world.tablets->outcome = NotServed("tablet 7 has left this server");
  auto tablets = world.transport.Tablets(world.id, net::Lane::kMetadata);
  EXPECT_EQ(WriteOne(tablets.get()), world.tablets->outcome);
  const std::vector<ReadCheck> checks;
  const RowMutation mutation = SomeMutations(1)[0];
  Status lost = tablets->Do(calls::CommitRow<TabletAddress>{{7, 3}, mutation, checks});
  EXPECT_EQ(lost, Aborted("another writer was faster"));
  // A rejection by another member that the server called is not a rejection of the server's caller.
  world.tablets->other_outcome = net::MarkNotBegun(Unavailable("ts2.1: it is stopping"));
  lost = tablets->Do(calls::CommitRow<TabletAddress>{{7, 3}, mutation, checks});
  EXPECT_EQ(lost.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(net::IsNotBegun(lost)) << lost;

  auto control = world.transport.Control(world.id);
  EXPECT_EQ(control->Do(calls::Report{4}).status(), Aborted("an older master"));
  auto report = control->Do(calls::Report{6});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->first_unpublished_file, 6u);
}

TEST(LineCalls, ALargeBatchGoesInPartsAndKeepsItsOrder) {
  LineWorld world;
  world.Begin();
  std::vector<RowMutation> mutations = SomeMutations(25'000);
  mutations[12'345].row = "bad";
  auto statuses =
      world.transport.Tablets(world.id, net::Lane::kUsers)->Do(Apply{{7, 3}, std::move(mutations)});
  ASSERT_TRUE(statuses.ok()) << statuses.status();
  ASSERT_EQ(statuses->size(), 25'000u);
  for (size_t i = 0; i < statuses->size(); ++i) EXPECT_EQ((*statuses)[i].ok(), i != 12'345) << i;
  EXPECT_EQ(world.tablets->batch_sizes, (std::vector<size_t>{10'000, 10'000, 5'000}));
  ASSERT_EQ(world.tablets->rows.size(), 25'000u);
  EXPECT_EQ(world.tablets->rows[24'999], "row24999");
}

// A clock that advances only when a test moves it.
class SetClock final : public engine::Clock {
 public:
  int64_t NowMicros() override { return nanos / 1000; }
  int64_t MonotonicNanos() override { return nanos; }
  void SleepMicros(int64_t micros) override { nanos += micros * 1000; }
  std::atomic<int64_t> nanos{1};
};

TEST(LineCalls, WhatIsLeftOfALargeBatchIsNotSentAfterItsCallersTime) {
  SetClock clock;
  LineWorld world;
  world.Begin();
  world.tablets->on_write = [&] { clock.SleepMicros(100'000'000); };
  LineSettings settings = world.Settings();
  settings.clock = &clock;
  MemberTransport transport(settings, &world.addresses);
  auto statuses = transport.Tablets(world.id, net::Lane::kUsers)
                      ->Do(Apply{{7, 3}, SomeMutations(25'000)}, {nullptr, 100'000'000});
  ASSERT_TRUE(statuses.ok()) << statuses.status();
  ASSERT_EQ(statuses->size(), 25'000u);
  for (size_t i = 0; i < statuses->size(); ++i) {
    EXPECT_EQ((*statuses)[i].code(), i < 10'000 ? StatusCode::kOk : StatusCode::kDeadlineExceeded)
        << i;
  }
  EXPECT_EQ(world.tablets->batch_sizes, std::vector<size_t>{10'000});
}

TEST(LineCalls, BeforeAMemberServesAndWithoutTheRoleNothingIsBegun) {
  LineWorld world;
  auto tablets = world.transport.Tablets(world.id, net::Lane::kUsers);
  Status early = WriteOne(tablets.get());
  EXPECT_EQ(early.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(early)) << early;
  world.Begin();
  EXPECT_TRUE(WriteOne(tablets.get()).ok());
  world.addresses.PutMaster(world.server.address);
  Status no_master = world.transport.Notices()->Do(calls::SplitDone{});
  EXPECT_EQ(no_master.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(no_master)) << no_master;
  EXPECT_NE(MessageOf(no_master).find("ts1.4"), std::string_view::npos) << no_master;
}

TEST(LineCalls, TheCallersTimeAndCancelFlagEndTheWait) {
  std::atomic<bool> goes_on{false};  // outlives the server's threads
  LineWorld world;
  world.Begin();
  world.tablets->on_write = [&] {
    while (!goes_on) engine::Clock::System()->SleepMicros(1000);
  };
  auto tablets = world.transport.Tablets(world.id, net::Lane::kUsers);
  Status late = WriteOne(tablets.get(), {nullptr, 50'000});
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_NE(MessageOf(late).find("whether the change was made is not known"),
            std::string_view::npos)
      << late;
  auto cancel = std::make_shared<std::atomic<bool>>(false);
  engine::Thread canceller("canceller", [&] {
    while (world.tablets->calls < 2) engine::Clock::System()->SleepMicros(1000);
    *cancel = true;
  });
  Status cancelled = WriteOne(tablets.get(), {.cancel = cancel});
  EXPECT_EQ(cancelled.code(), StatusCode::kCancelled) << cancelled;
  canceller.Join();
  EXPECT_EQ(WriteOne(tablets.get(), {.cancel = cancel}).code(), StatusCode::kCancelled);
  EXPECT_EQ(world.tablets->calls, 2);  // the third call was never sent
  goes_on = true;
}

TEST(LineCalls, AServerThatHasStoppedIsUnavailableAndALaterLifeIsNotTakenForIt) {
  LineWorld world;
  world.Begin();
  Status gone = WriteOne(world.transport.Tablets({"ts2", 1}, net::Lane::kUsers).get());
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(gone)) << gone;
  EXPECT_EQ(MessageOf(gone).find("not known"), std::string_view::npos) << gone;

  MemberAddress old_life = world.server.address;
  old_life.life = "ts1.3";
  world.addresses.Put({"ts1", 3}, old_life);
  Status other = WriteOne(world.transport.Tablets({"ts1", 3}, net::Lane::kUsers).get());
  EXPECT_EQ(other.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(other)) << other;
  EXPECT_NE(MessageOf(other).find("ts1.4"), std::string_view::npos) << other;
  EXPECT_EQ(world.tablets->calls, 0);
}

TEST(LineCalls, HandlesOfOneLifeShareALineForEachLane) {
  LineWorld world;
  world.Begin();
  auto first = world.transport.Tablets(world.id, net::Lane::kUsers);
  auto second = world.transport.Tablets(world.id, net::Lane::kUsers);
  EXPECT_TRUE(WriteOne(first.get()).ok());
  EXPECT_TRUE(WriteOne(second.get()).ok());
  EXPECT_EQ(world.addresses.asked(), 1);
  EXPECT_EQ(world.server.server->connections(), 1u);
  auto root = world.transport.Tablets(world.id, net::Lane::kRoot);
  EXPECT_TRUE(WriteOne(root.get()).ok());
  auto control = world.transport.Control(world.id);
  EXPECT_TRUE(control->Do(calls::Report{6}).ok());
  EXPECT_EQ(world.server.server->connections(), 3u);
}

// The port of a member that has ended may belong to another member, which rejects the first one's
// callers.
TEST(LineCalls, AnotherMemberAtTheAddressIsNoAnswerToTheCall) {
  LineWorld world;
  ListeningMember other("tabletserver", "ts2.9");
  MemberAddress taken = other.address;
  taken.life = "ts1.4";
  world.addresses.Put(world.id, taken);
  Status status = WriteOne(world.transport.Tablets(world.id, net::Lane::kUsers).get());
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_TRUE(net::IsNotBegun(status)) << status;
  auto read = world.transport.Tablets(world.id, net::Lane::kUsers)->Read({7, 3}, {}, {});
  EXPECT_EQ(read.status().code(), StatusCode::kUnavailable) << read.status();
}

// A rejection, because the member does not serve yet or lacks the role, shows that the member is
// alive: the next call uses the same connection.
TEST(LineCalls, ARefusalKeepsTheConnection) {
  LineWorld world;
  ListeningMember master("master", "m1.2");
  world.addresses.PutMaster(master.address);
  auto notices = world.transport.Notices();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(notices->Do(calls::SplitDone{}).code(), StatusCode::kUnavailable);
    EXPECT_EQ(master.server->connections(), 1u);
  }
  EXPECT_EQ(world.addresses.asked(), 3);  // another process may have the address by now
}

TEST(LineCalls, TheMasterIsFoundAgainAfterItsSuccessorReigns) {
  LineWorld world;
  auto old_notices = std::make_shared<FakeNotices>(), notices = std::make_shared<FakeNotices>();
  auto old_master = std::make_unique<ListeningMember>("master", "m1.7");
  old_master->service.Begin({.notices = old_notices});
  world.addresses.PutMaster(old_master->address);
  auto line = world.transport.Notices();
  EXPECT_TRUE(line->Do(calls::SplitDone{world.id, 7}).ok());
  old_master.reset();

  ListeningMember master("master", "m2.9");
  master.service.Begin({.notices = notices});
  world.addresses.PutMaster(master.address);
  EXPECT_EQ(line->Do(calls::SplitDone{world.id, 7}).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(line->Do(calls::SplitDone{world.id, 7}).ok());
  EXPECT_EQ(old_notices->heard, 1);
  EXPECT_EQ(notices->heard, 1);
}

TEST(LineCalls, AClientEndsWithItsConnection) {
  LineWorld world;
  auto member = std::make_unique<ListeningMember>("gateway", "g1");
  const MemberAddress address{"127.0.0.1", member->address.port, ""};
  EXPECT_EQ(RemoteClient::Connect(address, "the gateway", world.Settings()).status().code(),
            StatusCode::kUnavailable);  // the member does not serve yet
  member->service.Begin({});
  auto client = RemoteClient::Connect(address, "the gateway", world.Settings());
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->Probe().ok());
  EXPECT_FALSE((*client)->is_lost());
  member.reset();
  EXPECT_EQ((*client)->Probe().code(), StatusCode::kUnavailable);
  EXPECT_TRUE((*client)->is_lost());
}

}  // namespace
}  // namespace sippar::cluster
