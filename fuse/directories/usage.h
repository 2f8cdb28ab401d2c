// The totals that statfs reports, of all tables. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

struct Usage {
  uint64_t stored_bytes = 0;
  uint64_t entries = 0;
};

class UsageReader {
 public:
  explicit UsageReader(TreeContext* context) : context_(context) {}

  // The totals, at most as old as TreeOptions::freshness_us. An error if the totals of a table
  // cannot be read.
  [[nodiscard]] StatusOr<Usage> Read() EXCLUDES(mutex_);

 private:
  TreeContext* const context_;
  engine::Mutex mutex_;
  Usage usage_ GUARDED_BY(mutex_);
  int64_t read_at_ns_ GUARDED_BY(mutex_) = 0;
  bool is_read_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::fuse
