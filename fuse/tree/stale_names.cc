// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/stale_names.h"

#include <algorithm>
#include <utility>

#include "engine/model/change_config.h"

namespace sippar::fuse {

using engine::MutationEntry;

bool IsFollowedName(const Node& directory, const Node& entry) {
  if (directory.as_of.has_value() || !directory.selection.empty()) return false;
  switch (directory.kind) {
    case NodeKind::kTable:
      return entry.kind == NodeKind::kRow;
    case NodeKind::kRow:
      return entry.kind == NodeKind::kFamily;
    case NodeKind::kFamily:
      return entry.kind == NodeKind::kCell;
    default:
      return false;
  }
}

bool CanFollow(const engine::TableSchema& schema) {
  auto config = engine::ChangeStreamOf(schema);
  if (!config.has_value() || config->since_us == 0) return false;
  return std::all_of(schema.families.begin(), schema.families.end(),
                     [](const auto& family) { return family.gc.AgeMin() == 0; });
}

void AddStaleNames(uint64_t table_id, const engine::RowMutation& mutation, const NameCodec& codec,
                   std::vector<StaleName>* stale) {
  Node node;
  node.table_id = table_id;
  // A delete may have removed the last cell of the row, so the row itself is stale. Its columns are
  // told, too: below a directory whose name was taken away the kernel keeps the names of open
  // files.
  if (std::any_of(mutation.entries.begin(), mutation.entries.end(), [](const MutationEntry& entry) {
        return entry.kind == MutationEntry::kDeleteColumn ||
               entry.kind == MutationEntry::kDeleteFamily ||
               entry.kind == MutationEntry::kDeleteRow;
      })) {
    node.kind = NodeKind::kTable;
    stale->push_back({node, codec.Encode(mutation.row)});
  }
  node.kind = NodeKind::kFamily;
  node.row = mutation.row;
  for (const MutationEntry& entry : mutation.entries) {
    if (entry.kind == MutationEntry::kDeleteRow || entry.kind == MutationEntry::kDeleteFamily)
      continue;
    node.family = entry.family;
    stale->push_back({node, codec.Encode(entry.qualifier)});
  }
}

StaleName NameOfTable(const std::string& table, const NameCodec& codec) {
  return {Node(), codec.Encode(table)};
}

}  // namespace sippar::fuse
