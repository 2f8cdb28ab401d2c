// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/directory.h"

namespace sippar::fuse {

const Directory* DirectoryOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kRoot:
      return &kRootDirectory;
    case NodeKind::kAsOf:
      return &kAsOfDirectory;
    case NodeKind::kTable:
      return &kTableDirectory;
    case NodeKind::kRow:
      return &kRowDirectory;
    case NodeKind::kFamily:
      return &kFamilyDirectory;
    case NodeKind::kRowVersions:
      return &kRowVersionsDirectory;
    case NodeKind::kFamilyVersions:
      return &kFamilyVersionsDirectory;
    case NodeKind::kColumnVersions:
      return &kColumnVersionsDirectory;
    case NodeKind::kSelectionHome:
      return &kSelectionHomeDirectory;
    case NodeKind::kExport:
      return &kExportDirectory;
    case NodeKind::kFanOut:
      return &kFanOutDirectory;
    case NodeKind::kSavedQueries:
      return &kSavedQueriesDirectory;
    case NodeKind::kCell:
    case NodeKind::kText:
    case NodeKind::kSymlink:
    case NodeKind::kGenerated:
      break;
  }
  return nullptr;
}

}  // namespace sippar::fuse
