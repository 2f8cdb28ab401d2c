// A thread that waits for descriptors and timers and runs short work. This is the only interface to
// Asio, whose headers only loop.cc includes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/socket.h"
#include "engine/base/status.h"

namespace sippar::net {

// Waits for one descriptor, which must stay open. Waits that are open when the object is destroyed
// are dropped, and their users are not called.
class Watch {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void OnReadable() = 0;  // on the loop's thread, also if the socket has failed
    virtual void OnWritable() = 0;
  };
  virtual ~Watch() = default;
  // Each of these leads to one call of `user`, and keeps it alive until then. On the loop's thread
  // only.
  virtual void AwaitReadable(std::shared_ptr<User> user) = 0;
  virtual void AwaitWritable(std::shared_ptr<User> user) = 0;
};

class Loop {
 public:
  // kUnavailable: the system has no more threads or descriptors.
  static StatusOr<std::shared_ptr<Loop>> Start(const std::string& name);
  virtual ~Loop() = default;
  // Drops all waits, runs the work that was posted before, and joins the thread. Work that is
  // posted later is dropped. Not on the loop's own thread.
  virtual void Stop() = 0;
  // Runs `work` on the loop's thread. Any thread.
  virtual void Post(std::function<void()> work) = 0;
  // Runs `work` after `micros`, but not if the loop stops before that. Any thread.
  virtual void After(int64_t micros, std::function<void()> work) = 0;
  // Addresses of a host name, or of "unix:PATH", in the order in which they should be tried.
  // `found` is called on the loop's thread. Any thread.
  using Found = std::function<void(StatusOr<std::vector<Address>>)>;
  virtual void Resolve(const std::string& host, uint16_t port, Found found) = 0;
  virtual std::unique_ptr<Watch> NewWatch(int fd) = 0;
  // A read buffer that all connections of the loop share, so that an idle connection needs none.
  // For the loop's thread.
  virtual std::vector<char>& scratch() = 0;
  virtual std::vector<char>& plain_scratch() = 0;  // for what TLS decrypts of it
};

}  // namespace sippar::net
