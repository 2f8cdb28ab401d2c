// Opening a client of what a target means: a directory, a server, a socket. A directory that
// another process opens or closes is waited for. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

struct ClientOptions {
  // Make a new store when the directory is absent or empty. Without it, absent is kNotFound.
  bool create_if_missing = false;
  engine::FileSystem* fs = nullptr;  // null: the target's
  engine::Clock* clock = nullptr;    // null: the system's
  uint64_t memory_limit = 0;         // memtables + caches, bytes; 0: default (768 MiB)
  bool sync_writes = true;           // false: durability "none", for bulk loads that can be redone
};

struct Patience {
  // How long a directory that another process has open, and does not serve, is waited for; also
  // when the process that this one joined has left.
  int64_t wait_us = 30'000'000;
  // Called now and then meanwhile, from the waiting thread, with what is waited for; false: no
  // more.
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// `target`: a directory, host:port, sippar://host:port, or unix:PATH of a socket. A directory
// that another process of this user has open is joined through the socket in it, and opened by
// this process when that one leaves; one that this process opens it serves to others. kNotFound:
// no such directory. kFailedPrecondition: it holds something that is not a Sippar store or is of
// a newer format; unsynced writes are asked of a server. kUnavailable: another process has it
// open (named in the message) and does not answer; no server there. kCancelled: may_wait said so.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClient(const std::string& target,
                                                           const ClientOptions& options,
                                                           const Patience& patience = {});

}  // namespace sippar::cluster
