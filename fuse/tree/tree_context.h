// TreeContext: the client and the caches that the parts of the tree share. Owned by TreeView. All
// members are thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "fuse/tree/answers.h"
#include "fuse/tree/first_rows.h"
#include "fuse/tree/long_names.h"
#include "fuse/tree/mount_status.h"
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
  // Null: directories and files that need the query language do not exist.
  Answers* answers = nullptr;
  bool follows_changes = false;            // makes TreeView::follower
  int64_t query_timeout_us = 300'000'000;  // time limit for making the text of a generated file
};

struct TreeContext {
  TreeContext(cluster::Client* the_client, const TreeOptions& options)
      : client(the_client),
        data(the_client->data()),
        clock(the_client->clock()),
        mounted_at_us(the_client->clock()->NowMicros()),
        codec(options.codec),
        answers(options.answers),
        freshness_us(options.freshness_us),
        query_timeout_us(options.query_timeout_us),
        tables(the_client->admin(), the_client->clock(), options.freshness_us),
        rows(the_client->data(), the_client->clock(), options.freshness_us),
        long_names(options.long_name_bytes),
        recent_rows(options.freshness_us),
        first_rows(options.freshness_us) {}

  int64_t AgeUs(int64_t read_at_ns) const { return (clock->MonotonicNanos() - read_at_ns) / 1000; }

  cluster::Client* const client;
  cluster::DataApi* const data;
  engine::Clock* const clock;
  const int64_t mounted_at_us;
  const NameCodec codec;
  Answers* const answers;
  const int64_t freshness_us;
  const int64_t query_timeout_us;
  TableCatalog tables;
  RowCache rows;
  LongNames long_names;
  RecentRows recent_rows;
  FirstRows first_rows;
  MountStatus status;
};

}  // namespace sippar::fuse
