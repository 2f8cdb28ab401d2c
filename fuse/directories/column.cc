// The directory of a family of a row, which holds one file for each column; the directories of
// versions below it and those below <row>/.versions/<family>.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/printable.h"
#include "fuse/directories/directory.h"
#include "fuse/directories/row.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/long_name_search.h"
#include "fuse/tree/reads.h"
#include "fuse/tree/table_entries.h"
#include "fuse/tree/time_name.h"

namespace sippar::fuse {
namespace {

using Call = cluster::CallOptions;

// The newest version of a column, and the age of the read that found it.
struct NewestVersion {
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  uint64_t size_bytes = 0;
  int64_t age_us = 0;
};

StatusOr<NewestVersion> FindNewest(TreeContext* context, const ReadView& view,
                                   const Node& directory, const std::string& qualifier,
                                   const Call& call) {
  // With a freshness of zero, lookups of other columns could not use the cached row, so only one
  // column is read instead of the whole row.
  if (context->freshness_us > 0) {
    ASSIGN_OR_RETURN(RowPtr row, context->rows.Get(directory.table_id, view, directory.row, call));
    const RowColumn* column = row->Find(directory.family, qualifier);
    if (column != nullptr) {
      return NewestVersion{column->timestamp_us, column->sequence, column->size_bytes,
                           context->AgeUs(row->loaded_at_ns)};
    }
  }
  // The freshness is zero, the row is wide, or it lacked the column when it was cached. In the last
  // case the column may have been written later, so it is read now.
  cluster::ReadSpec spec = ColumnSpec(view, directory.row, directory.family, qualifier);
  ASSIGN_OR_RETURN(std::optional<FoundVersion> found,
                   FindFirst(context->data, view.table, spec, call));
  if (found.has_value()) {
    return NewestVersion{found->timestamp_us, found->sequence, found->size_bytes, 0};
  }
  return NotFound(fmt::format("table {}: row '{}' has no column {}:{}", view.table,
                              engine::PrintableBytes(directory.row), directory.family,
                              engine::PrintableBytes(qualifier)));
}

// `kind` is the kind of a column's entry: a kCell, or a kColumnVersions.
StatusOr<Entry> LookupColumn(TreeContext* context, const Node& directory, std::string_view name,
                             NodeKind kind, const Call& call) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  LongNameScope scope;
  scope.view = {table->schema.name, directory.as_of};
  scope.table_id = table->table_id;
  scope.is_qualifier = true;
  scope.row = directory.row;
  scope.family = directory.family;
  ASSIGN_OR_RETURN(NamedKey named, KeyOfName(context, scope, name, call));
  ASSIGN_OR_RETURN(NewestVersion newest,
                   FindNewest(context, scope.view, directory, named.key, call));
  if (named.canonical != name) {
    return SymlinkEntry(directory, name, std::move(named.canonical), table->changed_at_us);
  }
  Node node = ChildOf(directory, kind);
  node.qualifier = std::move(named.key);
  Attributes attributes{0, table->changed_at_us};
  // The directory of a column's versions is the same node whatever the newest version is.
  if (kind == NodeKind::kCell) {
    node.timestamp_us = newest.timestamp_us;
    node.sequence = newest.sequence;
    attributes = {newest.size_bytes, newest.timestamp_us};
  }
  Entry entry = EntryOf(std::move(node), 0);
  entry.attributes = attributes;
  entry.age_us = newest.age_us;
  return entry;
}

StatusOr<Entry> LookupInFamily(TreeContext* context, const Node& family, std::string_view name,
                               const Call& call) {
  if (name != kVersionsName) return LookupColumn(context, family, name, NodeKind::kCell, call);
  return LookupFamily(context, family, context->codec.Encode(family.family),
                      NodeKind::kFamilyVersions);
}

StatusOr<Entry> LookupInFamilyVersions(TreeContext* context, const Node& directory,
                                       std::string_view name, const Call& call) {
  return LookupColumn(context, directory, name, NodeKind::kColumnVersions, call);
}

StatusOr<Entry> LookupVersion(TreeContext* context, const Node& directory, std::string_view name,
                              const Call& call) {
  std::optional<int64_t> time = ParseTime(name);
  if (!time.has_value() || (directory.as_of.has_value() && *time > *directory.as_of)) {
    return NoSuchName(name);
  }
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  // The view needs no as_of time: the time of the version was compared with directory.as_of above,
  // and the read returns only a version with exactly this time.
  ReadView view{table->schema.name, std::nullopt};
  cluster::ReadSpec spec = ColumnSpec(view, directory.row, directory.family, directory.qualifier);
  spec.time = OnlyTime(*time);
  ASSIGN_OR_RETURN(std::optional<FoundVersion> found,
                   FindFirst(context->data, view.table, spec, call));
  if (!found.has_value()) return NoSuchName(name);
  Node node = ChildOf(directory, NodeKind::kCell);
  node.timestamp_us = found->timestamp_us;
  node.sequence = found->sequence;
  Entry entry = EntryOf(std::move(node), found->timestamp_us);
  entry.attributes.size_bytes = found->size_bytes;
  return entry;
}

StatusOr<std::unique_ptr<EntrySource>> ListColumns(TreeContext* context, const Node& directory,
                                                   cluster::CancelFlag cancel) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  return NewColumnSource(context, std::move(table), directory, std::move(cancel));
}

StatusOr<std::unique_ptr<EntrySource>> ListVersions(TreeContext* context, const Node& directory,
                                                    cluster::CancelFlag cancel) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  return NewVersionSource(context, std::move(table), directory, std::move(cancel));
}

}  // namespace

constinit const Directory kFamilyDirectory{.lookup = LookupInFamily, .source = ListColumns};
constinit const Directory kFamilyVersionsDirectory{.lookup = LookupInFamilyVersions,
                                                   .source = ListColumns};
constinit const Directory kColumnVersionsDirectory{.lookup = LookupVersion, .source = ListVersions};

}  // namespace sippar::fuse
