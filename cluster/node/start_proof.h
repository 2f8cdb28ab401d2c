// What a start proves of a directory before it changes anything in it, in two steps: first what
// can be seen without METADATA, which recovers logs; then what METADATA and the backups name,
// before anything is swept. Nothing here writes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/location/metadata_table.h"
#include "cluster/lock/embedded_lock_service.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// Each says of one file what is wrong with it and what can be done.
struct Findings {
  std::vector<std::string> losses;    // a start stops
  std::vector<std::string> oddities;  // in nobody's way: files of others, archives that are gone

  // kDataLoss with the first loss; `directory` is what a doctor is asked about.
  [[nodiscard]] Status Check(const std::string& directory) const;
};

// kDataLoss: one of the directories of a store is missing.
[[nodiscard]] Status CheckDirectories(engine::FileSystem* fs, const std::string& directory);

// Lock files, and the logs of the lives before. kUnavailable: the disk does not answer.
[[nodiscard]] Status ProveFiles(engine::FileSystem* fs, const std::string& directory,
                                EmbeddedLockService* locks, Findings* findings);

// What METADATA and the backups name: one whole reading.
struct StorePicture {
  struct File {
    uint64_t table_id = 0;  // 0: a backup
    uint64_t size = 0;
  };
  std::map<uint64_t, File> files;  // in sst/, by id
  std::set<ServerId> lives;
  std::set<uint64_t> tables;
  // OK: nothing else is named. kAborted: tablets change just now; others: a backup does not tell
  // what it names.
  Status whole;
};
[[nodiscard]] StatusOr<StorePicture> ReadPicture(engine::FileSystem* fs,
                                                 const std::string& directory,
                                                 MetadataTable* metadata);

// `epoch_end`: above every life's.
[[nodiscard]] Status ProvePicture(engine::FileSystem* fs, const std::string& directory,
                                  const StorePicture& picture, EmbeddedLockService* locks,
                                  uint64_t epoch_end, Findings* findings);

}  // namespace sippar::cluster
