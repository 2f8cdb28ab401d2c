// Opens a directory of format 1 (engine/FORMAT.md "Directory") once more, so that its tables can be
// moved into a cluster (cluster/node/store_upgrade.h). Programs wrote that format before a single
// process ran as a cluster of one. One thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/named_record.h"
#include "engine/store/catalog.h"
#include "engine/store/store_files.h"
#include "engine/store/store_options.h"
#include "engine/store/tablet_host.h"

namespace sippar::engine {

class OldStore {
 public:
  struct Table {
    TableSchema schema;
    int64_t changed_at_us = 0;
    std::vector<TabletState> tablets;  // in key order; they cover the key space
  };

  // Opens every tablet and replays the log. Runs no background work and keeps no changes: change
  // streams start again in the cluster. A directory whose creation was interrupted becomes an empty
  // store. kDataLoss names what is damaged or missing; other errors as OpenStoreFiles.
  [[nodiscard]] static StatusOr<std::unique_ptr<OldStore>> Open(const std::string& directory,
                                                                StoreOptions options);
  // Flushes and returns all tables, sorted by name; what the log held is then in their SSTables.
  // Call once.
  [[nodiscard]] StatusOr<std::vector<Table>> Export();
  // Syncs and closes the log. After Export no segment is left.
  [[nodiscard]] Status Close() { return host_.Close(); }
  // The epoch of this opening. No file has a higher epoch in its name, and only files that Export
  // makes have this one.
  uint64_t epoch() const { return files_.epoch->number(); }

 private:
  OldStore(const StoreOptions& options, StoreFiles files);
  Status OpenTablets();
  Status CheckFiles(const TabletState& state) const;
  Status Recover();
  void SweepOrphans();

  FileSystem* const fs_;
  const StoreFiles files_;
  std::unique_ptr<TabletStateStore> states_;
  TabletHost host_;
  Catalog catalog_;
};

// The store's named records, in order of file name. kDataLoss names the damaged file.
[[nodiscard]] StatusOr<std::vector<NamedRecord>> ReadRecordsOfStore(FileSystem* fs,
                                                                    const std::string& directory);

}  // namespace sippar::engine
