// What the parts of one tablet server share. Every object that a pointer here names outlives the
// parts; the functions are thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cluster/api/server_id.h"
#include "cluster/location/metadata_table.h"
#include "cluster/tabletserver/metadata_state_store.h"
#include "cluster/tabletserver/served_set.h"
#include "engine/store/tablet_host.h"

namespace sippar::cluster {

struct ServerParts {
  ServerId id;
  std::string directory;  // directory shared by all servers (store_paths.h)
  engine::StoreOptions store;
  engine::TabletHost* host = nullptr;
  MetadataTable* metadata = nullptr;
  MetadataStateStore* states = nullptr;
  ServedSet* served = nullptr;
  // OK while the lease is certainly held and the server has not ended.
  std::function<Status()> check_serving;
  // Calls LeaseDriver::LeftMicros of this server's lease.
  std::function<std::optional<int64_t>()> lease_left_us;
  // True once the server has ended for good. (A lease that ran out may come back.)
  std::function<bool()> has_ended;
  // Informs the master that a split is in METADATA. The caller does not learn of a failure.
  std::function<void(uint64_t parent_tablet_id)> tell_split;
  std::weak_ptr<void> life;  // server that owns the parts; open streams keep it alive
};

}  // namespace sippar::cluster
