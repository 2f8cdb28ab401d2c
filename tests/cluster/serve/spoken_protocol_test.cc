// Tests how the first bytes of a connection determine its protocol.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/spoken_protocol.h"

#include <gtest/gtest.h>

#include <string>

#include "cluster/net/frame.h"
#include "cluster/net/hello.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string HelloFrame() {
  net::Frame frame{.kind = net::FrameKind::kHello};
  net::Hello hello;
  hello.name = "c1";
  frame.body = net::EncodeHello(hello);
  std::string bytes;
  net::AppendFrameHeader(frame, 0, &bytes);
  return bytes + frame.body;
}

TEST(SpokenProtocol, EachProtocolIsKnownByItsFirstBytesAndNotBefore) {
  const std::string hello = HelloFrame();
  const size_t magic_end = net::kFrameHeaderSize + net::kHelloMagic.size();
  for (size_t size = 0; size <= hello.size(); ++size) {
    EXPECT_EQ(SpokenProtocol(hello.substr(0, size)),
              size < magic_end ? Protocol::kNotKnownYet : Protocol::kWire)
        << size;
  }
  ASSERT_LE(magic_end, kFirstBytesMax);
  const std::string preface = std::string(kPreface) + "and frames";
  for (size_t size = 0; size <= preface.size(); ++size) {
    EXPECT_EQ(SpokenProtocol(preface.substr(0, size)),
              size < kPreface.size() ? Protocol::kNotKnownYet : Protocol::kGrpc)
        << size;
  }
}

// A checksum may begin like TLS, so all 16 bytes of the two checksums must arrive before the
// decision.
TEST(SpokenProtocol, TlsIsKnownWhereAHelloWouldShow) {
  const std::string client =
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(40, '\x5a');
  for (size_t size = 0; size <= client.size(); ++size) {
    EXPECT_EQ(SpokenProtocol(client.substr(0, size)),
              size <= 16 ? Protocol::kNotKnownYet : Protocol::kTls)
        << size;
  }
  std::string hello = HelloFrame();
  hello.replace(0, 2, "\x16\x03");
  EXPECT_EQ(SpokenProtocol(hello), Protocol::kWire);
}

TEST(SpokenProtocol, EverythingElseIsRefusedAsSoonAsItShows) {
  EXPECT_EQ(SpokenProtocol("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), Protocol::kOther);
  EXPECT_EQ(SpokenProtocol("PRI * HTTP/1.0\r\n\r\nSM\r\n\r\n"), Protocol::kOther);
  EXPECT_EQ(SpokenProtocol(std::string(17, '\x16')), Protocol::kOther);
  std::string other_kind = HelloFrame();
  other_kind[38] = static_cast<char>(net::FrameKind::kRequest);
  EXPECT_EQ(SpokenProtocol(other_kind), Protocol::kOther);
  std::string other_magic = HelloFrame();
  other_magic[net::kFrameHeaderSize + 3] ^= 1;
  EXPECT_EQ(SpokenProtocol(other_magic), Protocol::kOther);
}

// Only the bytes of the checksum are arbitrary, so they may look like the HTTP/2 preface.
TEST(SpokenProtocol, AHelloWhoseChecksumLooksLikeAPrefaceIsAHello) {
  std::string hello = HelloFrame();
  hello.replace(0, 8, kPreface.substr(0, 8));
  EXPECT_EQ(SpokenProtocol(hello.substr(0, 8)), Protocol::kNotKnownYet);
  EXPECT_EQ(SpokenProtocol(hello), Protocol::kWire);
}

}  // namespace
}  // namespace sippar::cluster
