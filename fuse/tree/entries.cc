// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/entries.h"

#include <fmt/format.h>

#include <utility>

namespace sippar::fuse {

Node ChildOf(const Node& directory, NodeKind kind) {
  Node child = directory;
  child.kind = kind;
  if (kind == NodeKind::kCell) {
    child.as_of.reset();
    child.is_row_form = false;
    child.selection.clear();
  }
  return child;
}

Entry EntryOf(Node node, int64_t changed_at_us) {
  Entry entry;
  entry.attributes.changed_at_us = changed_at_us;
  entry.inode_number = InodeNumber(node);
  entry.node = std::move(node);
  return entry;
}

Entry TextEntry(const Node& directory, std::string_view name, std::string text,
                int64_t changed_at_us) {
  Node node = ChildOf(directory, NodeKind::kText);
  node.qualifier = name;
  node.text = std::move(text);
  Entry entry = EntryOf(std::move(node), changed_at_us);
  entry.attributes.size_bytes = entry.node.text.size();
  return entry;
}

Entry SymlinkEntry(const Node& directory, std::string_view name, std::string target,
                   int64_t changed_at_us) {
  Entry entry = TextEntry(directory, name, std::move(target), changed_at_us);
  entry.node.kind = NodeKind::kSymlink;
  entry.inode_number = InodeNumber(entry.node);
  return entry;
}

Entry GeneratedEntry(const Node& directory, std::string_view name, int64_t changed_at_us) {
  Node node = ChildOf(directory, NodeKind::kGenerated);
  node.qualifier = name;
  return EntryOf(std::move(node), changed_at_us);
}

Status NoSuchName(std::string_view name) {
  return NotFound(fmt::format("entry {} not found", name));
}

}  // namespace sippar::fuse
