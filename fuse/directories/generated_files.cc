// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/generated_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fuse/tree/entries.h"
#include "fuse/tree/selected_rows.h"

namespace sippar::fuse {
namespace {

constexpr std::string_view kExportStem = "rows.";
// Formats of .export and of saved queries; the suffix of a file's name selects one.
constexpr std::string_view kFormats[] = {"csv", "json", "jsonl", "tsv"};

bool IsFormat(std::string_view text) {
  return std::find(std::begin(kFormats), std::end(kFormats), text) != std::end(kFormats);
}

StatusOr<TextStream::Writer> WriterOfSavedQuery(TreeContext* context, const std::string& name) {
  std::optional<SavedFile> saved = SplitSavedName(name);
  if (!saved.has_value()) return NoSuchName(name);
  ASSIGN_OR_RETURN(std::string statement, context->answers->SavedText(saved->query));
  return
      [context, statement, query = std::string(saved->query), format = std::string(saved->format)](
          const cluster::CallOptions& call, const ByteSink& sink) {
        return Annotate(context->answers->PrintStatement(statement, format, call, sink),
                        fmt::format("saved query {}", query));
      };
}

}  // namespace

bool IsExportFile(std::string_view name) {
  return name.starts_with(kExportStem) && IsFormat(name.substr(kExportStem.size()));
}

std::optional<SavedFile> SplitSavedName(std::string_view name) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || !IsFormat(name.substr(dot + 1))) {
    return std::nullopt;
  }
  return SavedFile{name.substr(0, dot), name.substr(dot + 1)};
}

StatusOr<TextStream::Writer> WriterOf(TreeContext* context, const Node& file) {
  if (file.table_id == 0) return WriterOfSavedQuery(context, file.qualifier);
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(file.table_id));
  if (file.qualifier == ".count") {
    return
        [context, table, file](const cluster::CallOptions& call, const ByteSink& sink) -> Status {
          ASSIGN_OR_RETURN(uint64_t count, CountRows(context, table, file, call));
          sink(fmt::format("{}\n", count));
          return OkStatus();
        };
  }
  return [context, table, file](const cluster::CallOptions& call, const ByteSink& sink) -> Status {
    ASSIGN_OR_RETURN(RowQuestion question, RowsOf(context, table, file, call));
    std::string_view format = std::string_view(file.qualifier).substr(kExportStem.size());
    return context->answers->Print(question, format, call, sink);
  };
}

}  // namespace sippar::fuse
