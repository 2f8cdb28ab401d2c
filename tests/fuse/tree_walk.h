// Walks a TreeView by paths, as a kernel would. For tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuse/directories/tree_view.h"

namespace sippar::fuse {

using Names = std::vector<std::string>;

class TreeWalk {
 public:
  explicit TreeWalk(TreeView* tree) : tree_(tree) {}

  StatusOr<Entry> Find(const std::string& path) {
    Entry entry = tree_->Root();
    for (size_t at = 0; at < path.size();) {
      size_t end = std::min(path.find('/', at), path.size());
      if (end > at) {
        ASSIGN_OR_RETURN(entry, tree_->Lookup(entry.node, path.substr(at, end - at), {}));
      }
      at = end + 1;
    }
    return entry;
  }

  // With "." and "..". An error shows as an entry with its text as the name.
  std::vector<DirEntry> Entries(const std::string& path) {
    std::vector<DirEntry> entries;
    auto collect = [&]() -> Status {
      ASSIGN_OR_RETURN(Entry directory, Find(path));
      ASSIGN_OR_RETURN(auto stream, tree_->OpenDirectory(directory.node, nullptr));
      for (uint64_t ordinal = 0;; ++ordinal) {
        ASSIGN_OR_RETURN(const DirEntry* entry, stream->At(ordinal));
        if (entry == nullptr) return OkStatus();
        entries.push_back(*entry);
      }
    };
    Status status = collect();
    if (!status.ok()) entries.push_back({status.ToString(), {}});
    return entries;
  }

  Names List(const std::string& path) {
    Names names;
    for (const DirEntry& entry : Entries(path)) {
      if (entry.name != "." && entry.name != "..") names.push_back(entry.name);
    }
    return names;
  }

  // The content, or the error's text.
  std::string Read(const std::string& path) {
    auto read = [&]() -> StatusOr<std::string> {
      ASSIGN_OR_RETURN(Entry file, Find(path));
      ASSIGN_OR_RETURN(std::string value, Content(file));
      if (value.size() != file.attributes.size_bytes) return Internal("size is not exact");
      return value;
    };
    auto content = read();
    return content.ok() ? *std::move(content) : content.status().ToString();
  }

  StatusOr<std::string> Content(const Entry& file) {
    ASSIGN_OR_RETURN(OpenValuePtr open, tree_->OpenFile(file.node, file.attributes, {}));
    ASSIGN_OR_RETURN(FileBytes bytes,
                     tree_->ReadFile(open.get(), 0, file.attributes.size_bytes, {}));
    return std::string(bytes.view);
  }

 private:
  TreeView* tree_;
};

}  // namespace sippar::fuse
