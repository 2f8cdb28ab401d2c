// The second half of what a start proves of a directory: what METADATA and the backups name is
// there, before anything is swept. Nothing here writes. SPDX-License-Identifier: Apache-2.0
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
