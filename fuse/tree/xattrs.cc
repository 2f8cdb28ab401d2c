// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/xattrs.h"

#include <algorithm>

#include "fuse/tree/time_name.h"

namespace sippar::fuse {
namespace {

constexpr std::string_view kPrefix = "user.sippar.";

struct RowCounts {
  uint64_t cells = 0;
  int64_t newest_us = engine::kTimeMin;
};

StatusOr<RowCounts> Count(TreeContext* context, const std::string& table,
                          const cluster::ReadSpec& spec, const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(auto stream, context->data->Read(table, spec, call));
  RowCounts counts;
  for (; stream->Valid(); stream->Next()) {
    ++counts.cells;
    counts.newest_us = std::max(counts.newest_us, stream->cell().timestamp_us);
  }
  RETURN_IF_ERROR(stream->status());
  return counts;
}

bool HasRow(const Node& node) {
  switch (node.kind) {
    case NodeKind::kRow:
    case NodeKind::kFamily:
    case NodeKind::kCell:
    case NodeKind::kRowVersions:
    case NodeKind::kFamilyVersions:
    case NodeKind::kColumnVersions:
      return true;
    default:
      return false;
  }
}

bool HasColumn(const Node& node) {
  return node.kind == NodeKind::kCell || node.kind == NodeKind::kColumnVersions;
}

// True for attributes whose value needs a read of the row or column. Listings do not name them.
bool CostsARead(const Node& node, std::string_view name) {
  if (node.kind == NodeKind::kCell) return name == "versions";
  return node.kind == NodeKind::kRow && (name == "cells" || name == "newest");
}

}  // namespace

std::vector<std::string> XattrNames(const Node& node) {
  std::vector<std::string> names;
  auto add = [&](std::string_view name) { names.push_back(std::string(kPrefix).append(name)); };
  if (node.kind == NodeKind::kTable || HasRow(node)) add("table");
  if (HasRow(node)) add("key");
  if (HasRow(node) && node.kind != NodeKind::kRow && node.kind != NodeKind::kRowVersions) {
    add("family");
  }
  if (HasColumn(node)) add("qualifier");
  if (node.kind == NodeKind::kCell) add("timestamp");
  return names;
}

StatusOr<std::optional<std::string>> ReadXattr(TreeContext* context, const Node& node,
                                               std::string_view name,
                                               const cluster::CallOptions& call) {
  // ls asks for other namespaces, such as security.selinux, at each file; those must not cause a
  // read.
  if (!name.starts_with(kPrefix)) return std::optional<std::string>();
  std::vector<std::string> cheap = XattrNames(node);
  bool is_cheap = std::find(cheap.begin(), cheap.end(), name) != cheap.end();
  name.remove_prefix(kPrefix.size());
  if (!is_cheap && !CostsARead(node, name)) return std::optional<std::string>();
  if (name == "key") return std::optional(node.row);
  if (name == "family") return std::optional(node.family);
  if (name == "qualifier") return std::optional(node.qualifier);
  if (name == "timestamp") return std::optional(PrintTime(node.timestamp_us));
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(node.table_id));
  const std::string& table_name = table->schema.name;
  if (name == "table") return std::optional(table_name);
  ReadView view{table_name, node.as_of};
  cluster::ReadSpec spec = node.kind == NodeKind::kCell
                               ? ColumnSpec(view, node.row, node.family, node.qualifier)
                               : RowSpec(view, node.row);
  // Counts all versions of a column, or the newest version of each column of a row.
  if (node.kind == NodeKind::kCell) spec.versions_per_column = 0;
  spec.strip_values = true;
  ASSIGN_OR_RETURN(RowCounts counts, Count(context, table_name, spec, call));
  if (name == "newest") return std::optional(PrintTime(counts.newest_us));
  return std::optional(std::to_string(counts.cells));
}

}  // namespace sippar::fuse
