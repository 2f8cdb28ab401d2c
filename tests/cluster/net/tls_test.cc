// Tests which peers are admitted, and certificates that change.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/tls.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cluster/net/failure.h"
#include "tests/cluster/net/wire_world.h"

namespace sippar::net {
namespace {

TEST(WireTls, EachEndKnowsTheNamesInTheOthersCertificate) {
  WireWorld world(/*uses_tls=*/true);
  world.StartServer();
  auto answer = world.NewChannel()->Call(kWhoAmI, "", {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, "client c1 client spiffe://test/client/c1");
}

TEST(WireTls, N15_TheWrongHostOrCertificateIsRefusedAndNothingIsDone) {
  WireWorld world(/*uses_tls=*/true);
  world.authority->Issue("other", "DNS:elsewhere.example");
  auto elsewhere = KeysOf(*world.authority, "other", *world.authority);
  std::swap(world.server_keys, elsewhere);
  world.StartServer();
  Status wrong_host = world.NewChannel()->Call(kEcho, "x", {}).status();
  EXPECT_EQ(wrong_host.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(wrong_host));
  EXPECT_NE(MessageOf(wrong_host).find("IP address mismatch"), std::string_view::npos)
      << wrong_host;
  ChannelOptions any_host = world.To(Lane::kUsers);
  any_host.checks_host = false;
  EXPECT_TRUE(world.NewChannel(any_host)->Call(kEcho, "x", {}).ok());

  TestAuthority stranger(world.folder, "strange");
  stranger.Issue("stray", "IP:127.0.0.1");  // a new name: the server uses "other" and reloads it
  // The client's own certificate is from an authority that the server does not know ...
  any_host.tls = KeysOf(stranger, "stray", *world.authority);
  Status unknown = world.NewChannel(any_host)->Call(kEcho, "x", {}).status();
  EXPECT_TRUE(IsNotBegun(unknown)) << unknown;
  // ... or the server's certificate is from an authority that the client does not know.
  any_host.tls = KeysOf(*world.authority, "client", stranger);
  Status untrusted = world.NewChannel(any_host)->Call(kEcho, "x", {}).status();
  EXPECT_TRUE(IsNotBegun(untrusted));
  EXPECT_NE(MessageOf(untrusted).find("certificate"), std::string_view::npos) << untrusted;
  // Without TLS, no call is admitted at all.
  any_host.tls = nullptr;
  EXPECT_TRUE(IsNotBegun(world.NewChannel(any_host)->Call(kEcho, "x", {}).status()));
  EXPECT_EQ(world.service.served(), 1);
}

TEST(WireTls, X11_AnExpiredCertificateIsRefusedWithItsReason) {
  WireWorld world(/*uses_tls=*/true);
  world.StartServer();
  ChannelOptions late = world.To(Lane::kUsers);
  world.authority->Issue("stray", "URI:spiffe://test/client/late", /*valid_s=*/-60);
  late.tls = KeysOf(*world.authority, "stray", *world.authority);
  const Status of_client = world.NewChannel(late)->Call(kEcho, "x", {}).status();
  EXPECT_EQ(of_client.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(of_client));
  EXPECT_NE(MessageOf(of_client).find("certificate expired"), std::string_view::npos) << of_client;

  WireWorld other(/*uses_tls=*/true);
  other.authority->Issue("other", "IP:127.0.0.1", /*valid_s=*/-60);
  other.server_keys = KeysOf(*other.authority, "other", *other.authority);
  other.StartServer();
  const Status of_server = other.NewChannel()->Call(kEcho, "x", {}).status();
  EXPECT_TRUE(IsNotBegun(of_server));
  EXPECT_NE(MessageOf(of_server).find("certificate has expired"), std::string_view::npos)
      << of_server;
  EXPECT_EQ(world.service.served() + other.service.served(), 0);
}

TEST(WireTls, ChangedCertificatesAreUsedByTheNextConnection) {
  WireWorld world(/*uses_tls=*/true);
  world.StartServer();
  auto before = world.NewChannel();
  ASSERT_TRUE(before->Call(kEcho, "x", {}).ok());
  world.authority->Issue("client", "URI:spiffe://test/client/renewed");
  EXPECT_TRUE(Eventually([&] {
    auto answer = world.NewChannel()->Call(kWhoAmI, "", {});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() && answer->ends_with("renewed");
  }));
  // The open connection continues with its old certificate.
  EXPECT_TRUE(before->Call(kWhoAmI, "", {})->ends_with("c1"));
  // A pair that does not fit together changes nothing.
  world.authority->Issue("other", "URI:spiffe://test/client/other");
  ASSERT_EQ(::rename(world.authority->File("other.crt").c_str(),
                     world.authority->File("client.crt").c_str()),
            0);
  engine::Clock::System()->SleepMicros(1'200'000);
  auto still = world.NewChannel()->Call(kWhoAmI, "", {});
  ASSERT_TRUE(still.ok()) << still.status();
  EXPECT_TRUE(still->ends_with("renewed"));
}

TEST(WireTls, AFileThatCannotBeUsedIsNamed) {
  WireWorld world(/*uses_tls=*/true);
  world.authority->Issue("other", "");
  auto file = [&](const char* name) { return world.authority->File(name); };
  struct Case {
    TlsFiles files;
    const char* named;
  };
  for (const Case& each :
       {Case{{file("none.crt"), file("client.key"), file("authority.crt")}, "none.crt"},
        Case{{file("client.crt"), file("none.key"), file("authority.crt")}, "none.key"},
        Case{{file("client.crt"), file("other.key"), file("authority.crt")}, "other.key"},
        Case{{file("client.crt"), file("client.key"), file("client.key")}, "client.key"}}) {
    auto loaded = TlsKeys::Load(each.files);
    EXPECT_EQ(loaded.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(MessageOf(loaded.status()).find(each.named), std::string_view::npos)
        << loaded.status();
  }
}

TEST(WireTls, ARecordThatWasChangedOnItsWayIsNoticed) {
  WireWorld world(/*uses_tls=*/true);
  auto server = world.server_keys->NewServer();
  auto client = world.client_keys->NewClient("localhost");
  ASSERT_TRUE(server.ok() && client.ok());
  bool is_done = false;
  for (int round = 0; round < 5 && !is_done; ++round) {
    std::string bytes;
    auto of_client = (*client)->Shake();
    ASSERT_TRUE(of_client.ok()) << of_client.status();
    (*client)->Drain(&bytes);
    (*server)->Feed(bytes);
    auto of_server = (*server)->Shake();
    ASSERT_TRUE(of_server.ok()) << of_server.status();
    bytes.clear();
    (*server)->Drain(&bytes);
    (*client)->Feed(bytes);
    is_done = *of_client && *of_server;
  }
  ASSERT_TRUE(is_done);
  char plain[100];
  for (bool damages : {false, true}) {
    std::string bytes;
    ASSERT_TRUE((*client)->Encrypt("secret").ok());
    (*client)->Drain(&bytes);
    EXPECT_EQ(bytes.find("secret"), std::string::npos);
    if (damages) bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    (*server)->Feed(bytes);
    auto read = (*server)->Decrypt(plain, sizeof(plain));
    if (damages) {
      EXPECT_EQ(read.status().code(), StatusCode::kUnavailable);
    } else {
      ASSERT_TRUE(read.ok());
      EXPECT_EQ(std::string_view(plain, *read), "secret");
    }
  }
}

}  // namespace
}  // namespace sippar::net
