// Members are found by the records that they write into the lock service.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/lock_addresses.h"

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/lock/membership.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

bool Says(const Status& status, std::string_view text) {
  return MessageOf(status).find(text) != std::string_view::npos;
}

TEST(LockAddresses, ALifeIsReachedWhereItRegisteredUntilItsFileIsGone) {
  LockWorld world;
  auto session = world.Session("ts1");
  LockAddresses addresses(session.get());
  auto life =
      RegisterServer(session.get(), "ts1", MemberRecord{.host = "10.0.0.1", .port = 8086}.Encode());
  ASSERT_TRUE(life.ok()) << life.status();
  auto found = addresses.OfServer(life->id);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->host, "10.0.0.1");
  EXPECT_EQ(found->port, 8086);
  EXPECT_EQ(found->life, life->id.ToString());

  EXPECT_OK(session->Remove(life->path, 1));
  Status gone = addresses.OfServer(life->id).status();
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(Says(gone, "has stopped")) << gone;

  auto silent = RegisterServer(session.get(), "ts2", "ts2");
  ASSERT_TRUE(silent.ok()) << silent.status();
  EXPECT_CODE(addresses.OfServer(silent->id), StatusCode::kUnavailable);
}

TEST(LockAddresses, TheMasterIsReachedWhereItsHolderSaysAndNotWhereAnEarlierOneDid) {
  LockWorld world;
  auto reader = world.Session("client");
  LockAddresses addresses(reader.get());
  EXPECT_CODE(addresses.OfMaster(), StatusCode::kUnavailable);
  auto first = world.Session("m1");
  auto fence = first->Create(lock_paths::MasterLock(), "", LockFileKind::kLocked);
  ASSERT_TRUE(fence.ok()) << fence.status();
  EXPECT_CODE(addresses.OfMaster(), StatusCode::kUnavailable);
  EXPECT_OK(first->Write(lock_paths::MasterLock(),
                         MemberRecord{.host = "m1", .port = 1, .fence = *fence}.Encode(), 1));
  auto found = addresses.OfMaster();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->host, "m1");
  EXPECT_EQ(found->life, "");

  EXPECT_OK(first->Close());
  EXPECT_TRUE(Says(addresses.OfMaster().status(), "no process holds"));
  auto second = world.Session("m2");
  fence = second->Acquire(lock_paths::MasterLock());
  ASSERT_TRUE(fence.ok()) << fence.status();
  EXPECT_TRUE(Says(addresses.OfMaster().status(), "has not recorded its address"));
  EXPECT_OK(second->Write(lock_paths::MasterLock(),
                          MemberRecord{.host = "m2", .port = 2, .fence = *fence}.Encode(), 2));
  EXPECT_EQ(addresses.OfMaster()->host, "m2");
}

TEST(LockAddresses, ASessionThatIsOverIsNoAnswerAboutAMember) {
  LockWorld world;
  auto session = world.Session("client");
  LockAddresses addresses(session.get());
  EXPECT_OK(session->Close());
  for (const Status& status :
       {addresses.OfServer({"ts1", 4}).status(), addresses.OfMaster().status()}) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_FALSE(HasCause(status, Cause::kSessionOver));
  }
}

}  // namespace
}  // namespace sippar::cluster
