// Targets HOST:PORT and unix:PATH, and what may be there instead of a server.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/server_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "cluster/net/failure.h"
#include "cluster/net/unix_socket.h"
#include "cluster/node/open_client.h"
#include "cluster/serve/api_server.h"
#include "cluster/serve/wire_server.h"
#include "cluster/wire/member_service.h"
#include "cluster/wire/methods.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/net/test_certificates.h"

namespace sippar::cluster {
namespace {

TableSchema SchemaOf(const std::string& name) {
  TableSchema schema;
  schema.name = name;
  schema.families.resize(1);
  schema.families[0].name = "f";
  return schema;
}

class ServerClientTest : public testing::Test {
 protected:
  ServerClientTest() {
    ClientOptions options;
    options.create_if_missing = true;
    options.fs = &fs_;
    store_ = OpenClient("/store", options).value();
    EXPECT_TRUE(store_->admin()->Do(calls::CreateTable{SchemaOf("t"), {}}).ok());
  }
  static std::string Rows(Client* client) {
    auto cells = client->data()->Read("t", ReadSpec(), {});
    EXPECT_TRUE(cells.ok()) << cells.status();
    std::string rows;
    for (; cells.ok() && (*cells)->Valid(); (*cells)->NextRow()) rows += (*cells)->cell().row;
    return rows;
  }
  static Status Write(Client* client, const std::string& row) {
    return client->data()->Apply("t", RowMutation(row).Set("f", "q", "v"));
  }

  engine::MemoryFileSystem fs_;
  std::unique_ptr<Client> store_;
};

TEST_F(ServerClientTest, CallsAndStreamsGoOverTheWire) {
  auto server = WireServer::Start(store_.get(), {}).value();
  for (const std::string& target : {server->address(), "sippar://" + server->address()}) {
    auto client = OpenClient(target, {});
    ASSERT_TRUE(client.ok()) << client.status();
    EXPECT_EQ((*client)->target(), target);
    EXPECT_TRUE(Write(client->get(), "a").ok());
    EXPECT_EQ(Rows(client->get()), "a");
    EXPECT_EQ((*client)->admin()->Do(calls::CreateTable{SchemaOf("t"), {}}).code(),
              StatusCode::kAlreadyExists);
  }
  ClientOptions unsynced;
  unsynced.sync_writes = false;
  EXPECT_EQ(OpenClient(server->address(), unsynced).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(ServerClientTest, AClientGoesOnWhenItsServerHasComeBack) {
  WireServerOptions options;
  auto server = WireServer::Start(store_.get(), options).value();
  options.listen = server->address();
  Patience none;
  none.wait_us = 0;
  auto client = OpenClient(server->address(), {}, none).value();
  EXPECT_TRUE(Write(client.get(), "a").ok());
  server->Stop(0);
  Status away = Write(client.get(), "b");
  EXPECT_EQ(away.code(), StatusCode::kUnavailable) << away;
  server = WireServer::Start(store_.get(), options).value();
  EXPECT_TRUE(Write(client.get(), "c").ok());
  EXPECT_EQ(Rows(client.get()), "ac");
}

// As during an upgrade, no call fails.
TEST_F(ServerClientTest, AServerThatStartsAgainIsWaitedFor) {
  WireServerOptions options;
  auto server = WireServer::Start(store_.get(), options).value();
  options.listen = server->address();
  int waits = 0;
  Patience patience;
  patience.may_wait = [&](const std::string&) {
    if (++waits == 3) server = WireServer::Start(store_.get(), options).value();
    return true;
  };
  auto client = OpenClient(server->address(), {}, patience).value();
  EXPECT_TRUE(Write(client.get(), "a").ok());
  server->Stop(0);
  EXPECT_TRUE(Write(client.get(), "b").ok());
  EXPECT_EQ(waits, 3);
  server->Stop(0);
  waits = 0;
  EXPECT_EQ(Rows(client.get()), "ab");
  EXPECT_EQ(waits, 3);
}

// A process that is frozen still has its connections accepted by the kernel.
TEST_F(ServerClientTest, N5_AFrozenServerIsPassedOverWhereOthersAreNamed) {
  auto frozen = net::Socket::Listen(*net::NumericAddress("127.0.0.1", 0)).value();
  auto server = WireServer::Start(store_.get(), {}).value();
  const int64_t start_nanos = engine::Clock::System()->MonotonicNanos();
  auto client =
      OpenClient(fmt::format("127.0.0.1:{},{}", frozen->Local().port(), server->address()), {});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(Write(client->get(), "a").ok());
  const int64_t micros = (engine::Clock::System()->MonotonicNanos() - start_nanos) / 1000;
  EXPECT_GE(micros, 3'900'000);
  EXPECT_LT(micros, 30'000'000);
}

// So that a frozen one is not asked again first.
TEST_F(ServerClientTest, AfterALossTheNextServerIsTriedFirst) {
  auto first = WireServer::Start(store_.get(), {}).value();
  auto second = WireServer::Start(store_.get(), {}).value();
  auto client = OpenClient(first->address() + "," + second->address(), {}).value();
  EXPECT_TRUE(Write(client.get(), "a").ok());
  WireServerOptions same;
  same.listen = first->address();
  first->Stop(0);
  first = WireServer::Start(store_.get(), same).value();  // it is back before the next call
  const uint64_t calls = first->calls_begun();
  EXPECT_TRUE(Write(client.get(), "b").ok());
  EXPECT_EQ(first->calls_begun(), calls);
  EXPECT_GT(second->calls_begun(), 0u);
}

TEST_F(ServerClientTest, APortOfTheBigtableApiIsATargetToo) {
  ApiServerOptions options;
  options.listen = "localhost:0";
  auto server = ApiServer::Start(store_.get(), options).value();
  auto client = OpenClient(server->address(), {});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(Write(client->get(), "a").ok());
  EXPECT_EQ(Rows(client->get()), "a");
}

TEST_F(ServerClientTest, OtherMachinesMayConnectOnlyWhereAllMay) {
  ApiServerOptions options;
  options.listen = "0.0.0.0:0";
  Status refused = ApiServer::Start(store_.get(), options).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(MessageOf(refused).find("--insecure-network"), std::string_view::npos) << refused;
  options.is_open_to_all = true;
  auto server = ApiServer::Start(store_.get(), options).value();
  const std::string port = server->address().substr(server->address().rfind(':'));
  auto client = OpenClient("127.0.0.1" + port, {});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(Write(client->get(), "a").ok());
}

TEST_F(ServerClientTest, AServerOfAnotherVersionIsRefusedInASentence) {
  net::LaneLoops loops("newer");
  MemberService service("newer");
  net::ServerOptions options;
  options.hello.oldest = net::kVersionNewest + 1;
  options.hello.newest = net::kVersionNewest + 2;
  auto server = net::Server::Start(options, &service, &loops).value();
  Status other = OpenClient(fmt::format("127.0.0.1:{}", server->port()), {}).status();
  EXPECT_EQ(other.code(), StatusCode::kUnimplemented) << other;
  EXPECT_NE(MessageOf(other).find("use the same version of sippar for both"),
            std::string_view::npos)
      << other;
  server->Stop(0);
  loops.Stop();
}

// Sends to each caller what a server of another protocol might, or nothing, and then disconnects.
class OtherProgram {
 public:
  OtherProgram(std::unique_ptr<net::Socket> listening, std::string says)
      : listening_(std::move(listening)), says_(std::move(says)) {}
  ~OtherProgram() {
    ends_ = true;
    thread_.Join();
  }

 private:
  void Run() {
    while (!ends_) {
      engine::Clock::System()->SleepMicros(1000);
      auto caller = listening_->Accept();
      if (!caller.ok() || *caller == nullptr) continue;
      if (!says_.empty()) EXPECT_TRUE((*caller)->Write({says_}).ok());
      said_.push_back(*std::move(caller));
      if (says_.empty()) said_.clear();
    }
  }
  const std::unique_ptr<net::Socket> listening_;
  const std::string says_;
  std::atomic<bool> ends_{false};
  std::vector<std::unique_ptr<net::Socket>> said_;
  engine::Thread thread_{"other", [this] { Run(); }};
};

TEST_F(ServerClientTest, AnotherProgramIsToldApartFromNoServer) {
  auto listening = net::Socket::Listen(*net::NumericAddress("127.0.0.1", 0)).value();
  const std::string address = fmt::format("127.0.0.1:{}", listening->Local().port());
  OtherProgram other(std::move(listening), std::string(60, '\4'));
  Status status = OpenClient(address, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_NE(MessageOf(status).find("may be another program"), std::string_view::npos) << status;
}

// An older program serves only gRPC there, so waiting is useless. A program that has only closed
// the connection may be about to leave.
TEST_F(ServerClientTest, OnASocketAnotherProtocolIsFinalAndAnEndIsNot) {
  const std::string path = testing::TempDir() + "/other_program.sock";
  for (const std::string& says : {std::string(60, '\4'), std::string()}) {
    OtherProgram other(net::ListenAlone(path).value(), says);
    Status status = OpenClient("unix:" + path, {}).status();
    EXPECT_EQ(status.code(),
              says.empty() ? StatusCode::kUnavailable : StatusCode::kFailedPrecondition)
        << status;
    if (says.empty()) continue;
    EXPECT_NE(MessageOf(status).find("use the same version of sippar for both"),
              std::string_view::npos);
  }
  std::filesystem::remove(path);
  EXPECT_EQ(OpenClient("unix:" + path, {}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(OpenClient("unix:/" + std::string(200, 'x'), {}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(ServerClientTest, WithoutAServerTheTargetIsNamed) {
  auto server = WireServer::Start(store_.get(), {}).value();
  const std::string address = server->address();
  server->Stop(0);
  Status none = OpenClient(address, {}).status();
  EXPECT_EQ(none.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(none).find(address), std::string_view::npos) << none;
}

// Rejects some calls, as a server does whose limits are reached.
class BusyService final : public net::Service {
 public:
  explicit BusyService(Client* client) : members_("busy") {
    const std::shared_ptr<void> unowned;
    members_.Begin({.data = std::shared_ptr<DataApi>(unowned, client->data()),
                    .admin = std::shared_ptr<AdminApi>(unowned, client->admin())});
  }
  bool ServeAtOnce(const std::shared_ptr<net::ServerCall>&) override { return false; }
  void Serve(const std::shared_ptr<net::ServerCall>& call) override {
    if (call->method() == static_cast<uint16_t>(Method::kProbe) || refusals-- <= 0) {
      return members_.Serve(call);
    }
    ++refused;
    call->Reply(net::MarkNotBegun(Unavailable("too many calls are in flight")));
  }
  std::atomic<int> refusals{0}, refused{0};

 private:
  MemberService members_;
};

TEST_F(ServerClientTest, WhatABusyServerRefusesIsAskedAgain) {
  net::LaneLoops loops("busy");
  BusyService service(store_.get());
  net::ServerOptions options;
  options.hello.role = "gateway";
  options.hello.name = "busy";
  auto server = net::Server::Start(options, &service, &loops).value();
  auto client = OpenClient(fmt::format("127.0.0.1:{}", server->port()), {}).value();
  service.refusals = 3;
  EXPECT_TRUE(Write(client.get(), "a").ok());
  service.refusals = 3;
  EXPECT_EQ(Rows(client.get()), "a");
  service.refusals = 3;
  EXPECT_TRUE(client->admin()->Do(calls::CreateTable{SchemaOf("u"), {}}).ok());
  EXPECT_EQ(service.refused, 9);
  client.reset();
  server->Stop(0);
  loops.Stop();
}

class ServerCertificatesTest : public ServerClientTest {
 protected:
  ServerCertificatesTest() {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    authority_ = std::make_unique<net::TestAuthority>(folder_, "authority");
    authority_->Issue("server", "IP:127.0.0.1,DNS:localhost");
    authority_->Issue("client", "URI:spiffe://test/client");
    WireServerOptions options;
    options.tls = Keys("server", authority_->certificate());
    server_ = WireServer::Start(store_.get(), options).value();
  }
  ~ServerCertificatesTest() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::shared_ptr<net::TlsKeys> Keys(const std::string& name, const std::string& authority) {
    return net::TlsKeys::Load(
               {authority_->File(name + ".crt"), authority_->File(name + ".key"), authority})
        .value();
  }

  std::string folder_ = testing::TempDir() + "/server_certificatesXXXXXX";
  std::unique_ptr<net::TestAuthority> authority_;
  std::unique_ptr<WireServer> server_;
};

TEST_F(ServerCertificatesTest, BothEndsNeedThem) {
  ClientOptions options;
  options.tls = Keys("client", authority_->certificate());
  auto client = OpenClient(server_->address(), options);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(Write(client->get(), "a").ok());

  Status plain = OpenClient(server_->address(), {}).status();
  EXPECT_EQ(plain.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(plain).find("asks for a certificate"), std::string_view::npos) << plain;

  // On a port without certificates, calls would be unencrypted.
  ApiServerOptions grpc;
  grpc.listen = "localhost:0";
  auto clear = ApiServer::Start(store_.get(), grpc).value();
  EXPECT_EQ(OpenClient(clear->address(), options).status().code(), StatusCode::kUnavailable);
}

TEST_F(ServerCertificatesTest, TheEnvironmentNamesThemAllOrNone) {
  EXPECT_EQ(TlsKeysOfEnvironment().value(), nullptr);
  ::setenv("SIPPAR_TLS_CERT", authority_->File("client.crt").c_str(), 1);
  EXPECT_EQ(OpenClient(server_->address(), {}).status().code(), StatusCode::kInvalidArgument);
  ::setenv("SIPPAR_TLS_KEY", authority_->File("client.key").c_str(), 1);
  ::setenv("SIPPAR_TLS_CA", authority_->certificate().c_str(), 1);
  auto client = OpenClient(server_->address(), {});
  for (const char* name : {"SIPPAR_TLS_CERT", "SIPPAR_TLS_KEY", "SIPPAR_TLS_CA"}) ::unsetenv(name);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(Write(client->get(), "a").ok());
}

}  // namespace
}  // namespace sippar::cluster
