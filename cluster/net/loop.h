// A thread that waits for descriptors and timers and runs short work. This is the only interface to
// Asio; only loop.cc includes Asio's headers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/socket.h"
#include "engine/base/status.h"

namespace sippar::net {

// Waits for one descriptor, which must stay open. When the object is destroyed, its open waits are
// dropped, and their users are not called.
class Watch {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void OnReadable() = 0;  // called on the loop's thread, also after the socket failed
    virtual void OnWritable() = 0;
  };
  virtual ~Watch() = default;
  // Unless the wait is dropped, each call of AwaitReadable or AwaitWritable leads to one call of
  // `user`, and keeps `user` alive until then. Both must be called only on the loop's thread.
  virtual void AwaitReadable(std::shared_ptr<User> user) = 0;
  virtual void AwaitWritable(std::shared_ptr<User> user) = 0;
};

class Loop {
 public:
  // kUnavailable: the system has no free threads or descriptors.
  static StatusOr<std::shared_ptr<Loop>> Start(const std::string& name);
  virtual ~Loop() = default;
  // Drops all waits, runs the work that was posted before, and joins the thread. Work that is
  // posted later is dropped. Must not be called on the loop's own thread.
  virtual void Stop() = 0;
  // Runs `work` on the loop's thread. May be called on any thread.
  virtual void Post(std::function<void()> work) = 0;
  // Runs `work` after `micros`, but not if the loop stops before that. May be called on any thread.
  virtual void After(int64_t micros, std::function<void()> work) = 0;
  // Finds the addresses of a host name, or of "unix:PATH", in the order in which to try them.
  // `found` is called on the loop's thread, unless the loop stops before that. May be called on any
  // thread.
  using Found = std::function<void(StatusOr<std::vector<Address>>)>;
  virtual void Resolve(const std::string& host, uint16_t port, Found found) = 0;
  virtual std::unique_ptr<Watch> NewWatch(int fd) = 0;
  // A read buffer that all connections of the loop share, so that an idle connection needs none.
  // Only for the loop's thread.
  virtual std::vector<char>& scratch() = 0;
  virtual std::vector<char>& plain_scratch() = 0;  // buffer for the decrypted bytes
};

}  // namespace sippar::net
