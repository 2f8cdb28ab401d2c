// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lock_service.h"

#include <utility>

namespace sippar::cluster {

StatusOr<std::vector<NamedLockFile>> LockSession::ReadDirectory(
    const std::string& directory, const std::set<std::string>& except) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, List(directory));
  std::vector<NamedLockFile> files;
  for (std::string& name : names) {
    if (except.contains(name)) continue;
    // A cached read is at least as new as the answer of List.
    auto file = Read(directory + "/" + name, Freshness::kCached);
    if (file.status().code() == StatusCode::kNotFound) continue;  // removed after List
    RETURN_IF_ERROR(file.status());
    files.push_back({std::move(name), *std::move(file)});
  }
  return files;
}

}  // namespace sippar::cluster
