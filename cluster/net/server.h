// The answering end of calls: listens, and passes the calls that arrive to a service. Each lane
// (lane.h) has loops, threads and bounds of its own. Thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  // Runs on the lane's loop, where nothing may wait: answers the call if that takes microseconds,
  // or keeps it and answers it later. False: ServeAtOnce has done nothing, and one of the lane's
  // threads then calls Serve.
  virtual bool ServeAtOnce(const std::shared_ptr<ServerCall>& call) = 0;
  // Answers the call, or keeps it and answers it later.
  virtual void Serve(const std::shared_ptr<ServerCall>& call) = 0;
};

struct ServerOptions {
  // An address, or "unix:PATH". Empty: the server does not listen; it has only the connections that
  // are passed to Serve.
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: the system chooses a port
  Hello hello;        // `lane` is not used: each client names its own lane
  Keepalive keepalive;
  std::shared_ptr<TlsKeys> tls;  // nullptr: no TLS
  std::array<LaneBounds, kLanes> bounds;
  size_t connections_max = 20'000;
  int64_t goodbye_us = 1'500'000;  // time for peers to read the goodbye when the server stops
};

class Server {
 public:
  // `service` and `loops` outlive the server. kInvalidArgument: the host is not an address.
  // kUnavailable: it cannot listen on the address, or the system has no free thread or descriptor.
  static StatusOr<std::unique_ptr<Server>> Start(ServerOptions options, Service* service,
                                                 LaneLoops* loops);
  virtual ~Server() = default;
  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0;
  // Changes the name in the hellos of later connections: a process listens before it has registered
  // under a name.
  virtual void SetName(const std::string& name) = 0;
  // Serves the peer of a connection that was accepted elsewhere.
  virtual void Serve(std::unique_ptr<Socket> accepted) = 0;
  // Refuses new calls. Running calls have `drain_us` to end and are then cancelled; nothing waits
  // for endless streams (ServerCall::MarkEndless). Waits for the lanes' threads. Must not be called
  // on a loop's thread.
  virtual void Stop(int64_t drain_us) = 0;
};

}  // namespace sippar::net
