// Node: the meaning of one place in the mounted tree, independent of kernel numbers. The node of a
// cell names one immutable version (row, column, time, sequence), so everything that the kernel
// caches about it stays correct for ever. A directory is the same node whatever it contains. Plain
// data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/cell.h"

namespace sippar::fuse {

enum class NodeKind : uint8_t {
  kRoot = 0,            // MOUNT, or MOUNT/.as-of/<t> when as_of is set
  kAsOf = 1,            // MOUNT/.as-of
  kTable = 2,           // <table>, or a query directory of it when `selection` is set
  kRow = 3,             // <table>/<row>
  kFamily = 4,          // <row>/<family>
  kCell = 5,            // a file: one version of one column
  kRowVersions = 6,     // <row>/.versions
  kFamilyVersions = 7,  // <row>/.versions/<family> (row form) or <row>/<family>/.versions
  kColumnVersions = 8,  // <qualifier> in a kFamilyVersions: its entries are times
  kText = 9,            // a control file; `qualifier` is its name, `text` its whole content
  kSymlink = 10,  // another spelling of a name: `qualifier` is that spelling, `text` the target
  kSelectionHome = 11,  // .prefix, .range, .where or .first; `qualifier` says which
  kExport = 12,         // .export
  kFanOut = 13,         // .tree and its folders: `row` is the prefix of the keys below it
  kSavedQueries = 14,   // MOUNT/.sql
  kGenerated = 15,      // a file whose text is generated when it is opened: `qualifier` is its name
};

struct Node {
  NodeKind kind = NodeKind::kRoot;
  bool is_row_form = false;  // kFamilyVersions, kColumnVersions: below <row>/.versions
  // Not set in a kCell: a version is the same node whatever the as_of time.
  std::optional<int64_t> as_of;
  // Ids are never reused, so a table that is created again is a new directory.
  uint64_t table_id = 0;
  std::string row;
  std::string family;
  std::string qualifier;
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  std::string text;
  // The query directories on the path to a kTable and to all nodes below it, except a kCell
  // (row_selection.h); empty: all rows of the table. They are part of the node because the kernel
  // requires that a directory has only one path.
  std::string selection;

  bool IsDirectory() const {
    return kind != NodeKind::kCell && kind != NodeKind::kText && kind != NodeKind::kSymlink &&
           kind != NodeKind::kGenerated;
  }
  bool operator==(const Node&) const = default;
};

// The directory above a directory. It is only a hint for "..": the kernel resolves ".." by itself.
Node ParentOf(const Node& directory);

// Encodes the node into *out as a byte string; two nodes have equal strings only if they are equal.
void EncodeNode(const Node& node, std::string* out);
// Requires: `bytes` came from EncodeNode.
Node DecodeNode(std::string_view bytes);

// The st_ino that users see. It is the same on every machine and after a remount; never 0 or 1,
// which mean "none" and the root in FUSE. A control file keeps its number when its text changes.
uint64_t InodeNumber(const Node& node);

}  // namespace sippar::fuse
