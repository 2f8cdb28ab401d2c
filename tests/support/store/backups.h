// Backups of a store's tables (FORMAT.md "Backups"): directories of second names of SSTables with a
// manifest, made last. Nothing is copied, and no sweep of SSTables knows of them: a file goes with
// its last name, so a backup outlives its table. A table that was dropped can be kept the same way.
// Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/store/backup_manifest.h"
#include "tests/support/store/store.h"

namespace sippar::engine {

inline constexpr int64_t kDroppedTablesMax = 100;  // that are kept

class Backups {
 public:
  // `store` outlives them.
  Backups(Store* store, FileSystem* fs, Clock* clock, const StoreFiles* files)
      : store_(store), fs_(fs), clock_(clock), files_(files) {}

  // Reads what there is; what a crash left unfinished goes.
  [[nodiscard]] Status Open();

  // kAlreadyExists, kNotFound name the backup or the table.
  [[nodiscard]] StatusOr<BackupInfo> Create(const std::string& name, const std::string& table,
                                            int64_t expires_us);
  [[nodiscard]] StatusOr<BackupInfo> Copy(const std::string& source, const std::string& name,
                                          int64_t expires_us);
  [[nodiscard]] StatusOr<BackupInfo> Get(const std::string& name);
  std::vector<BackupInfo> List();  // in order of time; without dropped tables
  [[nodiscard]] StatusOr<BackupInfo> SetExpiry(const std::string& name, int64_t expires_us);
  [[nodiscard]] Status Delete(const std::string& name);
  // A new table as the backup's was, but unprotected.
  [[nodiscard]] Status Restore(const std::string& name, const std::string& table);

  // Drops the table and keeps it for `keep_us`; not at all when the disk is full, and less when
  // more tables are dropped than can be kept.
  [[nodiscard]] Status DropTable(const std::string& table, int64_t keep_us);
  // The last one of the name that was dropped. kNotFound: there is none, or its time is over.
  [[nodiscard]] Status Undelete(const std::string& table);

  // Those whose time is over go.
  void Expire();

 private:
  using Held = std::map<uint64_t, BackupInfo>;  // by number, which rises

  std::string DirectoryOf(uint64_t number) const;
  Held::iterator Find(const std::string& name, bool is_dropped_table) REQUIRES(mutex_);
  StatusOr<Held::iterator> FindLive(const std::string& name) REQUIRES(mutex_);
  StatusOr<BackupManifest> ReadManifest(uint64_t number) const;
  Status WriteManifest(uint64_t number, const BackupManifest& manifest) const;
  Status Check(const std::string& name) REQUIRES(mutex_);
  // Files get their second names from `directory`.
  StatusOr<uint64_t> Add(BackupManifest manifest, const std::string& directory) REQUIRES(mutex_);
  Status Fill(uint64_t number, const BackupManifest& manifest, const std::string& directory);
  Status Import(uint64_t number, const std::string& table);
  Status Discard(Held::iterator backup) REQUIRES(mutex_);
  // Unfinished from its first step on.
  Status Remove(uint64_t number);

  Store* const store_;
  FileSystem* const fs_;
  Clock* const clock_;
  const StoreFiles* const files_;
  Mutex mutex_;  // one change at a time; before the store's locks
  Held held_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
