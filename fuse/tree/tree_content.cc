// Holds the part of TreeView for file contents, extended attributes and usage.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fuse/tree/tree_limits.h"
#include "fuse/tree/tree_view.h"
#include "fuse/tree/xattrs.h"

namespace sippar::fuse {

StatusOr<OpenValuePtr> TreeView::OpenFile(const Node& file, const Attributes& attributes,
                                          const Call& call) {
  if (file.kind == NodeKind::kCell || file.kind == NodeKind::kText) {
    ASSIGN_OR_RETURN(OpenValuePtr value, values_.Open(file, attributes.size_bytes));
    // A small value is read when it is opened, so that later writes, deletions and garbage
    // collection cannot make its reads fail (SEMANTICS.md "Freshness").
    bool is_small = attributes.size_bytes <= kCachedValueSizeMax;
    if (is_small) RETURN_IF_ERROR(ReadFile(value.get(), call).status());
    return value;
  }
  return FailedPrecondition("the entry is a directory or a symbolic link, not a file");
}

StatusOr<ValuePtr> TreeView::ReadFile(OpenValue* file, const Call& call) {
  return values_.Bytes(file, call.timeout_us, [&]() -> StatusOr<std::string> {
    if (file->node().kind == NodeKind::kText) return file->node().text;
    return ReadValue(file->node(), call);
  });
}

// Returns the bytes of exactly this version. A cached row of any age will do, because a version
// never changes.
StatusOr<std::string> TreeView::ReadValue(const Node& cell, const Call& call) {
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(cell.table_id));
  ReadView view{table->schema.name, std::nullopt};
  if (RowPtr row = context_.rows.Peek(cell.table_id, view, cell.row); row != nullptr) {
    const RowColumn* column = row->Find(cell.family, cell.qualifier);
    if (column != nullptr && column->value.has_value() && column->sequence == cell.sequence &&
        column->timestamp_us == cell.timestamp_us) {
      return *column->value;
    }
  }
  cluster::ReadSpec spec = ColumnSpec(view, cell.row, cell.family, cell.qualifier);
  spec.time = OnlyTime(cell.timestamp_us);
  ASSIGN_OR_RETURN(std::optional<FoundVersion> found,
                   ReadFirst(context_.data, view.table, spec, call));
  // An overwrite at the same timestamp has another sequence number: its bytes must not appear under
  // this inode.
  if (!found.has_value() || found->sequence != cell.sequence) {
    return FailedPrecondition(
        fmt::format("table {}: version {} of row {}, column {}:{} was overwritten, deleted or "
                    "garbage-collected; open the file again",
                    view.table, cell.timestamp_us, context_.codec.Encode(cell.row), cell.family,
                    context_.codec.Encode(cell.qualifier)));
  }
  return std::move(found->value);
}

StatusOr<std::optional<std::string>> TreeView::Xattr(const Node& node, std::string_view name,
                                                     const Call& call) {
  return ReadXattr(&context_, node, name, call);
}

StatusOr<Usage> TreeView::ReadUsage() {
  int64_t now_ns = context_.clock->MonotonicNanos();
  {
    engine::MutexLock lock(&mutex_);
    if (is_usage_read_ && now_ns - usage_read_at_ns_ < context_.freshness_us * 1000) return usage_;
  }
  ASSIGN_OR_RETURN(std::vector<TablePtr> tables, context_.tables.List());
  Usage usage;
  for (const TablePtr& table : tables) {
    auto groups = context_.client->admin()->Do(cluster::calls::Stats{table->schema.name});
    if (!groups.ok()) continue;  // the table was dropped after it was listed
    for (const cluster::GroupStats& group : *groups) {
      usage.stored_bytes += group.stored_bytes + group.memtable_bytes;
      usage.entries += group.entries;
    }
  }
  engine::MutexLock lock(&mutex_);
  usage_ = usage;
  usage_read_at_ns_ = now_ns;
  is_usage_read_ = true;
  return usage;
}

void TreeView::NoteError(const std::string& text) {
  engine::MutexLock lock(&mutex_);
  ++status_.errors;
  status_.last_error = text;
  for (char& c : status_.last_error) {
    // .status has one line per field.
    if (c == '\n') c = ' ';
  }
}

std::string TreeView::RenderMountStatus() {
  engine::MutexLock lock(&mutex_);
  return RenderStatus(&context_, status_);
}

}  // namespace sippar::fuse
