// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/schema_cache.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"

namespace sippar::cluster {
namespace {

// A watch is only a hint, so an older schema is read again.
constexpr int64_t kAgeMaxNanos = 1'000'000'000;

}  // namespace

StatusOr<std::shared_ptr<const TableSchema>> SchemaCache::Get(const std::string& table) {
  auto freshness = Freshness::kConsistent;
  {
    engine::MutexLock lock(&mutex_);
    auto found = known_.find(table);
    if (found != known_.end() && !found->second->has_changed) {
      if (clock_->MonotonicNanos() - found->second->read_nanos < kAgeMaxNanos) [[likely]]
        return found->second->schema;
      freshness = Freshness::kCached;
    }
  }
  return Read(table, freshness);
}

// The watch comes before the read, so that no change is missed in between.
StatusOr<std::shared_ptr<const TableSchema>> SchemaCache::Read(const std::string& table,
                                                               Freshness freshness) {
  ASSIGN_OR_RETURN(uint64_t id, directory_.Find(table));
  const std::string path = lock_paths::Table(id);
  auto fresh = std::make_shared<Known>();
  fresh->read_nanos = clock_->MonotonicNanos();
  Status watched = session_->Watch(path, [fresh] { fresh->has_changed = true; });
  if (!watched.ok()) fresh->has_changed = true;  // the next call reads again
  auto file = session_->Read(path, freshness);
  const bool is_gone = file.status().code() == StatusCode::kNotFound ||
                       (file.ok() && !HoldsLiveTable(file->content));
  engine::MutexLock lock(&mutex_);
  if (is_gone) {
    known_.erase(table);
    // The name may belong to a newer table now, which the next call finds.
    directory_.Forget(table, id);
    return NotFound(fmt::format("table {} not found", table));
  }
  RETURN_IF_ERROR(file.status());
  ASSIGN_OR_RETURN(TableRecord record, DecodeTableFile(file->content));
  fresh->schema = std::make_shared<const TableSchema>(std::move(record.schema));
  known_[table] = fresh;
  return fresh->schema;
}

void SchemaCache::Forget() {
  engine::MutexLock lock(&mutex_);
  known_.clear();
}

}  // namespace sippar::cluster
