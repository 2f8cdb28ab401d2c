// The directory of a row, which holds its families and .row.json, and its .versions.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fuse/directories/directory.h"
#include "fuse/directories/row.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/table_entries.h"

namespace sippar::fuse {
namespace {

using Call = cluster::CallOptions;

constexpr std::string_view kRowTextName = ".row.json";

// The row as one line of JSON. It is made when it is looked up, because its size must be exact.
StatusOr<Entry> LookupRowText(TreeContext* context, const Node& row, const Call& call) {
  if (context->answers == nullptr) return NoSuchName(kRowTextName);
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(row.table_id));
  RowQuestion question;
  question.table = table->schema.name;
  question.as_of = row.as_of;
  question.range = engine::RowRange::Single(row.row);
  std::string text;
  RETURN_IF_ERROR(context->answers->Print(question, "jsonl", call, [&](std::string_view bytes) {
    text += bytes;
    return text.size() <= kControlTextSizeMax;
  }));
  if (text.empty()) return NoSuchName(kRowTextName);
  if (text.size() > kControlTextSizeMax) {
    return TooLarge(
        fmt::format("table {}: the file .row.json of row {} is larger than its limit of "
                    "{} bytes; read .export/rows.jsonl of .range or of .prefix",
                    table->schema.name, context->codec.Encode(row.row), kControlTextSizeMax));
  }
  Entry entry = TextEntry(row, kRowTextName, std::move(text), table->changed_at_us);
  entry.is_volatile = true;
  return entry;
}

StatusOr<Entry> LookupInRow(TreeContext* context, const Node& row, std::string_view name,
                            const Call& call) {
  if (name == kRowTextName) return LookupRowText(context, row, call);
  if (name != kVersionsName) return LookupFamily(context, row, name, NodeKind::kFamily);
  // Neither .versions nor a family checks that the row exists: the kernel found the row a moment
  // ago, and an empty directory does no harm.
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(row.table_id));
  return EntryOf(ChildOf(row, NodeKind::kRowVersions), table->changed_at_us);
}

StatusOr<Entry> LookupInVersions(TreeContext* context, const Node& versions, std::string_view name,
                                 const Call&) {
  return LookupFamily(context, versions, name, NodeKind::kFamilyVersions);
}

StatusOr<std::vector<DirEntry>> ListFamilies(TreeContext* context, const Node& directory,
                                             const Call& call) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  ASSIGN_OR_RETURN(std::vector<std::string> families, FamiliesOf(context, table, directory, call));
  const bool is_row = directory.kind == NodeKind::kRow;
  std::vector<DirEntry> entries;
  for (const std::string& family : families) {
    Node node = ChildOf(directory, is_row ? NodeKind::kFamily : NodeKind::kFamilyVersions);
    node.is_row_form = !is_row;
    node.family = family;
    entries.push_back(
        {context->codec.Encode(family), EntryOf(std::move(node), table->changed_at_us)});
  }
  return entries;
}

}  // namespace

StatusOr<Entry> LookupFamily(TreeContext* context, const Node& directory, std::string_view name,
                             NodeKind kind) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  std::optional<DecodedName> decoded = context->codec.Decode(name);
  if (!decoded.has_value() || decoded->is_long) return NoSuchName(name);
  // A family that the cached schema lacks may be new, so the current schema is read.
  if (table->schema.FindFamily(decoded->key) == nullptr) {
    ASSIGN_OR_RETURN(table, context->tables.FindIdNow(directory.table_id));
  }
  if (table->schema.FindFamily(decoded->key) == nullptr) {
    return NotFound(fmt::format("table {} has no family {}", table->schema.name, decoded->key));
  }
  if (!decoded->is_canonical) {
    return SymlinkEntry(directory, name, context->codec.Encode(decoded->key), table->changed_at_us);
  }
  Node node = ChildOf(directory, kind);
  node.is_row_form = directory.kind == NodeKind::kRowVersions;
  node.family = std::move(decoded->key);
  return EntryOf(std::move(node), table->changed_at_us);
}

constinit const Directory kRowDirectory{.lookup = LookupInRow, .entries = ListFamilies};
constinit const Directory kRowVersionsDirectory{.lookup = LookupInVersions,
                                                .entries = ListFamilies};

}  // namespace sippar::fuse
