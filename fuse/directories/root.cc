// The root of the mount, and of each time below .as-of: the tables. Also .as-of itself.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fuse/directories/directory.h"
#include "fuse/tree/control_text.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/time_name.h"

namespace sippar::fuse {
namespace {

using Call = cluster::CallOptions;

std::optional<Entry> LookupControl(TreeContext* context, const Node& root, std::string_view name) {
  const int64_t mounted_at_us = context->mounted_at_us;
  if (name == ".as-of") return EntryOf(ChildOf(root, NodeKind::kAsOf), mounted_at_us);
  if (name == ".sql" && context->answers != nullptr) {
    return EntryOf(ChildOf(root, NodeKind::kSavedQueries), mounted_at_us);
  }
  if (name == ".version") return TextEntry(root, name, RenderVersion(), mounted_at_us);
  if (name != ".status") return std::nullopt;
  Entry status = TextEntry(root, name, RenderStatus(context), mounted_at_us);
  // The text of .status changes with each error, so the kernel must ask each time.
  status.is_volatile = true;
  return status;
}

// Finds the table that a file name means. The decoded name may contain slashes (a table of another
// project or instance). For a long name, all tables are compared.
StatusOr<TablePtr> FindTable(TreeContext* context, std::string_view name) {
  std::optional<DecodedName> decoded = context->codec.Decode(name);
  if (!decoded.has_value()) return NoSuchName(name);
  if (!decoded->is_long) return context->tables.FindName(decoded->key);
  ASSIGN_OR_RETURN(std::vector<TablePtr> tables, context->tables.List());
  for (const TablePtr& table : tables) {
    if (context->codec.Encode(table->schema.name) == name) return table;
  }
  return NoSuchName(name);
}

Entry EntryOfTable(const Node& root, const TablePtr& table) {
  Node node = ChildOf(root, NodeKind::kTable);
  node.table_id = table->table_id;
  return EntryOf(std::move(node), table->changed_at_us);
}

StatusOr<Entry> LookupInRoot(TreeContext* context, const Node& root, std::string_view name,
                             const Call&) {
  if (!root.as_of.has_value()) {
    std::optional<Entry> control = LookupControl(context, root, name);
    if (control.has_value()) return *std::move(control);
  }
  ASSIGN_OR_RETURN(TablePtr table, FindTable(context, name));
  std::string canonical = context->codec.Encode(table->schema.name);
  if (canonical == name) return EntryOfTable(root, table);
  return SymlinkEntry(root, name, std::move(canonical), table->changed_at_us);
}

StatusOr<std::vector<DirEntry>> ListTables(TreeContext* context, const Node& root, const Call&) {
  ASSIGN_OR_RETURN(std::vector<TablePtr> tables, context->tables.List());
  std::vector<DirEntry> entries;
  for (const TablePtr& table : tables) {
    entries.push_back({context->codec.Encode(table->schema.name), EntryOfTable(root, table)});
  }
  return entries;
}

std::vector<std::string_view> RootControls(const Node& root) {
  if (root.as_of.has_value()) return {};
  return {".as-of", ".status", ".version"};
}

StatusOr<Entry> LookupInAsOf(TreeContext* context, const Node& directory, std::string_view name,
                             const Call&) {
  const int64_t mounted_at_us = context->mounted_at_us;
  if (name == "README") return TextEntry(directory, name, RenderAsOfReadme(), mounted_at_us);
  if (std::optional<int64_t> time = ParseTime(name); time.has_value()) {
    Node node;
    node.as_of = time;
    return EntryOf(std::move(node), mounted_at_us);
  }
  // A leading dot gets ENOENT instead of EINVAL: programs look up names such as .git everywhere,
  // and EINVAL would be logged.
  if (name.starts_with('.')) return NoSuchName(name);
  std::optional<int64_t> time = ParseTimeAlias(name, context->clock->NowMicros());
  if (time.has_value()) {
    Entry entry = SymlinkEntry(directory, name, PrintTime(*time), mounted_at_us);
    entry.is_volatile = name == "now";
    return entry;
  }
  return InvalidArgument(
      fmt::format(".as-of/{}: the time is not valid; write decimal microseconds, now, or a time "
                  "like 2026-11-20T12:00:00Z",
                  name));
}

std::vector<std::string_view> AsOfControls(const Node&) { return {"README"}; }

}  // namespace

constinit const Directory kRootDirectory{
    .lookup = LookupInRoot, .controls = RootControls, .entries = ListTables};
constinit const Directory kAsOfDirectory{.lookup = LookupInAsOf, .controls = AsOfControls};

}  // namespace sippar::fuse
