// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/table_query.h"

#include "fuse/directories/directory.h"
#include "fuse/directories/generated_files.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/row_selection.h"

namespace sippar::fuse {
namespace {

using Call = cluster::CallOptions;

// The name is one step of a selection; what it leads to is again a table.
StatusOr<Entry> LookupStep(TreeContext* context, const Node& home, std::string_view name,
                           const Call& call) {
  ASSIGN_OR_RETURN(SelectionStep step,
                   AddStep(context->codec, home.selection, home.qualifier, name));
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(home.table_id));
  if (home.qualifier == ".where") {
    RowQuestion question;
    question.table = table->schema.name;
    question.as_of = home.as_of;
    question.tests = DecodeSelection(step.selection).tests;
    RETURN_IF_ERROR(context->answers->Check(question, call));
  }
  if (step.canonical != name) {
    return SymlinkEntry(home, name, std::move(step.canonical), table->changed_at_us);
  }
  Node node = ChildOf(home, NodeKind::kTable);
  node.qualifier.clear();
  node.selection = std::move(step.selection);
  return EntryOf(std::move(node), table->changed_at_us);
}

StatusOr<Entry> LookupExportFile(TreeContext* context, const Node& directory, std::string_view name,
                                 const Call&) {
  if (!IsExportFile(name)) return NoSuchName(name);
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  return GeneratedEntry(directory, name, table->changed_at_us);
}

std::vector<std::string_view> ExportFiles(const Node&) { return {"rows.csv", "rows.jsonl"}; }

// True if the directory has the query directory or file `name`.
bool HasQuery(const TreeContext& context, const Node& table, std::string_view name) {
  bool needs_language = name == ".where" || name == ".export";
  if (needs_language && context.answers == nullptr) return false;
  // The fan-out view exists only for whole tables.
  if (name == ".tree") return table.selection.empty();
  if (name == ".count" || name == ".export") return true;
  if (!IsSelectionHome(name)) return false;
  // Below .first/<n> no further step is allowed, because it would select other rows than its name
  // says.
  RowSelection selection = DecodeSelection(table.selection);
  return !selection.rows_max.has_value() && selection.steps < kSelectionStepsMax;
}

}  // namespace

StatusOr<std::optional<Entry>> LookupTableQuery(TreeContext* context, const Node& table,
                                                std::string_view name) {
  if (!HasQuery(*context, table, name)) return std::optional<Entry>();
  ASSIGN_OR_RETURN(TablePtr found, context->tables.FindId(table.table_id));
  const int64_t changed_at_us = found->changed_at_us;
  if (name == ".count") return std::optional(GeneratedEntry(table, name, changed_at_us));
  if (name == ".tree") {
    return std::optional(EntryOf(ChildOf(table, NodeKind::kFanOut), changed_at_us));
  }
  if (name == ".export") {
    return std::optional(EntryOf(ChildOf(table, NodeKind::kExport), changed_at_us));
  }
  Node home = ChildOf(table, NodeKind::kSelectionHome);
  home.qualifier = name;
  return std::optional(EntryOf(std::move(home), changed_at_us));
}

// A home lists nothing: the steps that it knows have no end.
constinit const Directory kSelectionHomeDirectory{.lookup = LookupStep};
constinit const Directory kExportDirectory{.lookup = LookupExportFile, .controls = ExportFiles};

}  // namespace sippar::fuse
