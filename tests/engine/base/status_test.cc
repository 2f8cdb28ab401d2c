// Causes that distinguish errors with the same code.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/status.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/store_error.h"

namespace sippar {
namespace {

TEST(Cause, EachIsToldFromTheOthersOfItsCode) {
  std::vector<std::pair<Status, Cause>> all = {
      {NotServed("x"), Cause::kNotServed}, {TooOld("x"), Cause::kTooOld},
      {TooLarge("x"), Cause::kTooLarge},   {SessionOver("x"), Cause::kSessionOver},
      {DiskFull("x"), Cause::kDiskFull},   {QueryExpired("x"), Cause::kQueryExpired}};
  for (const auto& [status, cause] : all) {
    for (const auto& [other, other_cause] : all) {
      EXPECT_EQ(HasCause(status, other_cause), cause == other_cause) << status;
    }
    EXPECT_FALSE(HasCause(Status(status.code(), "x"), cause)) << "the code alone says nothing";
    EXPECT_FALSE(HasCause(OkStatus(), cause));
  }
}

TEST(Cause, AnAnnotationKeepsItAndTheCode) {
  Status status = Annotate(Annotate(DiskFull("no space"), "write a"), "flush t");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(MessageOf(status), "flush t: write a: no space");
  EXPECT_TRUE(HasCause(status, Cause::kDiskFull));
  EXPECT_TRUE(Annotate(OkStatus(), "flush t").ok());
}

TEST(AsStoreError, NamesNoTableAndNoRights) {
  for (const Status& status : {NotFound("rename a: no such file"), PermissionDenied("create a")}) {
    Status told = AsStoreError(status);
    EXPECT_EQ(told.code(), StatusCode::kUnavailable);
    EXPECT_EQ(MessageOf(told), MessageOf(status));
  }
  EXPECT_TRUE(AsStoreError(OkStatus()).ok());
  EXPECT_TRUE(HasCause(AsStoreError(DiskFull("x")), Cause::kDiskFull));
}

TEST(StatusIn, IsTheAnswersOwn) {
  EXPECT_TRUE(StatusIn(StatusOr<int>(7)).ok());
  EXPECT_TRUE(HasCause(StatusIn(StatusOr<int>(TooOld("x"))), Cause::kTooOld));
  EXPECT_EQ(StatusIn(NotFound("x")).code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace sippar
