// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/life_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cluster/api/store_paths.h"
#include "engine/base/crash_point.h"
#include "engine/log/log_writer.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster {
namespace {

// Renames the log first: after a crash, a half-removed log must not look like a log that has lost
// segments.
Status RemoveLog(engine::FileSystem* fs, const std::string& logs, const std::string& name) {
  std::string path = logs + "/" + name;
  ASSIGN_OR_RETURN(std::vector<std::string> files, fs->List(path));
  bool has_segments = std::any_of(files.begin(), files.end(), [](const std::string& file) {
    return engine::ParseSegmentFileName(file) != engine::SegmentId{};
  });
  if (has_segments && name.find(store_paths::kTrashMark) == std::string::npos) {
    const std::string trash = fmt::format("{}{}0", path, store_paths::kTrashMark);
    RETURN_IF_ERROR(fs->Rename(path, trash));
    RETURN_IF_ERROR(fs->SyncDir(logs));
    CRASH_POINT("life_sweep.after_rename");
    path = trash;
  }
  for (const std::string& file : files) RETURN_IF_ERROR(fs->Remove(path + "/" + file));
  return fs->RemoveDir(path);
}

Status SweepLogs(engine::FileSystem* fs, const std::string& logs, const std::set<ServerId>& lives,
                 const StorePicture& picture) {
  ASSIGN_OR_RETURN(std::vector<std::string> found, fs->List(logs));
  for (const std::string& name : found) {
    // The name is NAME.EPOCH, perhaps followed by .sealed or a trash mark. The log is needed if
    // METADATA or the master knows the life.
    size_t end = name.find('.', name.find('.') + 1);
    auto life = ServerId::Parse(std::string_view(name).substr(0, end));
    if (!life.ok() || lives.contains(*life) || picture.lives.contains(*life)) continue;
    RETURN_IF_ERROR(RemoveLog(fs, logs, name));
    CRASH_POINT("life_sweep.after_log");
  }
  return OkStatus();
}

// True for a file, whole or unfinished, that an ended life wrote and that neither a record nor a
// backup names. A file that no life of this store wrote is left alone; picture_proof.h reports it.
bool IsLeftover(engine::FileSystem* fs, const std::string& sst, std::string_view name,
                const std::set<uint64_t>& epochs, const StorePicture& picture) {
  constexpr std::string_view kUnfinished = ".tmp";
  const std::string path = fmt::format("{}/{}", sst, name);
  const bool unfinished = name.ends_with(kUnfinished);
  if (unfinished) name.remove_suffix(kUnfinished.size());
  const size_t trash = name.find(store_paths::kTrashMark);
  auto id = engine::ParseSstableName(name.substr(0, trash));
  if (!id || epochs.contains(*id >> 32) || picture.files.contains(*id)) return false;
  if (*id >> 32 == 0 || *id >> 32 > *epochs.rbegin()) return false;
  if (unfinished) return true;
  auto whole = engine::IsSstable(fs, path, *id);
  return whole.ok() && *whole;
}

Status SweepSstables(engine::FileSystem* fs, const std::string& sst,
                     const std::set<ServerId>& lives, const StorePicture& picture) {
  std::set<uint64_t> epochs;
  for (const ServerId& life : lives) epochs.insert(life.epoch);
  // A leftover has a lower epoch than the newest life. If no life is known, no file can be
  // recognized as a leftover.
  if (epochs.empty()) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<std::string> found, fs->List(sst));
  for (const std::string& name : found) {
    if (!IsLeftover(fs, sst, name, epochs, picture)) continue;
    RETURN_IF_ERROR(fs->Remove(sst + "/" + name));
    CRASH_POINT("life_sweep.after_file");
  }
  return OkStatus();
}

}  // namespace

Status SweepEndedLives(engine::FileSystem* fs, const std::string& directory,
                       const std::set<ServerId>& lives, const StorePicture& picture) {
  RETURN_IF_ERROR(picture.whole);
  RETURN_IF_ERROR(SweepLogs(fs, store_paths::Logs(directory), lives, picture));
  return SweepSstables(fs, store_paths::Sstables(directory), lives, picture);
}

}  // namespace sippar::cluster
