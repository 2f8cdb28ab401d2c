// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/node_paths.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::cluster::zookeeper {
namespace {

// The node name of the empty directory, which contains the lock files whose path has no '/'.
constexpr std::string_view kTop = "+";

std::string WithSlashes(std::string_view flat) {
  std::string path(flat);
  std::replace(path.begin(), path.end(), '+', '/');
  return path;
}

}  // namespace

std::string NodePaths::Session(uint64_t id) const { return fmt::format("{}/{}", Sessions(), id); }

std::string NodePaths::Directory(std::string_view directory) const {
  std::string flat(directory.empty() ? kTop : directory);
  std::replace(flat.begin(), flat.end(), '/', '+');
  return Files() + "/" + flat;
}

std::string NodePaths::DirectoryOf(std::string_view path) const {
  size_t slash = path.rfind('/');
  return Directory(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

std::string NodePaths::File(std::string_view path) const {
  size_t slash = path.rfind('/');
  std::string_view leaf = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return DirectoryOf(path) + "/" + std::string(leaf);
}

std::string NodePaths::Watched(std::string_view node) const {
  const std::string files = Files() + "/";
  if (!node.starts_with(files)) return "";
  node.remove_prefix(files.size());
  size_t slash = node.find('/');
  std::string_view directory = node.substr(0, slash);
  if (slash == std::string_view::npos) return directory == kTop ? "" : WithSlashes(directory);
  std::string_view leaf = node.substr(slash + 1);
  leaf = leaf.substr(0, leaf.find('/'));  // drops the last part of a lock node's path
  if (directory == kTop) return std::string(leaf);
  return WithSlashes(directory) + "/" + std::string(leaf);
}

}  // namespace sippar::cluster::zookeeper
