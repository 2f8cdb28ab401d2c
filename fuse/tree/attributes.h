// The attributes that stat shows of a node, and the results of lookups and listings. Plain data,
// used by the tree and the kernel layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fuse/tree/node.h"

namespace sippar::fuse {

enum class FileType : uint8_t { kDirectory, kRegular, kSymlink };

inline FileType TypeOf(const Node& node) {
  if (node.IsDirectory()) return FileType::kDirectory;
  return node.kind == NodeKind::kSymlink ? FileType::kSymlink : FileType::kRegular;
}

struct Attributes {
  uint64_t size_bytes = 0;
  int64_t changed_at_us = 0;  // mtime = ctime = atime; for a cell, its timestamp
};

// The result of a lookup. `age_us` is the age of the read on which the result is based: the kernel
// may keep the name only for the rest of the freshness limit (SEMANTICS.md "Freshness").
struct Entry {
  Node node;
  Attributes attributes;
  uint64_t inode_number = 0;  // InodeNumber(node)
  int64_t age_us = 0;
  bool is_volatile = false;  // must be looked up each time, such as .status and .as-of/now
};

// One name of a listing. `entry.attributes` are equal to those of a lookup, except for "." and
// "..".
struct DirEntry {
  std::string name;
  Entry entry;
};

}  // namespace sippar::fuse
