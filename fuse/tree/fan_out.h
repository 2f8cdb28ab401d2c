// The view .tree: shows keys as paths, for programs that list whole folders. A component of a key
// ends after '/' or '#', and after '.' before the first '/' (so com.cnn.www/a/b is com. cnn. www/
// a/ b). The names of a path, decoded and joined, are the key. One seek per entry finds the
// folders, without reading all keys below them. Used by tree_view.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fuse/tree/dir_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// Returns the size of the first component of `rest`, including its separator; `prefix` is the key
// before `rest`. 0: `rest` has no separator, so it is the last component.
size_t ComponentSize(std::string_view prefix, std::string_view rest);
// Returns the target of a symlink: the path from the folder `prefix` to the directory of `row`.
std::string RowLink(const NameCodec& codec, std::string_view prefix, std::string_view row);

// Lists a kFanOut (`directory`). Its entries are folders and symlinks to rows.
std::unique_ptr<EntrySource> NewFanOutSource(TreeContext* context, TablePtr table,
                                             const Node& directory, cluster::CancelFlag cancel);
// Returns the component that a name stands for; a component with a long name (name_codec.h) is
// searched among the entries. kNotFound if the name encodes no component.
[[nodiscard]] StatusOr<std::string> FindComponent(TreeContext* context, const TablePtr& table,
                                                  const Node& directory, std::string_view name,
                                                  const cluster::CallOptions& call);
// True if the key of any row begins with `prefix`.
[[nodiscard]] StatusOr<bool> HasRowsBelow(TreeContext* context, const TablePtr& table,
                                          const Node& directory, std::string_view prefix,
                                          const cluster::CallOptions& call);

}  // namespace sippar::fuse
