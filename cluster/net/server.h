// The answering end: listens, and hands calls to a service. Each lane has a loop, threads and
// bounds of its own. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "cluster/net/lane_loops.h"
#include "cluster/net/server_call.h"

namespace sippar::net {

class Service {
 public:
  virtual ~Service() = default;
  // Calls that wait for nothing are served on the lane's loop, all others on its threads: also
  // every stream that is written before Serve returns, as it waits for its reader.
  virtual bool IsShort(uint16_t method) const = 0;
  // Answers now, or keeps the call and answers later.
  virtual void Serve(const std::shared_ptr<ServerCall>& call) = 0;
};

struct ServerOptions {
  // An address, or "unix:PATH". Empty: the server has only the connections that it is given.
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: the system chooses
  Hello hello;        // the lane is each client's; SetName changes the name
  Keepalive keepalive;
  std::shared_ptr<TlsKeys> tls;  // nullptr: plain
  std::array<LaneBounds, kLanes> bounds;
  size_t connections_max = 20'000;
  int64_t goodbye_us = 1'500'000;  // time for peers to take the goodbye of a server that stops
};

class Server {
 public:
  // `service` and `loops` outlive the server. kUnavailable: the address cannot be listened on.
  static StatusOr<std::unique_ptr<Server>> Start(ServerOptions options, Service* service,
                                                 LaneLoops* loops);
  virtual ~Server() = default;
  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0;
  // The name in the hellos of connections from now on: a process listens before its life has one.
  virtual void SetName(const std::string& name) = 0;
  // Serves the peer of a connection that was accepted elsewhere.
  virtual void Serve(std::unique_ptr<Socket> accepted) = 0;
  // New calls are refused; those that run have `drain_us`, then they are cancelled. Waits for the
  // lanes' threads. Not on a loop's thread.
  virtual void Stop(int64_t drain_us) = 0;
};

}  // namespace sippar::net
