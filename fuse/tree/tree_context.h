// What the parts of the tree share: the client and the caches. Owned by tree_view; all members are
// thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "fuse/tree/long_names.h"
#include "fuse/tree/name_codec.h"
#include "fuse/tree/recent_rows.h"
#include "fuse/tree/row_cache.h"
#include "fuse/tree/table_catalog.h"

namespace sippar::fuse {

struct TreeContext {
  TreeContext(cluster::Client* the_client, NameCodec the_codec)
      : client(the_client),
        data(the_client->data()),
        clock(the_client->clock()),
        codec(the_codec),
        tables(the_client->admin(), the_client->clock()),
        rows(the_client->data(), the_client->clock()) {}

  int64_t AgeUs(int64_t read_at_ns) const { return (clock->MonotonicNanos() - read_at_ns) / 1000; }

  cluster::Client* const client;
  cluster::DataApi* const data;
  engine::Clock* const clock;
  const NameCodec codec;
  TableCatalog tables;
  RowCache rows;
  LongNames long_names;
  RecentRows recent_rows;
};

}  // namespace sippar::fuse
