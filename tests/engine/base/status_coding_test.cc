// SPDX-License-Identifier: Apache-2.0
#include "engine/base/status_coding.h"

#include <gtest/gtest.h>

namespace sippar::engine {
namespace {

Status Several() {
  Status status = DiskFull("write of 4096 bytes");
  status.SetPayload("b", absl::Cord("second"));
  status.SetPayload("a", absl::Cord(std::string("\0\xff", 2)));
  return status;
}

TEST(StatusCoding, CodeTextAndPayloadsComeBack) {
  for (const Status& status :
       {OkStatus(), NotFound(""), NotServed("tablet 7 has left this server"), Several()}) {
    std::string bytes;
    EncodeStatus(status, &bytes);
    Reader reader(bytes);
    EXPECT_EQ(DecodeStatus(&reader), status);
    EXPECT_TRUE(reader.AtEnd());
  }
  std::string ok;
  EncodeStatus(OkStatus(), &ok);
  EXPECT_EQ(ok.size(), 1u);
}

TEST(StatusCoding, BytesThatAreCutOrHaveAnUnknownCodeFail) {
  std::string bytes;
  EncodeStatus(Several(), &bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Reader reader(std::string_view(bytes).substr(0, size));
    static_cast<void>(DecodeStatus(&reader));
    EXPECT_FALSE(reader.ok()) << size;
  }
  Reader unknown("\x11");  // one above the code of kUnauthenticated
  static_cast<void>(DecodeStatus(&unknown));
  EXPECT_FALSE(unknown.ok());
}

}  // namespace
}  // namespace sippar::engine
