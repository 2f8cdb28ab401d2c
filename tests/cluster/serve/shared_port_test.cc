// One port for both protocols, and callers that use neither, are slow, or send nothing.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/shared_port.h"

#include <fmt/format.h>

#include <filesystem>

#include "cluster/net/unix_socket.h"
#include "cluster/node/server_client.h"
#include "cluster/serve/listen_address.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Checks the condition every millisecond, for up to ten seconds.
template <typename Condition>
bool Eventually(const Condition& is_met) {
  for (int i = 0; i < 10'000; ++i) {
    if (is_met()) return true;
    engine::Clock::System()->SleepMicros(1000);
  }
  return is_met();
}

bool IsClosed(const net::Socket& socket) {
  char byte;
  return !socket.Peek(&byte, 1).ok();
}

// Sends `bytes`. Returns false if the connection is not established yet.
bool Says(const net::Socket& socket, const std::string& bytes) {
  return socket.Write({bytes}).value_or(0) == bytes.size();
}

class SharedPortTest : public testing::Test {
 protected:
  void Start(SharedPortOptions options) {
    auto listening = net::Socket::Listen(*net::NumericAddress("127.0.0.1", 0)).value();
    address_ = listening->Local();
    options.sockets.push_back(std::move(listening));
    Begin(std::move(options));
  }
  void Begin(SharedPortOptions options) {
    auto take = [this](Protocol protocol, std::unique_ptr<net::Socket> connection) {
      engine::MutexLock lock(&mutex_);
      taken_.emplace_back(protocol, std::move(connection));
    };
    port_ = SharedPort::Start(std::move(options), take).value();
  }
  std::unique_ptr<net::Socket> Connect() const { return net::Socket::Connect(address_).value(); }
  // Connects, and waits until the port has accepted the connection.
  std::unique_ptr<net::Socket> ConnectAndWait() const {
    const uint64_t before = port_->accepted();
    auto socket = Connect();
    EXPECT_TRUE(Eventually([&] { return port_->accepted() > before; }));
    return socket;
  }
  size_t taken() {
    engine::MutexLock lock(&mutex_);
    return taken_.size();
  }

  net::Address address_;
  engine::Mutex mutex_;
  std::vector<std::pair<Protocol, std::unique_ptr<net::Socket>>> taken_ GUARDED_BY(mutex_);
  std::unique_ptr<SharedPort> port_;
};

TEST_F(SharedPortTest, AConnectionIsHandedOnOnceItsProtocolIsKnownWithAllItsBytes) {
  Start({});
  auto slow = ConnectAndWait();
  auto silent = ConnectAndWait();
  for (char byte : kPreface) {
    EXPECT_EQ(taken(), 0u);
    EXPECT_EQ(slow->Write({std::string_view(&byte, 1)}).value(), 1u);
    engine::Clock::System()->SleepMicros(2000);
  }
  ASSERT_TRUE(Eventually([&] { return taken() == 1; }));
  engine::MutexLock lock(&mutex_);
  EXPECT_EQ(taken_[0].first, Protocol::kGrpc);
  char bytes[64];
  EXPECT_EQ(taken_[0].second->Read(bytes, sizeof(bytes)).value(), kPreface.size());
  EXPECT_EQ(std::string_view(bytes, kPreface.size()), kPreface);
  EXPECT_FALSE(IsClosed(*silent));
}

TEST_F(SharedPortTest, WhatSpeaksNeitherIsClosedAtOnceAndWhatIsSilentLater) {
  SharedPortOptions options;
  options.silence_us = 300'000;
  Start(std::move(options));
  auto silent = ConnectAndWait();
  auto half = ConnectAndWait();
  EXPECT_TRUE(half->Write({kPreface.substr(0, 9)}).ok());
  auto other = Connect();
  ASSERT_TRUE(Eventually([&] { return Says(*other, "GET / HTTP/1.1\r\n\r\n"); }));
  EXPECT_TRUE(Eventually([&] { return IsClosed(*other); }));
  EXPECT_TRUE(Eventually([&] { return IsClosed(*silent); }));
  EXPECT_TRUE(Eventually([&] { return IsClosed(*half); }));
  EXPECT_EQ(taken(), 0u);
  EXPECT_EQ(port_->accepted(), 3u);
}

TEST_F(SharedPortTest, OneMoreThanManySilentCallersEndsTheFirst) {
  SharedPortOptions options;
  options.silent_max = 2;
  Start(std::move(options));
  auto first = ConnectAndWait();
  auto second = ConnectAndWait();
  EXPECT_FALSE(IsClosed(*first));
  auto third = ConnectAndWait();
  EXPECT_TRUE(Eventually([&] { return IsClosed(*first); }));
  EXPECT_FALSE(IsClosed(*second));
  EXPECT_TRUE(third->Write({kPreface}).ok());
  EXPECT_TRUE(Eventually([&] { return taken() == 1; }));
}

TEST_F(SharedPortTest, APortThatStopsClosesWhatItHasNotHandedOn) {
  Start({});
  EXPECT_FALSE(port_->HasCallers());
  auto silent = ConnectAndWait();
  EXPECT_TRUE(port_->HasCallers());
  port_->Stop();
  EXPECT_TRUE(Eventually([&] { return IsClosed(*silent); }));
  auto late = net::Socket::Connect(address_);
  EXPECT_TRUE(!late.ok() || Eventually([&] { return !(*late)->Outcome().ok(); }));
  EXPECT_EQ(taken(), 0u);
}

TEST_F(SharedPortTest, AUnixSocketIsServedToThisUser) {
  const std::string path = testing::TempDir() + "/shared_port.sock";
  SharedPortOptions options;
  options.sockets.push_back(net::ListenAlone(path).value());
  options.for_this_user = true;
  Begin(std::move(options));
  auto socket = net::Socket::Connect(*net::NumericAddress("unix:" + path, 0)).value();
  EXPECT_TRUE(net::IsOfThisUser(socket->fd()));
  EXPECT_TRUE(socket->Write({kPreface}).ok());
  EXPECT_TRUE(Eventually([&] { return taken() == 1; }));
  std::filesystem::remove(path);
}

using BothProtocolsTest = ApiTest;

TEST_F(BothProtocolsTest, OnePortServesThem) {
  CreateTable();
  auto remote = ConnectServer(server_->address(), "the server", &clock_, nullptr);
  ASSERT_TRUE(remote.ok()) << remote.status();
  EXPECT_TRUE(Set("a", "f", "q", 1000, "over gRPC").ok());
  EXPECT_TRUE((*remote)->data()->Apply("p/i/t", RowMutation("b").Set("f", "q", "wire", 1000)).ok());
  auto cells = (*remote)->data()->Read("p/i/t", ReadSpec(), {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  std::string found;
  for (; (*cells)->Valid(); (*cells)->Next()) found += std::string((*cells)->cell().value) + ";";
  EXPECT_EQ(found, "over gRPC;wire;");
  EXPECT_EQ(Read().cells.size(), 2u);
  // Other callers on the port do not affect these calls.
  const ListenAddress place = ListenAddress::Parse(server_->address()).value();
  auto other = net::Socket::Connect(*net::NumericAddress(place.Numeric(), place.port)).value();
  auto silent = net::Socket::Connect(*net::NumericAddress(place.Numeric(), place.port)).value();
  EXPECT_TRUE(Eventually([&] { return Says(*other, std::string(40, 'x')); }));
  EXPECT_TRUE(Eventually([&] { return IsClosed(*other); }));
  EXPECT_TRUE(Set("c", "f", "q", 1000, "x").ok());
  EXPECT_TRUE((*remote)->Probe().ok());
  server_->Stop(1'000'000);
  EXPECT_FALSE(Set("d", "f", "q", 1000, "x").ok());
  EXPECT_EQ((*remote)->Probe().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(Eventually([&] { return IsClosed(*silent); }));
}

}  // namespace
}  // namespace sippar::cluster
