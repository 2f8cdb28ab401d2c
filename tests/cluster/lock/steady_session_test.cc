// A session that is had again when it was lost. SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/steady_session.h"

#include "tests/cluster/lock/contract_world.h"

namespace sippar::cluster {
namespace {

class SteadySessionTest : public InContractWorld {};

TEST_F(SteadySessionTest, OutlivesItsSessions) {
  auto opened = SteadySession::Open(world.locks(), {"client", kSecond, world.clock});
  ASSERT_TRUE(opened.ok()) << opened.status();
  SteadySession* steady = opened->get();
  EXPECT_OK(steady->Create("cluster", "c", LockFileKind::kLasting));
  uint64_t first = steady->id();
  world.Pass(10 * kSecond);  // no heartbeat came
  auto file = steady->Read("cluster", Freshness::kConsistent);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->content, "c");
  EXPECT_NE(steady->id(), first);
  world.Pass(10 * kSecond);
  EXPECT_EQ(*steady->Write("cluster", "d", file->version), file->version + 1);
  // A lock would be lost unnoticed.
  EXPECT_CODE(steady->Acquire("cluster"), StatusCode::kInvalidArgument);
  EXPECT_CODE(steady->Create("servers/s.9", "", LockFileKind::kLocked),
              StatusCode::kInvalidArgument);
  EXPECT_OK(steady->Close());
  EXPECT_CODE(steady->List("servers"), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace sippar::cluster
