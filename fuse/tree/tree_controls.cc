// Holds the part of TreeView that looks up control names: the small files of the mount and of
// tables, the query directories, the fan-out view, the saved queries.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "fuse/tree/fan_out.h"
#include "fuse/tree/schema_text.h"
#include "fuse/tree/selected_rows.h"
#include "fuse/tree/tree_limits.h"
#include "fuse/tree/tree_view.h"

namespace sippar::fuse {
namespace {

constexpr std::string_view kExportStem = "rows.";
// Formats of .export and of saved queries; the suffix of a file's name selects one.
constexpr std::string_view kFormats[] = {"csv", "json", "jsonl", "tsv"};

bool IsFormat(std::string_view text) {
  return std::find(std::begin(kFormats), std::end(kFormats), text) != std::end(kFormats);
}

Node ChildOf(const Node& directory, NodeKind kind) {
  Node child = directory;
  child.kind = kind;
  return child;
}

Status NoSuchName(std::string_view name) {
  return NotFound(fmt::format("entry {} not found", name));
}

// The file name of a saved query in parts: "top.csv" is the query "top" in the format "csv".
struct SavedFile {
  std::string_view query;
  std::string_view format;
};
std::optional<SavedFile> SplitSavedName(std::string_view name) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || !IsFormat(name.substr(dot + 1))) {
    return std::nullopt;
  }
  return SavedFile{name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

Entry TreeView::GeneratedEntry(const Node& directory, std::string_view name,
                               int64_t changed_at_us) const {
  Node node = ChildOf(directory, NodeKind::kGenerated);
  node.qualifier = name;
  return DirectoryEntry(std::move(node), changed_at_us);
}

std::optional<Entry> TreeView::RootControl(const Node& directory, std::string_view name) {
  if (name == ".as-of") {
    return DirectoryEntry(ChildOf(directory, NodeKind::kAsOf), mounted_at_us_);
  }
  if (name == ".sql" && context_.answers != nullptr) {
    return DirectoryEntry(ChildOf(directory, NodeKind::kSavedQueries), mounted_at_us_);
  }
  if (name == ".version") return TextEntry(directory, name, RenderVersion(), mounted_at_us_);
  if (name != ".status") return std::nullopt;
  Entry status = TextEntry(directory, name, RenderMountStatus(), mounted_at_us_);
  // The text of .status changes with each error, so the kernel must ask each time.
  status.is_volatile = true;
  return status;
}

StatusOr<std::optional<Entry>> TreeView::ControlEntry(const Node& directory,
                                                      std::string_view name) {
  std::optional<Entry> none;
  if (directory.kind == NodeKind::kRoot) {
    return directory.as_of.has_value() ? none : RootControl(directory, name);
  }
  ASSIGN_OR_RETURN(std::optional<Entry> query, QueryEntry(directory, name));
  if (query.has_value()) return query;
  if (directory.as_of.has_value() || !directory.selection.empty()) return none;
  if (name != ".schema.sql" && name != ".stats" && name != ".tablets") return none;
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  std::string content;
  if (name == ".schema.sql") {
    content = PrintCreateTable(table->schema);
  } else if (name == ".stats") {
    ASSIGN_OR_RETURN(content, RenderStats(&context_, table->schema.name));
  } else {
    ASSIGN_OR_RETURN(content, RenderTablets(&context_, table->schema.name));
  }
  if (content.size() > kControlTextSizeMax) {
    return TooLarge(
        fmt::format("table {}: its file {} would have {} bytes; the limit is {}; use `sippar admin "
                    "stats`, `sippar admin tablets` or SHOW CREATE TABLE",
                    table->schema.name, name, content.size(), kControlTextSizeMax));
  }
  Entry entry = TextEntry(directory, name, std::move(content), table->changed_at_us);
  // .stats and .tablets show sizes and tablets, which change without a schema change.
  entry.is_volatile = name != ".schema.sql";
  return std::optional(std::move(entry));
}

// The query directories and files of a table, at any as_of time and nested in each other.
StatusOr<std::optional<Entry>> TreeView::QueryEntry(const Node& directory, std::string_view name) {
  std::optional<Entry> none;
  bool is_home = IsSelectionHome(name);
  bool is_known = is_home || name == ".count" || name == ".export" || name == ".tree";
  if (!is_known) return none;
  // Below .first/<n> no further step is allowed, because it would select other rows than its name
  // says. The fan-out view (.tree) exists only for whole tables.
  RowSelection selection = DecodeSelection(directory.selection);
  if (is_home && (selection.rows_max.has_value() || selection.steps >= kSelectionStepsMax)) {
    return none;
  }
  if (name == ".tree" && !directory.selection.empty()) return none;
  if (context_.answers == nullptr && (name == ".where" || name == ".export")) return none;
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  int64_t changed_at_us = table->changed_at_us;
  if (name == ".count") return std::optional(GeneratedEntry(directory, name, changed_at_us));
  Node node = ChildOf(directory, is_home             ? NodeKind::kSelectionHome
                                 : name == ".export" ? NodeKind::kExport
                                                     : NodeKind::kFanOut);
  if (is_home) node.qualifier = name;
  return std::optional(DirectoryEntry(std::move(node), changed_at_us));
}

StatusOr<Entry> TreeView::LookupInSelectionHome(const Node& directory, std::string_view name,
                                                const Call& call) {
  ASSIGN_OR_RETURN(SelectionStep step,
                   AddStep(context_.codec, directory.selection, directory.qualifier, name));
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  if (directory.qualifier == ".where") {
    RowQuestion question;
    question.table = table->schema.name;
    question.as_of = directory.as_of;
    question.tests = DecodeSelection(step.selection).tests;
    RETURN_IF_ERROR(context_.answers->Check(question, call));
  }
  if (step.canonical != name) {
    return SymlinkEntry(directory, name, std::move(step.canonical), table->changed_at_us);
  }
  Node node = ChildOf(directory, NodeKind::kTable);
  node.qualifier.clear();
  node.selection = std::move(step.selection);
  return DirectoryEntry(std::move(node), table->changed_at_us);
}

StatusOr<Entry> TreeView::LookupInExport(const Node& directory, std::string_view name) {
  if (!name.starts_with(kExportStem) || !IsFormat(name.substr(kExportStem.size()))) {
    return NoSuchName(name);
  }
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  return GeneratedEntry(directory, name, table->changed_at_us);
}

StatusOr<Entry> TreeView::LookupInFanOut(const Node& directory, std::string_view name,
                                         const Call& call) {
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  ASSIGN_OR_RETURN(std::string component, FindComponent(&context_, table, directory, name, call));
  std::string canonical = context_.codec.Encode(component);
  std::string key = directory.row + component;
  size_t size = ComponentSize(directory.row, component);
  if (size == 0) {
    Node row = ChildOf(directory, NodeKind::kRow);
    row.row = key;
    RETURN_IF_ERROR(FindRow(table, std::move(row), call).status());
  } else {
    ASSIGN_OR_RETURN(bool has_rows, HasRowsBelow(&context_, table, directory, key, call));
    if (!has_rows || size != component.size()) return NoSuchName(name);
  }
  if (canonical != name) {
    return SymlinkEntry(directory, name, std::move(canonical), table->changed_at_us);
  }
  if (size == 0) {
    return SymlinkEntry(directory, name, RowLink(context_.codec, directory.row, key),
                        table->changed_at_us);
  }
  Node node = directory;
  node.row = std::move(key);
  return DirectoryEntry(std::move(node), table->changed_at_us);
}

StatusOr<Entry> TreeView::LookupInSavedQueries(const Node& directory, std::string_view name) {
  std::optional<SavedFile> file = SplitSavedName(name);
  if (!file.has_value()) return NoSuchName(name);
  RETURN_IF_ERROR(context_.answers->SavedText(file->query).status());
  return GeneratedEntry(directory, name, mounted_at_us_);
}

StatusOr<std::vector<std::string>> TreeView::SavedQueryFiles() {
  ASSIGN_OR_RETURN(std::vector<std::string> queries, context_.answers->SavedNames());
  std::vector<std::string> files;
  for (const std::string& query : queries) {
    for (std::string_view format : {"csv", "json"}) {
      files.push_back(fmt::format("{}.{}", query, format));
    }
  }
  return files;
}

// The row as one line of JSON. It is rendered when it is looked up, because its size must be exact.
StatusOr<Entry> TreeView::LookupRowText(const Node& directory, const Call& call) {
  if (context_.answers == nullptr) return NoSuchName(".row.json");
  ASSIGN_OR_RETURN(TablePtr table, context_.tables.FindId(directory.table_id));
  RowQuestion question;
  question.table = table->schema.name;
  question.as_of = directory.as_of;
  question.range = engine::RowRange::Single(directory.row);
  std::string text;
  RETURN_IF_ERROR(context_.answers->Print(question, "jsonl", call, [&](std::string_view bytes) {
    text += bytes;
    return text.size() <= kControlTextSizeMax;
  }));
  if (text.empty()) return NoSuchName(".row.json");
  if (text.size() > kControlTextSizeMax) {
    return TooLarge(
        fmt::format("table {}: the file .row.json of row {} is larger than its limit of "
                    "{} bytes; read .export/rows.jsonl of .range or of .prefix",
                    table->schema.name, context_.codec.Encode(directory.row), kControlTextSizeMax));
  }
  Entry entry = TextEntry(directory, ".row.json", std::move(text), table->changed_at_us);
  entry.is_volatile = true;
  return entry;
}

StatusOr<TextStream::Writer> TreeView::WriterOf(const Node& file) {
  TreeContext* context = &context_;
  const std::string& name = file.qualifier;
  if (file.table_id == 0) {
    std::optional<SavedFile> saved = SplitSavedName(name);
    if (!saved.has_value()) return NoSuchName(name);
    ASSIGN_OR_RETURN(std::string statement, context->answers->SavedText(saved->query));
    return [context, statement, format = std::string(saved->format)](const Call& call,
                                                                     const ByteSink& sink) {
      return context->answers->PrintStatement(statement, format, call, sink);
    };
  }
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(file.table_id));
  if (name == ".count") {
    return [context, table, file](const Call& call, const ByteSink& sink) -> Status {
      ASSIGN_OR_RETURN(uint64_t count, CountRows(context, table, file, call));
      sink(fmt::format("{}\n", count));
      return OkStatus();
    };
  }
  return [context, table, file](const Call& call, const ByteSink& sink) -> Status {
    ASSIGN_OR_RETURN(RowQuestion question, RowsOf(context, table, file, call));
    std::string_view format = std::string_view(file.qualifier).substr(kExportStem.size());
    return context->answers->Print(question, format, call, sink);
  };
}

StatusOr<std::unique_ptr<TextStream>> TreeView::OpenGenerated(const Node& file, const Call& call) {
  ASSIGN_OR_RETURN(TextStream::Writer writer, WriterOf(file));
  // The count of open streams falls when the last copy of the writer is destroyed with its stream.
  std::shared_ptr<void> ticket(nullptr, [this](void*) { --streams_; });
  if (++streams_ > kStreamsMax) {
    return ResourceExhausted(
        fmt::format("file {}: {} generated files are open, which is the limit; close some",
                    file.qualifier, kStreamsMax));
  }
  auto counted = [writer = std::move(writer), ticket](const Call& write_call,
                                                      const ByteSink& sink) {
    return writer(write_call, sink);
  };
  auto stream =
      std::make_unique<TextStream>(std::move(counted), context_.query_timeout_us, is_stopping_);
  RETURN_IF_ERROR(stream->Start(call));
  return stream;
}

}  // namespace sippar::fuse
