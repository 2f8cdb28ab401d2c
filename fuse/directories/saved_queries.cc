// .sql: the saved queries, one file for each query and format.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fuse/directories/directory.h"
#include "fuse/directories/generated_files.h"
#include "fuse/tree/entries.h"

namespace sippar::fuse {
namespace {

StatusOr<Entry> LookupSavedQuery(TreeContext* context, const Node& directory, std::string_view name,
                                 const cluster::CallOptions&) {
  std::optional<SavedFile> file = SplitSavedName(name);
  if (!file.has_value()) return NoSuchName(name);
  RETURN_IF_ERROR(context->answers->SavedText(file->query).status());
  return GeneratedEntry(directory, name, context->mounted_at_us);
}

StatusOr<std::vector<DirEntry>> ListSavedQueries(TreeContext* context, const Node& directory,
                                                 const cluster::CallOptions&) {
  ASSIGN_OR_RETURN(std::vector<std::string> queries, context->answers->SavedNames());
  std::vector<DirEntry> entries;
  for (const std::string& query : queries) {
    for (std::string_view format : {"csv", "json"}) {
      std::string file = fmt::format("{}.{}", query, format);
      Entry entry = GeneratedEntry(directory, file, context->mounted_at_us);
      entries.push_back({std::move(file), std::move(entry)});
    }
  }
  return entries;
}

}  // namespace

constinit const Directory kSavedQueriesDirectory{.lookup = LookupSavedQuery,
                                                 .entries = ListSavedQueries};

}  // namespace sippar::fuse
