// The unix socket in a store's directory, through which the process that has the directory open
// serves other processes of the same user: those of this program, and clients of the Cloud Bigtable
// API. It costs one sleeping thread; each protocol starts with its first connection. The file has
// mode 0600, and each end asks the kernel for the other end's user (cluster/net/unix_socket.h), so
// no other user is served or can pretend to be the server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

class DirectorySocket {
 public:
  // Requires: this process holds the lock of `directory`. Connections wait until Serve is called.
  // kUnavailable: the socket cannot be made; the store can be used without it.
  [[nodiscard]] static StatusOr<std::unique_ptr<DirectorySocket>> Listen(
      const std::string& directory);
  // Serves `client`, which must outlive the socket. To be called once.
  virtual void Serve(Client* client) = 0;
  // Continues to serve for a short time while other processes make short calls. Then it accepts no
  // new calls, finishes those that must not be repeated, and cuts streams (wire/departure.h).
  virtual ~DirectorySocket() = default;
};

}  // namespace sippar::cluster
