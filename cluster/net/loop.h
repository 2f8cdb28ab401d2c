// A thread that waits for descriptors and timers and runs short work. The only door to Asio, whose
// headers loop.cc alone includes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/socket.h"
#include "engine/base/status.h"

namespace sippar::net {

// Waits for one descriptor, which has to stay open. Destroyed on any thread, when nothing waits.
class Watch {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void OnReadable() = 0;  // on the loop's thread, also when the line has failed
    virtual void OnWritable() = 0;
  };
  virtual ~Watch() = default;
  // Each leads to one call, and keeps the user alive until then. On the loop's thread only.
  virtual void AwaitReadable(std::shared_ptr<User> user) = 0;
  virtual void AwaitWritable(std::shared_ptr<User> user) = 0;
};

class Loop {
 public:
  // kUnavailable: the system has no more threads or descriptors.
  static StatusOr<std::shared_ptr<Loop>> Start(const std::string& name);
  virtual ~Loop() = default;
  // Drops what is being waited for, runs what has been posted, and joins the thread. Later posts
  // are dropped. Not on the loop's own thread.
  virtual void Stop() = 0;
  // Runs `work` on the loop's thread. Any thread.
  virtual void Post(std::function<void()> work) = 0;
  // The same, after `micros`. Not called when the loop stops before. Any thread.
  virtual void After(int64_t micros, std::function<void()> work) = 0;
  // Addresses of a host name, or of "unix:PATH", in the order in which they should be tried.
  // `found` is called on the loop's thread. Any thread.
  using Found = std::function<void(StatusOr<std::vector<Address>>)>;
  virtual void Resolve(const std::string& host, uint16_t port, Found found) = 0;
  virtual std::unique_ptr<Watch> NewWatch(int fd) = 0;
  // Memory for reads that take place on the loop's thread, so that an idle connection has none.
  virtual std::vector<char>& scratch() = 0;
  virtual std::vector<char>& plain_scratch() = 0;  // for what TLS decrypts of the first
};

}  // namespace sippar::net
