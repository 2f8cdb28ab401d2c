// The port of a member that is also a gateway: the protocol of cluster/net and the Cloud Bigtable
// API on one address.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/member_port.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cluster/node/server_client.h"
#include "cluster/wire/member_service.h"
#include "tests/cluster/net/test_certificates.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

class MemberPortTest : public ApiTest {
 protected:
  MemberPortTest() : service_("ts1") {
    const std::shared_ptr<void> unowned;
    service_.Begin({.data = std::shared_ptr<DataApi>(unowned, client_->data()),
                    .admin = std::shared_ptr<AdminApi>(unowned, client_->admin())});
  }
  void Start(const std::string& listen, std::shared_ptr<net::TlsKeys> tls,
             bool is_open_to_all = false) {
    MemberPortOptions options;
    options.net.hello.role = "tabletserver";
    options.net.hello.name = "ts1";
    options.net.tls = std::move(tls);
    options.has_api = true;
    options.is_open_to_all = is_open_to_all;
    port_ = MemberPort::Start(ListenAddress::Parse(listen).value(), std::move(options), &service_,
                              &loops_)
                .value();
  }
  // Writes over the API as a caller that connects to `host`.
  grpc::Status SetAt(const std::string& host) {
    auto stub = v2::Bigtable::NewStub(grpc::CreateChannel(
        host + ":" + std::to_string(port_->port()), grpc::InsecureChannelCredentials()));
    v2::MutateRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key("a");
    auto* set = request.add_mutations()->mutable_set_cell();
    set->set_family_name("f");
    set->set_timestamp_micros(1000);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    v2::MutateRowResponse reply;
    return stub->MutateRow(&context, request, &reply);
  }
  Status ProbeAt(const std::string& host, const std::shared_ptr<net::TlsKeys>& tls) {
    return ConnectServer(host + ":" + std::to_string(port_->port()), "the member", &clock_, tls)
        .status();
  }

  net::LaneLoops loops_{"wire"};
  MemberService service_;
  std::unique_ptr<MemberPort> port_;
};

TEST_F(MemberPortTest, TheApiIsServedFromItsBeginToItsEnd) {
  CreateTable();
  Start("localhost:0", nullptr);
  EXPECT_TRUE(ProbeAt("localhost", nullptr).ok());
  EXPECT_EQ(SetAt("127.0.0.1").error_code(), grpc::UNAVAILABLE);
  port_->BeginApi(ApiConnections::Start(client_.get(), {}).value());
  EXPECT_TRUE(SetAt("127.0.0.1").ok());
  EXPECT_EQ(Read().rows.size(), 1u);
  port_->EndApi(1'000'000);
  EXPECT_EQ(SetAt("127.0.0.1").error_code(), grpc::UNAVAILABLE);
  EXPECT_TRUE(ProbeAt("localhost", nullptr).ok());
  port_->Stop(0);
  EXPECT_EQ(ProbeAt("localhost", nullptr).code(), StatusCode::kUnavailable);
}

// The API has no encryption, so it is served only on this machine; calls of other members need
// certificates.
TEST_F(MemberPortTest, N15_WithCertificatesTheApiIsForThisMachineAlone) {
  CreateTable();
  std::string folder = testing::TempDir() + "/memberportXXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  net::TestAuthority authority(folder, "authority");
  authority.Issue("ts1", "IP:127.0.0.1");
  auto keys = net::TlsKeys::Load(
      {authority.File("ts1.crt"), authority.File("ts1.key"), authority.certificate()});
  ASSERT_TRUE(keys.ok()) << keys.status();
  Start("0.0.0.0:0", *keys);
  port_->BeginApi(ApiConnections::Start(client_.get(), {}).value());
  EXPECT_TRUE(SetAt("127.0.0.1").ok());
  EXPECT_TRUE(ProbeAt("127.0.0.1", *keys).ok());
  EXPECT_EQ(ProbeAt("127.0.0.1", nullptr).code(), StatusCode::kUnavailable);
  // A connection from 127.0.0.1 to 127.0.0.2 acts as one from another machine, because its ends
  // have different addresses.
  EXPECT_EQ(SetAt("127.0.0.2").error_code(), grpc::UNAVAILABLE);
  port_.reset();
  Start("0.0.0.0:0", nullptr, /*is_open_to_all=*/true);
  port_->BeginApi(ApiConnections::Start(client_.get(), {}).value());
  EXPECT_TRUE(SetAt("127.0.0.2").ok());
  std::filesystem::remove_all(folder);
}

TEST_F(MemberPortTest, AnAddressInUseIsAnError) {
  Start("127.0.0.1:0", nullptr);
  MemberPortOptions options;
  options.has_api = true;
  const ListenAddress taken{"127.0.0.1", port_->port()};
  EXPECT_EQ(MemberPort::Start(taken, std::move(options), &service_, &loops_).status().code(),
            StatusCode::kUnavailable);
}

}  // namespace
}  // namespace sippar::cluster
