// A port that serves several protocols: accepts connections, finds out from the first bytes of each
// which protocol it speaks, and passes it on. One thread does this for all connections, and sleeps
// while nothing comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cluster/net/fd.h"
#include "cluster/net/socket.h"
#include "cluster/serve/listen_address.h"
#include "cluster/serve/spoken_protocol.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// Opens sockets that listen on the address; for "localhost" on 127.0.0.1 and, where the machine has
// IPv6, on ::1. kUnavailable: the address is in use, is not one of this machine, or its host is
// neither localhost nor numeric.
[[nodiscard]] StatusOr<std::vector<std::unique_ptr<net::Socket>>> ListenOn(
    const ListenAddress& address);

struct SharedPortOptions {
  std::vector<std::unique_ptr<net::Socket>> sockets;  // listening sockets
  bool takes_tls = false;           // false: callers that speak TLS are not served
  bool for_this_user = false;       // unix sockets only: callers of other users are not served
  int64_t silence_us = 10'000'000;  // time for a caller's first bytes
  size_t silent_max = 1024;         // most callers without first bytes; one more closes the oldest
};

class SharedPort {
 public:
  // Gets a connection of which nothing has been read. Its caller speaks kGrpc, kWire or, if
  // takes_tls is set, kTls.
  using Take = std::function<void(Protocol, std::unique_ptr<net::Socket>)>;

  // `take` is called on the port's thread. kUnavailable: the system has no free descriptor.
  [[nodiscard]] static StatusOr<std::unique_ptr<SharedPort>> Start(SharedPortOptions options,
                                                                   Take take);
  ~SharedPort() { Stop(); }
  SharedPort(const SharedPort&) = delete;
  SharedPort& operator=(const SharedPort&) = delete;

  // Stops the thread: nothing is accepted or passed on after that. Must not be called on the port's
  // thread.
  void Stop();
  uint64_t accepted() const { return accepted_; }  // number of connections so far
  // True if a connection was accepted since the start, or waits to be accepted. Must not be called
  // after Stop.
  bool HasCallers() const;

 private:
  struct Silent {
    std::unique_ptr<net::Socket> connection;
    int64_t until_nanos = 0;
  };

  SharedPort(SharedPortOptions options, Take take);
  [[nodiscard]] Status Begin();
  [[nodiscard]] bool Watch(int fd, uint64_t number, uint32_t events);
  void Run();
  int MillisToWait() const;
  void Accept(const net::Socket& listening);
  void Look(uint64_t number);
  void CloseLate();

  SharedPortOptions options_;
  const Take take_;
  const net::Fd events_;  // epoll descriptor
  const net::Fd stop_;    // eventfd that wakes the thread to stop
  std::atomic<uint64_t> accepted_{0};
  // Only the port's thread uses silent_ and last_number_ while it runs. silent_ has the connections
  // whose protocol is not known yet. Numbers grow, so its first entry is the oldest connection.
  std::map<uint64_t, Silent> silent_;
  uint64_t last_number_ = 0;
  engine::Thread thread_;
};

}  // namespace sippar::cluster
