// Causes of errors pass between our own processes, and no transport invents one.
// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/api/row_codec.h"
#include "cluster/wire/store_connection.h"

namespace sippar::cluster {
namespace {

Status Sent(const Status& status) {
  std::string bytes;
  engine::EncodeStatus(status, &bytes);
  engine::Reader reader(bytes);
  Status received = engine::DecodeStatus(&reader);
  EXPECT_TRUE(reader.AtEnd());
  return received;
}

TEST(WireCauseTest, EveryCauseGoesThroughOurProtocol) {
  for (const Status& status : {NotServed("a"), TooOld("b"), TooLarge("c"), SessionOver("d"),
                               DiskFull("e"), QueryExpired("f")}) {
    EXPECT_EQ(Sent(status), status);  // code, text, payloads
  }
  EXPECT_FALSE(HasCause(Sent(ResourceExhausted("too many groups")), Cause::kDiskFull));
}

// gRPC has the same codes for troubles of its own: RESOURCE_EXHAUSTED for a message that is too
// large. They must not look like a full disk, for which the reserve would be given up.
TEST(WireCauseTest, AnErrorOfTheTransportHasNoCause) {
  StoreConnection connection(grpc::CreateChannel("127.0.0.1:1", grpc::InsecureChannelCredentials()),
                             "the server");
  for (auto code : {grpc::StatusCode::RESOURCE_EXHAUSTED, grpc::StatusCode::OUT_OF_RANGE,
                    grpc::StatusCode::FAILED_PRECONDITION}) {
    Status status = connection.Failed({code, "message larger than max"}, Effect::kNone);
    EXPECT_EQ(static_cast<int>(status.code()), static_cast<int>(code));
    for (Cause cause : {Cause::kNotServed, Cause::kTooOld, Cause::kTooLarge, Cause::kSessionOver,
                        Cause::kDiskFull, Cause::kQueryExpired}) {
      EXPECT_FALSE(HasCause(status, cause)) << status;
    }
  }
}

}  // namespace
}  // namespace sippar::cluster
