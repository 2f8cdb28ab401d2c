// Holds the part of TreeView that looks up names. tree_controls.cc holds the lookups of control
// names, tree_listing.cc the listings, tree_content.cc the contents.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/tree_view.h"

#include <fmt/format.h>

#include "engine/base/printable.h"
#include "fuse/tree/selected_rows.h"
#include "fuse/tree/time_name.h"

namespace sippar::fuse {
namespace {

constexpr std::string_view kVersionsName = ".versions";
constexpr std::string_view kRowTextName = ".row.json";

Node ChildOf(const Node& directory, NodeKind kind) {
  Node child = directory;
  child.kind = kind;
  return child;
}

Status NoSuchName(std::string_view name) {
  return NotFound(fmt::format("entry {} not found", name));
}

}  // namespace

TreeView::TreeView(cluster::Client* client, const TreeOptions& options)
    : context_(client, options),
      values_(options.value_memory_bytes, client->clock()),
      mounted_at_us_(client->clock()->NowMicros()),
      is_stopping_(std::make_shared<std::atomic<bool>>(false)) {
  status_.mounted_at_us = mounted_at_us_;
}

Entry TreeView::Root() const { return DirectoryEntry(Node(), mounted_at_us_); }

Entry TreeView::DirectoryEntry(Node node, int64_t changed_at_us) const {
  Entry entry;
  entry.attributes.changed_at_us = changed_at_us;
  entry.inode_number = InodeNumber(node);
  entry.node = std::move(node);
  return entry;
}

Entry TreeView::TextEntry(const Node& directory, std::string_view name, std::string text,
                          int64_t changed_at_us) const {
  Node node = ChildOf(directory, NodeKind::kText);
  node.qualifier = name;
  node.text = std::move(text);
  Entry entry = DirectoryEntry(std::move(node), changed_at_us);
  entry.attributes.size_bytes = entry.node.text.size();
  return entry;
}

Entry TreeView::SymlinkEntry(const Node& directory, std::string_view name, std::string target,
                             int64_t changed_at_us) const {
  Entry entry = TextEntry(directory, name, std::move(target), changed_at_us);
  entry.node.kind = NodeKind::kSymlink;
  entry.inode_number = InodeNumber(entry.node);
  return entry;
}

StatusOr<Entry> TreeView::Lookup(const Node& directory, std::string_view name, const Call& call) {
  switch (directory.kind) {
    case NodeKind::kRoot:
      return LookupInRoot(directory, name);
    case NodeKind::kAsOf:
      return LookupInAsOf(directory, name);
    case NodeKind::kTable:
      return LookupInTable(directory, name, call);
    case NodeKind::kRow:
      // Every row has ".versions", so this lookup needs no read.
      if (name == kVersionsName) return LookupFamily(directory, "", NodeKind::kRowVersions);
      if (name == kRowTextName) return LookupRowText(directory, call);
      return LookupFamily(directory, name, NodeKind::kFamily);
    case NodeKind::kRowVersions:
      return LookupFamily(directory, name, NodeKind::kFamilyVersions);
    case NodeKind::kFamily:
      if (name == kVersionsName) {
        return LookupFamily(directory, context_.codec.Encode(directory.family),
                            NodeKind::kFamilyVersions);
      }
      return LookupColumn(directory, name, NodeKind::kCell, call);
    case NodeKind::kFamilyVersions:
      return LookupColumn(directory, name, NodeKind::kColumnVersions, call);
    case NodeKind::kColumnVersions:
      return LookupVersion(directory, name, call);
    case NodeKind::kSelectionHome:
      return LookupInSelectionHome(directory, name, call);
    case NodeKind::kExport:
      return LookupInExport(directory, name);
    case NodeKind::kFanOut:
      return LookupInFanOut(directory, name, call);
    case NodeKind::kSavedQueries:
      return LookupInSavedQueries(directory, name);
    case NodeKind::kCell:
    case NodeKind::kText:
    case NodeKind::kSymlink:
    case NodeKind::kGenerated:
      break;
  }
  return FailedPrecondition("not a directory");
}

StatusOr<Entry> TreeView::LookupInRoot(const Node& directory, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<Entry> control, ControlEntry(directory, name));
  if (control.has_value()) return *std::move(control);
  ASSIGN_OR_RETURN(TablePtr table, FindTable(name));
  std::string canonical = context_.codec.Encode(table->schema.name);
  if (canonical != name) {
    return SymlinkEntry(directory, name, std::move(canonical), table->changed_at_us);
  }
  Node node = ChildOf(directory, NodeKind::kTable);
  node.table_id = table->table_id;
  return DirectoryEntry(std::move(node), table->changed_at_us);
}

// Finds the table that a file name means. The decoded name may contain slashes (a table of another
// project or instance). For a long name, all tables are compared.
StatusOr<TablePtr> TreeView::FindTable(std::string_view name) {
  std::optional<DecodedName> decoded = context_.codec.Decode(name);
  if (!decoded.has_value()) return NoSuchName(name);
  if (!decoded->is_long) return context_.tables.FindName(decoded->key);
  ASSIGN_OR_RETURN(std::vector<TablePtr> tables, context_.tables.List());
  for (const TablePtr& table : tables) {
    if (context_.codec.Encode(table->schema.name) == name) return table;
  }
  return NoSuchName(name);
}

StatusOr<Entry> TreeView::LookupInAsOf(const Node& directory, std::string_view name) {
  if (name == "README") return TextEntry(directory, name, RenderAsOfReadme(), mounted_at_us_);
  if (std::optional<int64_t> time = ParseTime(name); time.has_value()) {
    Node node;
    node.as_of = time;
    return DirectoryEntry(std::move(node), mounted_at_us_);
  }
  // A leading dot gets ENOENT instead of EINVAL: programs look up names such as .git everywhere,
  // and EINVAL would be logged.
  if (name.starts_with('.')) return NoSuchName(name);
  std::optional<int64_t> time = ParseTimeAlias(name, context_.clock->NowMicros());
  if (time.has_value()) {
    Entry entry = SymlinkEntry(directory, name, PrintTime(*time), mounted_at_us_);
    entry.is_volatile = name == "now";
    return entry;
  }
  return InvalidArgument(
      fmt::format(".as-of/{}: the time is not valid; write decimal microseconds, now, or a time "
                  "like 2026-11-20T12:00:00Z",
                  name));
}

StatusOr<std::string> TreeView::ResolveName(const LongNameScope& scope, std::string_view name,
                                            std::string* canonical, const Call& call) {
  std::optional<DecodedName> decoded = context_.codec.Decode(name);
  if (!decoded.has_value()) return NoSuchName(name);
  std::string key = std::move(decoded->key);
  if (decoded->is_long) {
    // FindLongName takes the head of the key from `decoded`, so the moved key is put back.
    decoded->key = key;
    ASSIGN_OR_RETURN(key, FindLongName(context_.data, context_.codec, &context_.long_names, scope,
                                       name, *decoded, call));
    *canonical = context_.codec.Encode(key);
    return key;
  }
  *canonical = decoded->is_canonical ? std::string(name) : context_.codec.Encode(key);
  return key;
}

StatusOr<Entry> TreeView::LookupInTable(const Node& directory, std::string_view name,
                                        const Call& call) {
  // No encoded key begins with a dot.
  if (name.starts_with('.')) {
    ASSIGN_OR_RETURN(std::optional<Entry> control, ControlEntry(directory, name));
    if (control.has_value()) return *std::move(control);
  }
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  LongNameScope scope;
  scope.view = {table->schema.name, directory.as_of};
  scope.table_id = table->table_id;
  std::string canonical;
  Node node = ChildOf(directory, NodeKind::kRow);
  ASSIGN_OR_RETURN(node.row, ResolveName(scope, name, &canonical, call));
  ASSIGN_OR_RETURN(Entry entry, FindRow(table, std::move(node), call));
  if (canonical == name) return entry;
  return SymlinkEntry(directory, name, std::move(canonical), table->changed_at_us);
}

StatusOr<Entry> TreeView::FindRow(const TablePtr& table, Node node, const Call& call) {
  // The name "%" means the empty key, but the engine has no such row.
  if (node.row.empty())
    return NotFound(fmt::format("table {}: no row has the empty key, which the name % means",
                                table->schema.name));
  ReadView view{table->schema.name, node.as_of};
  Entry entry = DirectoryEntry(std::move(node), table->changed_at_us);
  // The time is taken before the read, so that the entry never seems younger than it is.
  int64_t now_ns = context_.clock->MonotonicNanos();
  if (auto read_at_ns = context_.recent_rows.Find(entry.inode_number, now_ns)) {
    entry.age_us = (now_ns - *read_at_ns) / 1000;
    return entry;
  }
  ASSIGN_OR_RETURN(bool exists, entry.node.selection.empty()
                                    ? RowExists(context_.data, view, entry.node.row, call)
                                    : HasRow(&context_, table, entry.node, entry.node.row, call));
  if (!exists)
    return NotFound(fmt::format("table {}: row '{}' not found", view.table,
                                engine::PrintableBytes(entry.node.row)));
  context_.recent_rows.Note(entry.inode_number, now_ns);
  return entry;
}

StatusOr<Entry> TreeView::LookupFamily(const Node& directory, std::string_view name,
                                       NodeKind kind) {
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  Node node = ChildOf(directory, kind);
  // The row's existence is not checked: the kernel found the row a moment ago, and an empty
  // directory does no harm.
  if (kind == NodeKind::kRowVersions) {
    return DirectoryEntry(std::move(node), table->changed_at_us);
  }
  std::optional<DecodedName> decoded = context_.codec.Decode(name);
  if (!decoded.has_value() || decoded->is_long) return NoSuchName(name);
  // A family that the cached schema lacks may be new, so the current schema is read.
  if (table->schema.FindFamily(decoded->key) == nullptr) {
    ASSIGN_OR_RETURN(table, context_.tables.FindIdNow(directory.table_id));
  }
  if (table->schema.FindFamily(decoded->key) == nullptr) {
    return NotFound(fmt::format("table {} has no family {}", table->schema.name, decoded->key));
  }
  if (!decoded->is_canonical) {
    return SymlinkEntry(directory, name, context_.codec.Encode(decoded->key), table->changed_at_us);
  }
  node.is_row_form = directory.kind == NodeKind::kRowVersions;
  node.family = std::move(decoded->key);
  return DirectoryEntry(std::move(node), table->changed_at_us);
}

StatusOr<Entry> TreeView::LookupColumn(const Node& directory, std::string_view name, NodeKind kind,
                                       const Call& call) {
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  LongNameScope scope;
  scope.view = {table->schema.name, directory.as_of};
  scope.table_id = table->table_id;
  scope.is_qualifier = true;
  scope.row = directory.row;
  scope.family = directory.family;
  std::string canonical;
  Node node = ChildOf(directory, kind);
  ASSIGN_OR_RETURN(node.qualifier, ResolveName(scope, name, &canonical, call));
  ASSIGN_OR_RETURN(Entry entry, FindColumn(table, std::move(node), call));
  if (canonical == name) return entry;
  return SymlinkEntry(directory, name, std::move(canonical), table->changed_at_us);
}

// `node` is a kCell without a version, or a kColumnVersions.
StatusOr<Entry> TreeView::FindColumn(const TablePtr& table, Node node, const Call& call) {
  ReadView view{table->schema.name, node.as_of};
  RowPtr row;
  const RowColumn* column = nullptr;
  // With a freshness of zero, lookups of other columns could not use the cached row, so only one
  // column is read instead of the whole row.
  if (context_.freshness_us > 0) {
    ASSIGN_OR_RETURN(row, context_.rows.Get(node.table_id, view, node.row, call));
    column = row->Find(node.family, node.qualifier);
  }
  Attributes attributes;
  int64_t age_us = 0;
  if (column != nullptr) {
    node.timestamp_us = column->timestamp_us, node.sequence = column->sequence;
    attributes = {column->size_bytes, column->timestamp_us};
    age_us = context_.AgeUs(row->loaded_at_ns);
  } else {
    // The row is wide, or it lacked the column when it was cached. The column may have been written
    // later, so it is read now.
    cluster::ReadSpec spec = ColumnSpec(view, node.row, node.family, node.qualifier);
    ASSIGN_OR_RETURN(std::optional<FoundVersion> found,
                     FindFirst(context_.data, view.table, spec, call));
    if (!found.has_value())
      return NotFound(fmt::format("table {}: row '{}' has no column {}:{}", view.table,
                                  engine::PrintableBytes(node.row), node.family,
                                  engine::PrintableBytes(node.qualifier)));
    node.timestamp_us = found->timestamp_us, node.sequence = found->sequence;
    attributes = {found->size_bytes, found->timestamp_us};
  }
  if (node.kind == NodeKind::kColumnVersions) {
    // The directory of a column's versions is the same node whatever the newest version is.
    node.timestamp_us = 0, node.sequence = 0;
    attributes = {0, table->changed_at_us};
  } else {
    // A version has one inode, whether or not it was reached through .as-of or a query directory.
    node.as_of.reset();
    node.selection.clear();
  }
  Entry entry = DirectoryEntry(std::move(node), 0);
  entry.attributes = attributes;
  entry.age_us = age_us;
  return entry;
}

StatusOr<Entry> TreeView::LookupVersion(const Node& directory, std::string_view name,
                                        const Call& call) {
  std::optional<int64_t> time = ParseTime(name);
  if (!time.has_value() || (directory.as_of.has_value() && *time > *directory.as_of)) {
    return NoSuchName(name);
  }
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  // The view needs no as_of time: the time of the version was compared with directory.as_of above,
  // and the read returns only a version with exactly this time.
  ReadView view{table->schema.name, std::nullopt};
  cluster::ReadSpec spec = ColumnSpec(view, directory.row, directory.family, directory.qualifier);
  spec.time = OnlyTime(*time);
  ASSIGN_OR_RETURN(std::optional<FoundVersion> found,
                   FindFirst(context_.data, view.table, spec, call));
  if (!found.has_value()) return NoSuchName(name);
  Node node = ChildOf(directory, NodeKind::kCell);
  node.as_of.reset();
  node.selection.clear();
  node.is_row_form = false;
  node.timestamp_us = found->timestamp_us;
  node.sequence = found->sequence;
  Entry entry = DirectoryEntry(std::move(node), found->timestamp_us);
  entry.attributes.size_bytes = found->size_bytes;
  return entry;
}

}  // namespace sippar::fuse
