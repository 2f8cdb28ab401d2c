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
  kEcho = 1,      // answered on the loop
  kSlowEcho = 2,  // answered by a thread
  kFail = 3,      // fails; the body is the message
  kHold = 4,      // kept until Release
  kWait = 5,      // holds a thread until its caller stops waiting
  kCount = 6,     // a stream; the body is "PARTS SIZE"
  kGroup = 7,     // kept; every eighth such call answers the eight together
  kForget = 8,    // dropped without an answer
  kWhoAmI = 9,    // returns what the server knows about its peer
  kTooMuch = 10,  // returns an answer that is too large for a frame
  kEndless = 11,  // like kWait, but Stop does not wait for it
};

class TestService final : public Service {
 public:
  bool ServeAtOnce(const std::shared_ptr<ServerCall>& call) override;
  void Serve(const std::shared_ptr<ServerCall>& call) override;
  // Answers the calls that kHold has kept.
  void Release();
  size_t held();
  int served() const { return served_; }
  int parts_written() const { return parts_written_; }
  int streams_cancelled() const { return streams_cancelled_; }
  int waiting() const { return waiting_; }
  int left() const { return left_; }  // number of kWait callers that stopped waiting

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
  std::unique_ptr<TestAuthority> authority;  // set only with TLS; has issued "server" and "client"
  std::shared_ptr<TlsKeys> server_keys, client_keys;
  ServerOptions options;
  std::unique_ptr<Server> server;
  std::vector<std::shared_ptr<Channel>> channels;
};

std::shared_ptr<TlsKeys> KeysOf(const TestAuthority& issuer, const std::string& name,
                                const TestAuthority& trusted);

// Checks the condition every millisecond, for up to ten seconds.
template <typename Condition>
bool Eventually(Condition is_met) {
  for (int i = 0; i < 10'000; ++i) {
    if (is_met()) return true;
    engine::Clock::System()->SleepMicros(1000);
  }
  return is_met();
}

}  // namespace sippar::net
