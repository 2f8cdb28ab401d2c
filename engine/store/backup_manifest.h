// The contents of a backup's manifest file: its facts, the table's schema, and the states of its
// tablets (engine/FORMAT.md "Backups").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/schema.h"
#include "engine/store/backup_info.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::engine {

inline constexpr size_t kBackupsMax = 1'000;  // most backups of a store or cluster

struct BackupManifest {
  BackupInfo info;
  TableSchema schema;
  std::vector<TabletState> tablets;  // in key order; they cover the key space

  std::string Encode() const;
  [[nodiscard]] static StatusOr<BackupManifest> Decode(std::string_view bytes);
};

// Stored bytes of the files that the tablets name. A file that several tablets share counts once.
uint64_t StoredBytesOf(const std::vector<TabletState>& tablets);

}  // namespace sippar::engine
