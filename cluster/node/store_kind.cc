// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/store_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "cluster/node/target.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

StatusOr<std::string> KindOf(engine::FileSystem* fs, const std::string& directory) {
  auto kind = fs->Kind(directory);
  if (kind.status().code() != StatusCode::kNotFound) return kind;
  const size_t slash = directory.rfind('/');
  if (slash == std::string::npos) return fs->Kind(".");
  return fs->Kind(slash == 0 ? "/" : directory.substr(0, slash));
}

bool AnswersFromCaches(std::string_view kind) {
  constexpr std::array<std::string_view, 4> kCaching = {"nfs", "smb", "9p", "afs"};
  return std::find(kCaching.begin(), kCaching.end(), kind) != kCaching.end();
}

}  // namespace

Status RefuseCachingMount(engine::FileSystem* fs, const std::string& directory) {
  auto kind = KindOf(fs, directory);
  // The caller finds out itself that the directory cannot be made.
  if (kind.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(kind.status());
  if (!AnswersFromCaches(*kind)) return OkStatus();
  return FailedPrecondition(fmt::format(
      "store {}: its file system answers from caches, so a machine may miss what another one has "
      "acknowledged (found {}, expected CephFS or, on one machine, a local file system); move the "
      "store there, or give --store-unsafe where losing acknowledged writes is acceptable",
      engine::PrintableBytes(directory), *kind));
}

std::string CachingMountWarning(const std::string& target) {
  auto place = ParseTarget(target);
  if (!place.ok() || place->directory.empty()) return "";
  const std::unique_ptr<engine::FileSystem> fs = FileSystemOf(place->directory);
  auto kind = KindOf(fs.get(), place->directory);
  if (!kind.ok() || !AnswersFromCaches(*kind)) return "";
  return fmt::format(
      "warning: store {} lies on {}; open it on one machine only, for the file server may give its "
      "lock to a second machine while the first is cut off",
      engine::PrintableBytes(place->directory), *kind);
}

}  // namespace sippar::cluster
