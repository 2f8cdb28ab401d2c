// A directory of format 1 (FORMAT.md "Directory"), as programs wrote it before one process was a
// cluster of one: opened once more, to be carried into a cluster (cluster/node/store_upgrade.h).
// One thread. SPDX-License-Identifier: Apache-2.0
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
    std::vector<TabletState> tablets;  // in key order, tiling the key space
  };

  // Opens every tablet and replays the log; without background work, and without change streams,
  // which begin anew in the cluster. A directory that was not finished becomes an empty store.
  // kDataLoss names what is damaged or missing; others as OpenStoreFiles.
  [[nodiscard]] static StatusOr<std::unique_ptr<OldStore>> Open(const std::string& directory,
                                                                StoreOptions options);
  // All tables in order of name; what the log held is in their SSTables afterwards. Once.
  [[nodiscard]] StatusOr<std::vector<Table>> Export();
  // Syncs and closes the log; after Export none is left.
  [[nodiscard]] Status Close() { return host_.Close(); }
  // No file has a higher one in its name, and only those that Export makes have this one.
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

// The named records beside its tables, in order of file name. kDataLoss names the file.
[[nodiscard]] StatusOr<std::vector<NamedRecord>> ReadRecordsOfStore(FileSystem* fs,
                                                                    const std::string& directory);

}  // namespace sippar::engine
