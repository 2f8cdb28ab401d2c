// The second half of the checks of a store's directory that a process makes when it starts: every
// file that METADATA and the backups name exists, and METADATA names every log that is needed. Must
// be called before a sweep. Nothing here writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "cluster/api/server_id.h"
#include "cluster/location/metadata_table.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/findings.h"
#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// What METADATA and the backups name, read once and completely.
struct StorePicture {
  struct File {
    uint64_t table_id = 0;  // 0: named by a backup
    uint64_t size = 0;
  };
  std::map<uint64_t, File> files;  // files in sst/, by id
  std::set<ServerId> lives;  // ended lives whose logs may still be needed, and those that serve
  // Sealed logs that records name, by their lives, each with a tablet that needs it.
  std::map<ServerId, uint64_t> logs;
  // Ended lives whose logs have writes that are in no SSTable, each with a tablet whose record
  // should name the log but does not (unnamed_logs.h).
  std::map<ServerId, uint64_t> unnamed_logs;
  std::set<uint64_t> tables;
  // OK: the picture has every name. kAborted: tablets were changing during the scan; other errors:
  // a backup could not be read, so the names in it are unknown.
  Status whole;
};

// Reads the picture while the cluster works, and adds to `findings` every file that the picture
// names and that is missing or has another length, and every log that METADATA should name.
// `epoch_end` is above the epochs of all lives.
[[nodiscard]] StatusOr<StorePicture> ProvePicture(engine::FileSystem* fs,
                                                  const std::string& directory,
                                                  MetadataTable* metadata,
                                                  EmbeddedLockService* locks, uint64_t epoch_end,
                                                  Findings* findings);

}  // namespace sippar::cluster
