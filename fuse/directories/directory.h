// Directory: what the names in one kind of directory mean, and what a listing of it shows. A file
// of this folder describes one kind or a few that belong together. Functions without state; all are
// thread safe. Their errors are those of TreeView (tree_view.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "fuse/tree/dir_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// A listing shows ".", "..", the controls, the entries, and then what the source gives.
struct Directory {
  // The entry that a name means.
  StatusOr<Entry> (*lookup)(TreeContext* context, const Node& directory, std::string_view name,
                            const cluster::CallOptions& call);
  // Fixed names that the listing shows first and looks up: control files, .as-of, the files of
  // .export. Null: it has none.
  std::vector<std::string_view> (*controls)(const Node& directory) = nullptr;
  // The directory's own entries, if they are few. Null: it has none, or `source` gives them.
  StatusOr<std::vector<DirEntry>> (*entries)(TreeContext* context, const Node& directory,
                                             const cluster::CallOptions& call) = nullptr;
  // The directory's own entries, if there may be any number of them. Null: `entries` gives them.
  // The scans of the source check `cancel`.
  StatusOr<std::unique_ptr<EntrySource>> (*source)(TreeContext* context, const Node& directory,
                                                   cluster::CancelFlag cancel) = nullptr;
};

// One for each kind of directory; node.h says where each kind lies in the tree.
extern const Directory kRootDirectory;            // root.cc
extern const Directory kAsOfDirectory;            // root.cc
extern const Directory kSavedQueriesDirectory;    // saved_queries.cc
extern const Directory kTableDirectory;           // table.cc
extern const Directory kSelectionHomeDirectory;   // table_query.cc
extern const Directory kExportDirectory;          // table_query.cc
extern const Directory kFanOutDirectory;          // fan_out.cc
extern const Directory kRowDirectory;             // row.cc
extern const Directory kRowVersionsDirectory;     // row.cc
extern const Directory kFamilyDirectory;          // column.cc
extern const Directory kFamilyVersionsDirectory;  // column.cc
extern const Directory kColumnVersionsDirectory;  // column.cc

// Null: a node of this kind is not a directory.
const Directory* DirectoryOf(NodeKind kind);

}  // namespace sippar::fuse
