// Causes of errors survive between sippar processes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/api/row_codec.h"

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
    EXPECT_EQ(Sent(status), status);  // compares code, text and payloads
  }
  EXPECT_FALSE(HasCause(Sent(ResourceExhausted("too many groups")), Cause::kDiskFull));
}

}  // namespace
}  // namespace sippar::cluster
