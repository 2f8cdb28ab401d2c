// What the file of a backup says: its facts, the table's schema, and the states of its tablets.
// FORMAT.md "Backups". SPDX-License-Identifier: Apache-2.0
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

inline constexpr size_t kBackupsMax = 1'000;  // of a store, or a cluster

struct BackupManifest {
  BackupInfo info;
  TableSchema schema;
  std::vector<TabletState> tablets;  // tiling the key space

  std::string Encode() const;
  [[nodiscard]] static StatusOr<BackupManifest> Decode(std::string_view bytes);
};

// Of the files that they name, each once: tablets share them.
uint64_t StoredBytesOf(const std::vector<TabletState>& tablets);

}  // namespace sippar::engine
