// The client: the only door that query, fuse and cli use. Opens a target and hands out the data and
// admin interfaces, which reach an engine in this process (node/embedded_node.h) or a
// server. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/api/admin_api.h"
#include "cluster/api/data_api.h"
#include "engine/base/clock.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

struct ClientOptions {
  // Make a new store when the directory is absent or empty. Without it, absent is kNotFound.
  bool create_if_missing = false;
  engine::FileSystem* fs = nullptr;  // null: posix
  engine::Clock* clock = nullptr;    // null: the system's
  uint64_t memory_limit = 0;         // memtables + caches, bytes; 0: default (768 MiB)
  bool sync_writes = true;           // false: durability "none", for bulk loads that can be redone
};

class Client {
 public:
  // `target`: a directory, host:port, sippar://host:port, or unix:PATH of a socket. A directory
  // that another process of this user has open is joined through the socket in it, and opened by
  // this process when that one leaves; one that this process opens it serves to others. kNotFound:
  // no such directory. kFailedPrecondition: it holds something that is not a Sippar store or is of
  // a newer format; unsynced writes are asked of a server. kUnavailable: another process has it
  // open (named in the message) and does not answer; no server there.
  [[nodiscard]] static StatusOr<std::unique_ptr<Client>> Open(const std::string& target,
                                                              const ClientOptions& options);
  virtual ~Client() = default;
  virtual DataApi* data() = 0;
  virtual AdminApi* admin() = 0;
  virtual engine::Clock* clock() = 0;
  virtual const std::string& target() const = 0;
  // A clean end: what is in memory is flushed, so that the next opening reads no log. Call once,
  // when all calls have ended; the destructor does it too and drops the status.
  [[nodiscard]] virtual Status Close() = 0;
};

}  // namespace sippar::cluster
