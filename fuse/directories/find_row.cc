// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/find_row.h"

#include <fmt/format.h>

#include "engine/base/printable.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/reads.h"
#include "fuse/tree/selected_rows.h"

namespace sippar::fuse {

StatusOr<Entry> FindRow(TreeContext* context, const TablePtr& table, Node node,
                        const cluster::CallOptions& call) {
  // The name "%" means the empty key, but the engine has no such row.
  if (node.row.empty()) {
    return NotFound(fmt::format("table {}: no row has the empty key, which the name % means",
                                table->schema.name));
  }
  ReadView view{table->schema.name, node.as_of};
  Entry entry = EntryOf(std::move(node), table->changed_at_us);
  // The time is taken before the read, so that recent_rows never has the row younger than it is.
  int64_t now_ns = context->clock->MonotonicNanos();
  if (auto read_at_ns = context->recent_rows.Find(entry.inode_number, now_ns)) {
    entry.age_us = (now_ns - *read_at_ns) / 1000;
    return entry;
  }
  const std::string& row = entry.node.row;
  ASSIGN_OR_RETURN(bool exists, entry.node.selection.empty()
                                    ? RowExists(context->data, view, row, call)
                                    : HasRow(context, table, entry.node, row, call));
  if (!exists) {
    return NotFound(
        fmt::format("table {}: row '{}' not found", view.table, engine::PrintableBytes(row)));
  }
  context->recent_rows.Note(entry.inode_number, now_ns);
  return entry;
}

}  // namespace sippar::fuse
