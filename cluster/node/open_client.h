// Opens a client of what a target names: a directory, a server or a socket. Waits for a directory
// that another process is opening or closing. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "cluster/net/tls.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

struct ClientOptions {
  // Make a new store when the directory is absent or empty. Without it, absent is kNotFound.
  bool create_if_missing = false;
  engine::FileSystem* fs = nullptr;  // null: the target's
  engine::Clock* clock = nullptr;    // null: the system's
  uint64_t memory_limit = 0;         // bytes of memtables and caches; 0: default (768 MiB)
  bool sync_writes = true;           // false: durability "none", for bulk loads that can be redone
  // For host:port and a cluster: the certificates of this end. Null: those that the environment
  // names (node/server_client.h), or none, and the connection is plain.
  std::shared_ptr<net::TlsKeys> tls = nullptr;
};

struct Patience {
  // How long to wait for a directory that another process has open and does not serve, or for a
  // member of a cluster's ZooKeeper (10 s at most). Also applies when a process that this client
  // joined has left; then a call's own deadline or cancel flag may end the wait earlier.
  int64_t wait_us = 30'000'000;
  // Called now and then during the wait, by the waiting thread, with what is waited for; false ends
  // the wait.
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// `target`: a directory, host:port[,host:port] of servers of one store or of any members of one
// cluster, sippar://host:port, unix:PATH of a socket, or a cluster
// zk://HOST:PORT,HOST:PORT/NAME, whose members this client calls directly. A directory that
// another process of this user has open is joined through the socket in it, and opened by this
// process when that one leaves. A directory that this process opens is served to the user's other
// processes. kNotFound: no such directory. kFailedPrecondition: it holds something that is no
// Sippar store, or one of a newer format; or a server was asked for unsynced writes. kUnavailable:
// another process, named in the message, has it open and does not answer; or there is no server.
// kCancelled: may_wait returned false.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClient(const std::string& target,
                                                           const ClientOptions& options,
                                                           const Patience& patience = {});

}  // namespace sippar::cluster
