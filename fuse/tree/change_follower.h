// ChangeFollower: reads the change streams of the tables and says which names the changes have made
// stale (stale_names.h), so that the kernel may keep names longer than --entry-timeout (--follow).
// Drops the rows that changed from the caches of the mount. A table whose streams fail is not
// followed until new ones have begun. Used by change_notifier and dispatch in fuse/kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/thread.h"
#include "fuse/tree/attributes.h"
#include "fuse/tree/stale_names.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

class ChangeFollower {
 public:
  // `context` outlives the object. `cancel` ends calls that wait.
  ChangeFollower(TreeContext* context, cluster::CancelFlag cancel)
      : context_(context), cancel_(std::move(cancel)) {}

  // Reads what has changed since the last call. Does not wait for changes, but may wait for
  // servers. One thread calls it; the names are to be given to the kernel after it has returned.
  std::vector<StaleName> Poll();
  // The tables that are followed, as text; "" before the first look at them. Thread safe.
  std::string Summary() { return context_->status.followed(); }
  // True if the kernel may keep this name until a Poll reports it: IsFollowedName; its table is
  // followed, since at least kWriteNsMax before `read_at_ns` (monotonic), when the read began that
  // found the entry; and no change of the table was read since. Thread safe.
  bool IsCurrent(const Node& directory, const Node& entry, int64_t read_at_ns) EXCLUDES(mutex_);

 private:
  struct Table {
    cluster::TableInfo info;
    std::vector<std::unique_ptr<cluster::ChangeStream>> streams;  // one for each tablet
  };

  void LookAtTables(std::vector<StaleName>* stale);
  Status Begin(Table* table);
  Status ReadTable(const Table& table, std::vector<StaleName>* stale);
  // Takes the changes that ReadTable has found.
  void Take(const Table& table, const std::vector<cluster::Change>& changes,
            std::vector<StaleName>* stale);
  void Drop(const Table& table, std::vector<StaleName>* stale) EXCLUDES(mutex_);
  void TrustFrom(uint64_t table_id, int64_t from_ns) EXCLUDES(mutex_);
  void ShowTables(size_t tables);

  TreeContext* const context_;
  const cluster::CancelFlag cancel_;
  std::map<uint64_t, Table> followed_;
  size_t streams_ = 0;
  int64_t looked_at_ns_ = 0;
  bool has_looked_ = false;
  engine::Mutex mutex_;
  // By table: names that were read after this time may be kept.
  std::unordered_map<uint64_t, int64_t> trusted_from_ns_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
