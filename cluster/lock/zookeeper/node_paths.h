// Where lock files are in ZooKeeper's tree. Pure. Below the cluster's node /NAME:
//   sessions/<id>            ephemeral: a session. Each heartbeat writes the session's name to it
//   files/<directory>/<leaf> a lock file. Each '/' in <directory> is replaced by '+'; an empty
//                            <directory> is written as '+'
//   files/.../<leaf>/lock    ephemeral: the lock of a file that is not ephemeral, with its holder
// Paths of lock files have no '+', so no two of them share a node, and a list of a directory is one
// call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::cluster::zookeeper {

class NodePaths {
 public:
  explicit NodePaths(std::string_view cluster) : root_("/" + std::string(cluster)) {}

  const std::string& Root() const { return root_; }
  std::string Sessions() const { return root_ + "/sessions"; }
  std::string Session(uint64_t id) const;
  std::string Files() const { return root_ + "/files"; }
  std::string File(std::string_view path) const;  // `path` passes lock_paths::CheckPath
  std::string Lock(std::string_view path) const { return File(path) + "/lock"; }
  // The node whose children are the names that List(directory) returns.
  std::string Directory(std::string_view directory) const;
  std::string DirectoryOf(std::string_view path) const;  // parent node of File(path)
  // The path whose watches fire when `node` changes. If `node` belongs to a lock file or to its
  // lock, this is the path of the file, otherwise the path of a directory. Empty: no path.
  std::string Watched(std::string_view node) const;

 private:
  std::string root_;
};

}  // namespace sippar::cluster::zookeeper
