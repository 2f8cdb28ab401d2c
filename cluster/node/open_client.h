// Opens a client for what a target names: a directory, a cluster, a server or a socket. Waits for a
// directory that another process is opening or closing.
// SPDX-License-Identifier: Apache-2.0
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
  // True: makes a new store if the directory is missing or empty. False: a missing directory is the
  // error kNotFound.
  bool create_if_missing = false;
  engine::FileSystem* fs = nullptr;  // null: the target's own file system
  engine::Clock* clock = nullptr;    // null: the system's clock
  uint64_t memory_limit = 0;         // bytes of memtables and caches; 0: default (768 MiB)
  bool sync_writes = true;           // false: durability "none", for repeatable bulk loads
  // Certificates of this client, for connections to host:port or a cluster. If null, the client
  // uses the certificates that the environment names (node/server_client.h), or no TLS if it names
  // none.
  std::shared_ptr<net::TlsKeys> tls = nullptr;
};

struct Patience {
  // How long to wait for a directory that another process has open but does not serve, or for a
  // member of a cluster's ZooKeeper (10 s at most). Also applies after a process that this client
  // joined has left; a call's own deadline or cancel flag may then end the wait earlier.
  int64_t wait_us = 30'000'000;
  // The waiting thread calls this now and then during the wait, with what it waits for; false ends
  // the wait.
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// `target`: a directory, host:port[,host:port] of servers of one store or of any members of one
// cluster, sippar://host:port, unix:PATH of a socket, or a cluster zk://HOST:PORT,HOST:PORT/NAME,
// whose members this client calls directly. If another process of this user has a directory open,
// this client joins it through the socket in the directory, and opens the directory in this process
// after the other one has left. A directory that this process opens is served to the user's other
// processes. kNotFound: no such directory. kFailedPrecondition: the directory holds something that
// is not a Sippar store, or a store of a newer format; or a server was asked for unsynced writes.
// kUnavailable: another process, named in the message, has the directory open and does not answer;
// or there is no server. kCancelled: may_wait returned false.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClient(const std::string& target,
                                                           const ClientOptions& options,
                                                           const Patience& patience = {});

}  // namespace sippar::cluster
