// What the actions of a master work on. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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
  // counts as stopped this long after: then its lease is over, and with it any reads that it might
  // still answer from memory.
  int64_t lease_us = 0;
};

}  // namespace sippar::cluster::master
