// The unix socket in a store's directory, where the process that has the directory open serves the
// others of its user. Costs one sleeping thread until somebody comes; gRPC starts with the first.
// The file has mode 0600, and both ends ask the kernel who the other is (grpc/unix_socket.h):
// nobody else is served, and nobody else is believed. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

class DirectorySocket {
 public:
  // Requires: this process holds the lock of `directory`. Connections wait until they are served.
  // kUnavailable: there can be no socket; the store is as good without.
  [[nodiscard]] static StatusOr<std::unique_ptr<DirectorySocket>> Listen(
      const std::string& directory);
  // Once. `client` outlives it.
  virtual void Serve(Client* client) = 0;
  // First, and not for long, goes on while others have short calls; then takes no new ones,
  // finishes those that may not be made twice, and cuts streams. See StoreService::Leave.
  virtual ~DirectorySocket() = default;
};

}  // namespace sippar::cluster
