// Tests which errors clients of the Bigtable API see.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/status_codes.h"

#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

TEST(StatusCodes, ACauseStaysInside) {
  for (const Status& status : {NotServed("x"), TooOld("x"), TooLarge("x"), SessionOver("x"),
                               DiskFull("x"), QueryExpired("x")}) {
    Status plain(status.code(), "x");
    ASSERT_NE(status, plain) << "it has a payload";
    grpc::Status sent = ToGrpc(status);
    EXPECT_EQ(static_cast<int>(sent.error_code()), static_cast<int>(status.code()));
    EXPECT_EQ(sent.error_message(), "x");
    EXPECT_EQ(sent.error_details(), "");
    google::rpc::Status part;  // status of one entry of a batch
    ToProto(status, &part);
    google::rpc::Status plain_part;
    ToProto(plain, &plain_part);
    EXPECT_EQ(part.SerializeAsString(), plain_part.SerializeAsString());
  }
}

}  // namespace
}  // namespace sippar::cluster
