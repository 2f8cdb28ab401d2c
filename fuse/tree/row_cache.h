// RowCache: whole rows that were read, so that the other files of a row need no further read. Keeps
// names, times, exact sizes and small values; drops the least recently used rows above a
// limit in bytes. Used by fuse/directories and fuse/tree. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "fuse/tree/node.h"
#include "fuse/tree/reads.h"

namespace sippar::fuse {

struct RowColumn {
  std::string family;
  std::string qualifier;
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  uint64_t size_bytes = 0;
  std::optional<std::string> value;  // std::nullopt: too large to keep with the row
};

// The newest version of each column of a row, from one atomic read.
struct RowSnapshot {
  std::vector<RowColumn> columns;  // sorted by family, then qualifier
  // True if the row has too many columns, or too long names, to keep: `columns` is empty, and each
  // lookup or listing reads what it needs from the table.
  bool is_wide = false;
  int64_t loaded_at_ns = 0;
  size_t size_bytes = 0;  // approximate memory of this object

  const RowColumn* Find(std::string_view family, std::string_view qualifier) const;
  // Index of the first column of `family` whose qualifier is > `after`; without `after`, of the
  // family's first column.
  size_t FirstOf(std::string_view family, const std::optional<std::string>& after) const;
};
using RowPtr = std::shared_ptr<const RowSnapshot>;

class RowCache {
 public:
  RowCache(cluster::DataApi* data, engine::Clock* clock, int64_t freshness_us)
      : data_(data), clock_(clock), freshness_us_(freshness_us) {}

  // Returns the row, not older than the freshness (a wide row's mark: than kWideRowMemoryUs). A row
  // that does not exist has no columns.
  [[nodiscard]] StatusOr<RowPtr> Get(uint64_t table_id, const ReadView& view, std::string_view row,
                                     const cluster::CallOptions& call);
  // Returns the cached row, whatever its age; null if it is not cached. Never reads the table.
  RowPtr Peek(uint64_t table_id, const ReadView& view, std::string_view row) EXCLUDES(mutex_);
  // Forgets the row, because it has changed. A read of it that is under way may bring the state
  // before the change back, for no longer than the freshness.
  void Forget(uint64_t table_id, const ReadView& view, std::string_view row) EXCLUDES(mutex_);
  uint64_t reads() const { return reads_.load(std::memory_order_relaxed); }

 private:
  using Item = std::pair<std::string, RowPtr>;

  StatusOr<RowPtr> Load(const ReadView& view, std::string_view row,
                        const cluster::CallOptions& call);
  RowPtr FindFresh(const std::string& key) EXCLUDES(mutex_);
  void Insert(const std::string& key, const RowPtr& row) EXCLUDES(mutex_);
  void Erase(std::list<Item>::iterator item) REQUIRES(mutex_);

  cluster::DataApi* const data_;
  engine::Clock* const clock_;
  const int64_t freshness_us_;
  std::atomic<uint64_t> reads_{0};
  engine::Mutex mutex_;
  std::list<Item> items_ GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<std::string_view, std::list<Item>::iterator> by_key_ GUARDED_BY(mutex_);
  size_t size_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::fuse
