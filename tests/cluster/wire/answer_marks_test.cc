// What a member's failure means to a remote caller: whether the member answered, and whether it
// began the call.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cluster/api/member_answer.h"
#include "cluster/net/failure.h"
#include "line_world.h"

namespace sippar::cluster {
namespace {

// Answers every call with the same failure.
template <class Interface>
class Failing final : public Interface {
 public:
  explicit Failing(Status failure) : failure_(std::move(failure)) {}
  void Carry(const typename Interface::AnyCall& call, const CallOptions&) override {
    Refuse(call, failure_);
  }

 private:
  const Status failure_;
};

Status Told(LineWorld* world, Status failure) {
  world->server.service.Begin(
      {.notices = std::make_shared<Failing<MasterNotices>>(std::move(failure))});
  world->addresses.PutMaster(world->server.address);
  return world->transport.Notices()->Do(calls::SplitDone{});
}

TEST(AnswerMarks, AnInterfaceThatHasNotTakenACallHasNotBegunIt) {
  LineWorld world;
  const Status refused = Told(&world, net::MarkNotTaken(Unavailable("it is not the master")));
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(refused)) << refused;
  EXPECT_FALSE(refused.GetPayload(net::kNotTaken).has_value());  // the mark concerns only this call
  // The nested call was not begun, but this call was.
  const Status begun = Told(&world, net::MarkNotBegun(Unavailable("ts2.1: it is stopping")));
  EXPECT_EQ(begun.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(net::IsNotBegun(begun)) << begun;
}

TEST(AnswerMarks, AServersOwnFailureIsToldFromACallWithoutAnAnswer) {
  LineWorld world;
  world.server.service.Begin(
      {.control = std::make_shared<Failing<TabletControl>>(MarkAnswered(Unavailable("busy")))});
  const Status busy = world.transport.Control(world.id)->Do(calls::UnloadTablet{5, 1, 1});
  EXPECT_EQ(busy.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsAnswered(busy)) << busy;
  world.server.server->Stop(0);
  const Status silent = world.transport.Control(world.id)->Do(calls::UnloadTablet{5, 1, 1});
  EXPECT_EQ(silent.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(IsAnswered(silent)) << silent;
}

}  // namespace
}  // namespace sippar::cluster
