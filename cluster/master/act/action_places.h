// What the actions of a master use, and their calls to servers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/api/call_options.h"
#include "cluster/api/transport.h"
#include "cluster/location/metadata_table.h"
#include "engine/base/clock.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster::master {

// Everything that this points to outlives the actions.
struct ActionPlaces {
  Transport* transport = nullptr;
  MetadataTable* metadata = nullptr;
  engine::FileSystem* fs = nullptr;
  engine::Clock* clock = nullptr;
  std::string directory;  // directory shared by all servers (store_paths.h)
  // How long the master waits for a removed server that still held its lock and may still run. If
  // the server's own lease (MemberRecord::lease_us) is longer, the master waits for that. After the
  // wait the server's lease has ended, so it answers no more reads from memory.
  int64_t lease_us = 0;
  // Cancels the calls to servers that wait for an answer. Null: they are never cancelled.
  CancelFlag cancel = nullptr;
  // Id of the cluster. The master ends only processes whose member records have this id. "": one
  // process is the whole cluster, and the master ends none.
  std::string cluster = {};
};

// Calls a server, with the time limit of the call's rule (api/call.h), because a server that hangs
// keeps its connection open and never answers. kUnavailable, kDeadlineExceeded, kCancelled: the
// outcome is unknown.
template <class Call>
[[nodiscard]] Answer<Call> CallServer(const ActionPlaces& places, const ServerId& server,
                                      const Call& call) {
  static_assert(Call::kRule.limit != TimeLimit::kNone);
  CallOptions options;
  options.cancel = places.cancel;
  options.timeout_us = MicrosOf(Call::kRule.limit);
  return places.transport->Control(server)->Do(call, options);
}

}  // namespace sippar::cluster::master
