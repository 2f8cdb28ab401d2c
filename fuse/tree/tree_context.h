// TreeContext: the client and the caches that the parts of the tree share. Owned by tree_view. All
// members are thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "fuse/tree/long_names.h"
#include "fuse/tree/name_codec.h"
#include "fuse/tree/recent_rows.h"
#include "fuse/tree/row_cache.h"
#include "fuse/tree/table_catalog.h"
#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {

struct TreeOptions {
  uint64_t value_memory_bytes = 256 << 20;  // budget of OpenValues
  int64_t freshness_us = kFreshnessUs;      // greatest age of cached names and schemas
  size_t long_name_bytes = kLongNamesSizeMax;
  NameCodec codec;
};

struct TreeContext {
  TreeContext(cluster::Client* the_client, const TreeOptions& options)
      : client(the_client),
        data(the_client->data()),
        clock(the_client->clock()),
        codec(options.codec),
        freshness_us(options.freshness_us),
        tables(the_client->admin(), the_client->clock(), options.freshness_us),
        rows(the_client->data(), the_client->clock(), options.freshness_us),
        long_names(options.long_name_bytes),
        recent_rows(options.freshness_us) {}

  int64_t AgeUs(int64_t read_at_ns) const { return (clock->MonotonicNanos() - read_at_ns) / 1000; }

  cluster::Client* const client;
  cluster::DataApi* const data;
  engine::Clock* const clock;
  const NameCodec codec;
  const int64_t freshness_us;
  TableCatalog tables;
  RowCache rows;
  LongNames long_names;
  RecentRows recent_rows;
};

}  // namespace sippar::fuse
