// Node: what one place of the mounted tree means, apart from any kernel number. A cell's node names
// one immutable version (row, column, time, sequence), so whatever the kernel keeps of it stays
// right for ever; directories are the same node whatever they hold. Plain data.
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
  kTable = 2,           // <table>
  kRow = 3,             // <table>/<row>
  kFamily = 4,          // <row>/<family>
  kCell = 5,            // a file: one version of one column
  kRowVersions = 6,     // <row>/.versions
  kFamilyVersions = 7,  // <row>/.versions/<family> (row form) or <row>/<family>/.versions
  kColumnVersions = 8,  // <qualifier> in a kFamilyVersions: its entries are times
  kText = 9,            // a control file; `qualifier` is its name, `text` its whole content
  kSymlink = 10,        // another spelling of a name; `qualifier` is it, `text` the target
};

struct Node {
  NodeKind kind = NodeKind::kRoot;
  bool is_row_form = false;      // kFamilyVersions, kColumnVersions: below <row>/.versions
  std::optional<int64_t> as_of;  // of directories; a cell version is the same at every time
  uint64_t table_id = 0;         // ids are never used twice, so a new table is a new directory
  std::string row;
  std::string family;
  std::string qualifier;
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  std::string text;

  bool IsDirectory() const {
    return kind != NodeKind::kCell && kind != NodeKind::kText && kind != NodeKind::kSymlink;
  }
  bool operator==(const Node&) const = default;
};

// The node as one byte string, equal for equal nodes only; assigned to *out.
void EncodeNode(const Node& node, std::string* out);
// Requires: `bytes` came from EncodeNode.
Node DecodeNode(std::string_view bytes);

// The number users see as st_ino: the same over remounts and machines, never 0 or 1. A control
// file keeps its number when its text changes.
uint64_t InodeNumber(const Node& node);

}  // namespace sippar::fuse
