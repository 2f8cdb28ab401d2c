// Caches the schemas of tables, which it reads from the lock service, so that calls on rows need no
// master (Bigtable paper, section 5.1). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cluster/api/admin_calls.h"
#include "cluster/api/call_time.h"
#include "cluster/client/table_directory.h"
#include "cluster/net/lane_threads.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

class SchemaCache {
 public:
  // Both outlive the cache.
  SchemaCache(LockSession* session, engine::Clock* clock)
      : session_(session), clock_(clock), directory_(session), asking_("schemas", 4, 1024) {}

  // Returns the schema of a table, at least as new as all changes before the last Forget. A change
  // by another client is seen when the watch of the table's file fires, mostly within milliseconds,
  // and after a second at the latest. While the lock service does not answer, the schema read last
  // is returned: the servers check each call against their own. `time`: the caller's deadline and
  // cancel flag, which end the call even while the lock service does not answer. kNotFound: table
  // not found.
  [[nodiscard]] StatusOr<std::shared_ptr<const TableSchema>> Get(
      const std::string& table, const CallTime& time = CallTime(engine::Clock::System(), {}));
  // Drops all cached schemas. To be called after this client has changed a table.
  void Forget();

 private:
  // Shared with the callback of a watch, which may run after the cache was destroyed.
  struct Known {
    std::shared_ptr<const TableSchema> schema;
    int64_t trusted_until_nanos = 0;  // time of the next read, unless has_changed
    // The lock service did not answer the last read: until this time it is not asked again, and the
    // known schema is used.
    int64_t away_until_nanos = 0;
    std::atomic<bool> has_changed{false};
  };
  // What LookAt found in the cache.
  struct Look {
    std::shared_ptr<Known> known;  // null: the table is not in the cache
    bool is_enough = false;        // `known` needs no new read of the lock service
  };
  Look LookAt(const std::string& table);
  // Asks the lock service for a schema that the cache lacks or has perhaps in an old version.
  StatusOr<std::shared_ptr<const TableSchema>> Ask(const std::string& table, const Look& look);
  // Reads the table's file. kNotFound: the table that had this name was dropped; a newer table may
  // have the name now.
  StatusOr<std::shared_ptr<Known>> Read(const std::string& table, Freshness freshness);

  LockSession* const session_;
  engine::Clock* const clock_;
  TableDirectory directory_;
  engine::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Known>> known_ GUARDED_BY(mutex_);
  net::LaneThreads asking_;  // threads that ask for callers that may leave before the answer
};

}  // namespace sippar::cluster
