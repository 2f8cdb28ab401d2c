// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/net/wire_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <utility>

#include "cluster/net/failure.h"
#include "engine/base/check.h"

namespace sippar::net {

bool TestService::ServeAtOnce(const std::shared_ptr<ServerCall>& call) {
  const uint16_t method = call->method();
  if (method == kSlowEcho || method == kWait || method == kCount || method == kEndless) {
    return false;
  }
  Serve(call);
  return true;
}

void TestService::Serve(const std::shared_ptr<ServerCall>& call) {
  ++served_;
  switch (call->method()) {
    case kEcho:
    case kSlowEcho:
      return call->Reply(std::move(call->body()));
    case kFail:
      return call->Reply(MarkNotBegun(NotFound(call->body()), 77));
    case kHold: {
      engine::MutexLock lock(&mutex_);
      held_.push_back(call);
      return;
    }
    case kEndless:
      CHECK(call->MarkEndless().ok());
      [[fallthrough]];
    case kWait:
      ++waiting_;
      while (!call->IsOver()) engine::Clock::System()->SleepMicros(1000);
      ++left_;
      return call->Reply(Cancelled("it waits no longer"));
    case kCount:
      return Count(call.get());
    case kGroup:
      return Group(call);
    case kForget:
      return;
    case kTooMuch:
      return call->Reply(std::string(kBodySizeMax + 1, 'x'));
    case kWhoAmI:
      return call->Reply(fmt::format("{} {} {} {}", call->peer().role, call->peer().name,
                                     call->identity().common_name,
                                     fmt::join(call->identity().names, ",")));
    default:
      return call->Reply(Unimplemented(fmt::format("method {}", call->method())));
  }
}

void TestService::Count(ServerCall* call) {
  int parts = 0, size = 0;
  CHECK(std::sscanf(call->body().c_str(), "%d %d", &parts, &size) == 2);
  for (int part = 0; part < parts; ++part) {
    std::string bytes = fmt::format("{:08}", part);
    bytes.resize(static_cast<size_t>(size), 'p');
    Status written = call->Write(std::move(bytes));
    if (!written.ok()) {
      ++streams_cancelled_;
      return call->Reply(written);
    }
    ++parts_written_;
  }
  call->Reply(fmt::format("{} parts", parts));
}

void TestService::Group(const std::shared_ptr<ServerCall>& call) {
  std::vector<std::shared_ptr<ServerCall>> group;
  {
    engine::MutexLock lock(&mutex_);
    group_.push_back(call);
    if (group_.size() < 8) return;
    group.swap(group_);
  }
  ReplyGroup replies;
  for (const auto& each : group) replies.Reply(each.get(), std::move(each->body()));
}

void TestService::Release() {
  std::vector<std::shared_ptr<ServerCall>> held;
  {
    engine::MutexLock lock(&mutex_);
    held.swap(held_);
  }
  for (const auto& call : held) call->Reply(std::string("released"));
}

size_t TestService::held() {
  engine::MutexLock lock(&mutex_);
  return held_.size();
}

Hello HelloOf(const std::string& role, const std::string& name) {
  Hello hello;
  hello.role = role;
  hello.name = name;
  hello.cluster = "test";
  return hello;
}

WireWorld::WireWorld(bool uses_tls) {
  options.hello = HelloOf("tabletserver", "ts1.1");
  if (!uses_tls) return;
  folder = testing::TempDir() + "/wireXXXXXX";  // unique, because a killed run leaves its folder
  CHECK(::mkdtemp(folder.data()) != nullptr);
  authority = std::make_unique<TestAuthority>(folder, "authority");
  authority->Issue("server", "IP:127.0.0.1,DNS:localhost");
  authority->Issue("client", "URI:spiffe://test/client/c1");
  server_keys = KeysOf(*authority, "server", *authority);
  client_keys = KeysOf(*authority, "client", *authority);
}

WireWorld::~WireWorld() {
  for (const auto& channel : channels) channel->Close();
  if (server != nullptr) server->Stop(0);
  service.Release();
  client_loops.Stop();
  server_loops.Stop();
  if (folder.empty()) return;
  for (const char* name : {"authority.crt", "server.crt", "server.key", "client.crt", "client.key",
                           "other.crt", "other.key", "stray.crt", "stray.key", "strange.crt"}) {
    std::remove((folder + "/" + name).c_str());
  }
  std::remove(folder.c_str());
}

void WireWorld::StartServer() {
  options.tls = server_keys;
  auto started = Server::Start(options, &service, &server_loops);
  ASSERT_TRUE(started.ok()) << started.status();
  server = *std::move(started);
  options.port = server->port();
}

ChannelOptions WireWorld::To(Lane lane) const {
  ChannelOptions to;
  to.host = options.host;
  to.port = options.port;
  to.hello = HelloOf("client", "c1");
  to.hello.lane = lane;
  to.tls = client_keys;
  return to;
}

std::shared_ptr<Channel> WireWorld::NewChannel(ChannelOptions to) {
  auto made = Channel::New(std::move(to), &client_loops);
  CHECK(made.ok());
  channels.push_back(*made);
  return *std::move(made);
}

std::shared_ptr<TlsKeys> KeysOf(const TestAuthority& issuer, const std::string& name,
                                const TestAuthority& trusted) {
  auto keys = TlsKeys::Load(
      {issuer.File(name + ".crt"), issuer.File(name + ".key"), trusted.certificate()});
  CHECK(keys.ok());
  return *std::move(keys);
}

}  // namespace sippar::net
