// A server with a service of a few methods, and channels to it, in one process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/channel.h"
#include "cluster/net/server.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/base/wake_up.h"
#include "tests/cluster/net/test_certificates.h"

namespace sippar::net {

enum Method : uint16_t {
  kEcho = 1,      // on the loop
  kSlowEcho = 2,  // on a thread
  kFail = 3,      // with the body as its message
  kHold = 4,      // kept, until Release
  kWait = 5,      // holds a thread until its caller waits no longer
  kCount = 6,     // a stream: "PARTS SIZE"
  kGroup = 7,     // kept; every eighth call answers all of them together
  kForget = 8,    // given up without an answer
  kWhoAmI = 9,    // what the server knows of its peer
  kTooMuch = 10,  // an answer that no frame holds
  kEndless = 11,  // as kWait, of a call that no stop waits for
};

class TestService final : public Service {
 public:
  bool ServeAtOnce(const std::shared_ptr<ServerCall>& call) override;
  void Serve(const std::shared_ptr<ServerCall>& call) override;
  // Answers what kHold has kept.
  void Release();
  size_t held();
  int served() const { return served_; }
  int parts_written() const { return parts_written_; }
  int streams_cancelled() const { return streams_cancelled_; }
  int waiting() const { return waiting_; }
  int left() const { return left_; }  // kWait: callers that waited no longer

 private:
  void Count(ServerCall* call);
  void Group(const std::shared_ptr<ServerCall>& call);

  std::atomic<int> served_{0}, parts_written_{0}, streams_cancelled_{0}, waiting_{0}, left_{0};
  engine::Mutex mutex_;
  std::vector<std::shared_ptr<ServerCall>> held_, group_;
};

Hello HelloOf(const std::string& role, const std::string& name);

struct WireWorld {
  explicit WireWorld(bool uses_tls = false);
  ~WireWorld();
  void StartServer();
  ChannelOptions To(Lane lane) const;
  std::shared_ptr<Channel> NewChannel(ChannelOptions options);
  std::shared_ptr<Channel> NewChannel(Lane lane = Lane::kUsers) { return NewChannel(To(lane)); }

  TestService service;
  LaneLoops server_loops{"server"}, client_loops{"client"};
  std::string folder;
  std::unique_ptr<TestAuthority> authority;  // with TLS only; has issued "server" and "client"
  std::shared_ptr<TlsKeys> server_keys, client_keys;
  ServerOptions options;
  std::unique_ptr<Server> server;
  std::vector<std::shared_ptr<Channel>> channels;
};

std::shared_ptr<TlsKeys> KeysOf(const TestAuthority& issuer, const std::string& name,
                                const TestAuthority& trusted);

// Looks every millisecond, for up to ten seconds.
template <typename Condition>
bool Eventually(Condition is_met) {
  for (int i = 0; i < 10'000; ++i) {
    if (is_met()) return true;
    engine::Clock::System()->SleepMicros(1000);
  }
  return is_met();
}

}  // namespace sippar::net
