// Holds the part of TreeView that lists directories.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/fan_out.h"
#include "fuse/tree/selected_rows.h"
#include "fuse/tree/table_entries.h"
#include "fuse/tree/tree_view.h"

namespace sippar::fuse {
namespace {

// The directory above. It is only a hint for "..": the kernel resolves ".." by itself.
Node ParentOf(const Node& node) {
  Node parent;
  parent.as_of = node.as_of;
  parent.table_id = node.table_id;
  parent.selection = node.selection;
  parent.row = node.row;
  parent.family = node.family;
  parent.is_row_form = node.is_row_form;
  switch (node.kind) {
    case NodeKind::kFamily:
    case NodeKind::kRowVersions:
      parent.kind = NodeKind::kRow;
      parent.family.clear();
      break;
    case NodeKind::kFamilyVersions:
      parent.kind = node.is_row_form ? NodeKind::kRowVersions : NodeKind::kFamily;
      parent.is_row_form = false;
      if (node.is_row_form) parent.family.clear();
      break;
    case NodeKind::kColumnVersions:
      parent.kind = NodeKind::kFamilyVersions;
      break;
    case NodeKind::kRow:
    case NodeKind::kSelectionHome:
    case NodeKind::kExport:
    case NodeKind::kFanOut:
      parent.kind = NodeKind::kTable;
      parent.row.clear();
      break;
    default:
      parent = Node();
      if (node.kind == NodeKind::kTable) parent.as_of = node.as_of;
      if (node.kind == NodeKind::kRoot && node.as_of.has_value()) parent.kind = NodeKind::kAsOf;
      break;
  }
  return parent;
}

// The control names that a listing of the directory shows (SEMANTICS.md "Control names").
std::vector<std::string_view> ListedControls(const Node& directory) {
  if (directory.kind == NodeKind::kExport) return {"rows.csv", "rows.jsonl"};
  if (directory.as_of.has_value() || !directory.selection.empty()) return {};
  if (directory.kind == NodeKind::kRoot) return {".as-of", ".status", ".version"};
  if (directory.kind == NodeKind::kTable) return {".schema.sql", ".stats", ".tablets"};
  if (directory.kind == NodeKind::kAsOf) return {"README"};
  return {};
}

}  // namespace

StatusOr<std::unique_ptr<DirStream>> TreeView::OpenDirectory(const Node& directory,
                                                             const cluster::CancelFlag& cancel) {
  std::unique_ptr<EntrySource> source;
  TablePtr table;
  bool has_table = directory.kind != NodeKind::kRoot && directory.kind != NodeKind::kAsOf &&
                   directory.kind != NodeKind::kSavedQueries;
  if (has_table) {
    ASSIGN_OR_RETURN(table, context_.tables.FindId(directory.table_id));
  }
  switch (directory.kind) {
    case NodeKind::kTable:
      source = directory.selection.empty()
                   ? NewRowSource(&context_, table, directory, engine::RowRange::All(), cancel)
                   : NewSelectionSource(&context_, table, directory, cancel);
      break;
    case NodeKind::kFanOut:
      source = NewFanOutSource(&context_, table, directory, cancel);
      break;
    case NodeKind::kFamily:
    case NodeKind::kFamilyVersions:
      source = NewColumnSource(&context_, table, directory, cancel);
      break;
    case NodeKind::kColumnVersions:
      source = NewVersionSource(&context_, table, directory, cancel);
      break;
    case NodeKind::kRoot:
    case NodeKind::kAsOf:
    case NodeKind::kRow:
    case NodeKind::kRowVersions:
    case NodeKind::kSelectionHome:  // has no end of entries, so it lists nothing
    case NodeKind::kExport:
    case NodeKind::kSavedQueries:
      break;
    case NodeKind::kCell:
    case NodeKind::kText:
    case NodeKind::kSymlink:
    case NodeKind::kGenerated:
      return FailedPrecondition("not a directory");
  }
  // Runs at the first read and at each rewind, so that a rewound handle shows the current state.
  auto fixed = [this, directory, cancel] {
    Call call;
    call.cancel = cancel;
    return FixedEntries(directory, call);
  };
  return std::make_unique<DirStream>(fixed, std::move(source));
}

StatusOr<std::vector<DirEntry>> TreeView::FixedEntries(const Node& directory, const Call& call) {
  std::vector<DirEntry> entries;
  // The kernel uses only the type and the inode number of "." and "..".
  entries.push_back({".", DirectoryEntry(directory, 0)});
  entries.push_back({"..", DirectoryEntry(ParentOf(directory), 0)});
  for (std::string_view name : ListedControls(directory)) {
    // Each name is looked up as the kernel would, so that a listing and a stat agree.
    ASSIGN_OR_RETURN(Entry entry, Lookup(directory, name, call));
    entries.push_back({std::string(name), std::move(entry)});
  }
  if (directory.kind == NodeKind::kSavedQueries) {
    ASSIGN_OR_RETURN(std::vector<std::string> files, SavedQueryFiles());
    for (std::string& file : files) {
      Entry entry = GeneratedEntry(directory, file, mounted_at_us_);
      entries.push_back({std::move(file), std::move(entry)});
    }
  }
  if (directory.kind == NodeKind::kRoot) {
    ASSIGN_OR_RETURN(std::vector<DirEntry> tables, TableEntries(directory));
    for (DirEntry& entry : tables) entries.push_back(std::move(entry));
  }
  if (directory.kind != NodeKind::kRow && directory.kind != NodeKind::kRowVersions) return entries;
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  ASSIGN_OR_RETURN(std::vector<std::string> families,
                   FamiliesOf(&context_, table, directory, call));
  for (const std::string& family : families) {
    Node node = directory;
    bool is_row = directory.kind == NodeKind::kRow;
    node.kind = is_row ? NodeKind::kFamily : NodeKind::kFamilyVersions;
    node.is_row_form = !is_row;
    node.family = family;
    entries.push_back(
        {context_.codec.Encode(family), DirectoryEntry(std::move(node), table->changed_at_us)});
  }
  return entries;
}

StatusOr<std::vector<DirEntry>> TreeView::TableEntries(const Node& directory) {
  ASSIGN_OR_RETURN(std::vector<TablePtr> tables, context_.tables.List());
  std::vector<DirEntry> entries;
  for (const TablePtr& table : tables) {
    Node node = directory;
    node.kind = NodeKind::kTable;
    node.table_id = table->table_id;
    entries.push_back({context_.codec.Encode(table->schema.name),
                       DirectoryEntry(std::move(node), table->changed_at_us)});
  }
  return entries;
}

}  // namespace sippar::fuse
