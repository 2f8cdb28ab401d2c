// What the actions of a master work on, and its calls to servers.
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

// All of it outlives the actions.
struct ActionPlaces {
  Transport* transport = nullptr;
  MetadataTable* metadata = nullptr;
  engine::FileSystem* fs = nullptr;
  engine::Clock* clock = nullptr;
  std::string directory;  // directory shared by all servers (store_paths.h)
  // A server that still held its lock when it was removed, and whose process cannot be proven gone,
  // counts as stopped this long after, or after its own lease if that is longer
  // (MemberRecord::lease_us): then its lease is over, and with it any reads that it might still
  // answer from memory.
  int64_t lease_us = 0;
  // Ends the calls to servers that wait for an answer. Null: nothing does.
  CancelFlag cancel = nullptr;
};

// A call to a server, no longer than its rule allows: a server that hangs answers nothing, on a
// connection that lives. kUnavailable, kDeadlineExceeded, kCancelled: the outcome is unknown.
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
