// SPDX-License-Identifier: Apache-2.0
#include "engine/store/backup_manifest.h"

#include <map>

#include "engine/base/coding.h"

namespace sippar::engine {

uint64_t StoredBytesOf(const std::vector<TabletState>& tablets) {
  // Sizes are kept by file id, because several tablets may name the same file.
  std::map<uint64_t, uint64_t> sizes;
  for (const TabletState& tablet : tablets) {
    for (const GroupState& group : tablet.groups) {
      for (const RunState& run : group.runs) {
        for (const FileRef& file : run.files) sizes[file.summary.file_id] = file.summary.size_bytes;
      }
    }
  }
  uint64_t bytes = 0;
  for (const auto& [id, size] : sizes) bytes += size;
  return bytes;
}

// Writes the fields in the order of engine/FORMAT.md, section "Backups".
std::string BackupManifest::Encode() const {
  std::string out;
  PutBytes(&out, info.name);
  out.push_back(info.is_dropped_table ? 1 : 0);
  PutBytes(&out, info.source_table);
  PutBytes(&out, info.source_backup);
  PutSigned(&out, info.started_us);
  PutSigned(&out, info.ended_us);
  PutSigned(&out, info.expires_us);
  PutVarint(&out, info.size_bytes);
  PutBytes(&out, schema.Encode());
  PutVarint(&out, tablets.size());
  for (const TabletState& tablet : tablets) PutBytes(&out, tablet.Encode());
  return out;
}

StatusOr<BackupManifest> BackupManifest::Decode(std::string_view bytes) {
  Reader reader(bytes);
  BackupManifest manifest;
  manifest.info.name = reader.Bytes();
  manifest.info.is_dropped_table = reader.Byte() != 0;
  manifest.info.source_table = reader.Bytes();
  manifest.info.source_backup = reader.Bytes();
  manifest.info.started_us = reader.Signed();
  manifest.info.ended_us = reader.Signed();
  manifest.info.expires_us = reader.Signed();
  manifest.info.size_bytes = reader.Varint();
  ASSIGN_OR_RETURN(manifest.schema, TableSchema::Decode(reader.Bytes()));
  size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    ASSIGN_OR_RETURN(TabletState tablet, TabletState::Decode(reader.Bytes()));
    manifest.tablets.push_back(std::move(tablet));
  }
  if (!reader.AtEnd())
    return DataLoss(
        "it cannot be decoded (it is damaged, or a newer sippar made it: then use that)");
  return manifest;
}

}  // namespace sippar::engine
