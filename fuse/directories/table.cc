// The directory of a table, or of the rows that a chain of query directories selects: its rows, and
// small files about the table.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fuse/directories/directory.h"
#include "fuse/directories/find_row.h"
#include "fuse/directories/table_query.h"
#include "fuse/tree/control_text.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/long_name_search.h"
#include "fuse/tree/schema_text.h"
#include "fuse/tree/selected_rows.h"
#include "fuse/tree/table_entries.h"

namespace sippar::fuse {
namespace {

using Call = cluster::CallOptions;

// The files exist once for each table: not at an as_of time and not for a selection of rows.
std::vector<std::string_view> TableControls(const Node& directory) {
  if (directory.as_of.has_value() || !directory.selection.empty()) return {};
  return {".schema.sql", ".stats", ".tablets"};
}

StatusOr<std::string> ControlText(TreeContext* context, const TablePtr& table,
                                  std::string_view name) {
  if (name == ".schema.sql") return PrintCreateTable(table->schema);
  if (name == ".stats") return RenderStats(context, table->schema.name);
  return RenderTablets(context, table->schema.name);
}

StatusOr<Entry> LookupControl(TreeContext* context, const Node& directory, std::string_view name) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  ASSIGN_OR_RETURN(std::string text, ControlText(context, table, name));
  if (text.size() > kControlTextSizeMax) {
    return TooLarge(
        fmt::format("table {}: its file {} would have {} bytes; the limit is {}; use `sippar admin "
                    "stats`, `sippar admin tablets` or SHOW CREATE TABLE",
                    table->schema.name, name, text.size(), kControlTextSizeMax));
  }
  Entry entry = TextEntry(directory, name, std::move(text), table->changed_at_us);
  // .stats and .tablets show sizes and tablets, which change without a schema change.
  entry.is_volatile = name != ".schema.sql";
  return entry;
}

StatusOr<Entry> LookupRow(TreeContext* context, const Node& directory, std::string_view name,
                          const Call& call) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  LongNameScope scope;
  scope.view = {table->schema.name, directory.as_of};
  scope.table_id = table->table_id;
  ASSIGN_OR_RETURN(NamedKey named, KeyOfName(context, scope, name, call));
  Node node = ChildOf(directory, NodeKind::kRow);
  node.row = std::move(named.key);
  ASSIGN_OR_RETURN(Entry entry, FindRow(context, table, std::move(node), call));
  if (named.canonical == name) return entry;
  return SymlinkEntry(directory, name, std::move(named.canonical), table->changed_at_us);
}

StatusOr<Entry> LookupInTable(TreeContext* context, const Node& directory, std::string_view name,
                              const Call& call) {
  // No encoded key begins with a dot.
  if (name.starts_with('.')) {
    ASSIGN_OR_RETURN(std::optional<Entry> query, LookupTableQuery(context, directory, name));
    if (query.has_value()) return *std::move(query);
    for (std::string_view control : TableControls(directory)) {
      if (name == control) return LookupControl(context, directory, name);
    }
  }
  return LookupRow(context, directory, name, call);
}

StatusOr<std::unique_ptr<EntrySource>> ListRows(TreeContext* context, const Node& directory,
                                                cluster::CancelFlag cancel) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  if (!directory.selection.empty()) {
    return NewSelectionSource(context, std::move(table), directory, std::move(cancel));
  }
  return NewRowSource(context, std::move(table), directory, engine::RowRange::All(),
                      std::move(cancel));
}

}  // namespace

constinit const Directory kTableDirectory{
    .lookup = LookupInTable, .controls = TableControls, .source = ListRows};

}  // namespace sippar::fuse
