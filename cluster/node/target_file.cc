// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/target_file.h"

#include <fmt/format.h>

#include <string_view>

#include "cluster/api/store_paths.h"
#include "engine/base/printable.h"
#include "engine/store/store_files.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kHead = "sippar cluster\ntarget ";
constexpr uint64_t kSizeMax = 4096;

}  // namespace

std::string TargetFileText(const std::string& target) {
  return fmt::format("{}{}\n", kHead, target);
}

StatusOr<std::string> ReadTargetFile(engine::FileSystem* fs, const std::string& directory) {
  const std::string path = store_paths::TargetFile(directory);
  // Checked first, because the file is usually missing, and an error message costs more.
  ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
  if (!exists)
    return NotFound(fmt::format("file {} not found; it names the cluster of its directory", path));
  ASSIGN_OR_RETURN(std::string text, engine::ReadFile(fs, path, kSizeMax));
  const bool has_frame = text.starts_with(kHead) && text.ends_with("\n");
  std::string target = has_frame ? text.substr(kHead.size(), text.size() - kHead.size() - 1) : "";
  if (!target.empty() && target.find('\n') == std::string::npos) return target;
  return DataLoss(
      fmt::format("{}: its {} bytes name no cluster ('{}'); put the target of this directory's "
                  "cluster back: printf 'sippar cluster\\ntarget zk://HOST:PORT/NAME\\n' > {}",
                  path, text.size(), engine::PrintableBytes(text.substr(0, 40)), path));
}

Status BelongsTo(const std::string& directory, const std::string& target) {
  return FailedPrecondition(
      fmt::format("store {}: it belongs to cluster {}; use that as the target", directory, target));
}

Status RefuseClusters(engine::FileSystem* fs, const std::string& directory) {
  auto target = ReadTargetFile(fs, directory);
  if (target.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(target.status());
  return BelongsTo(directory, *target);
}

StatusOr<bool> FindStoreOfOne(engine::FileSystem* fs, const std::string& directory,
                              bool create_if_missing) {
  RETURN_IF_ERROR(RefuseClusters(fs, directory));
  return engine::FindStore(fs, directory, create_if_missing);
}

}  // namespace sippar::cluster
