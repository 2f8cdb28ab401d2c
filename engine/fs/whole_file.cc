// Implements ReadFile, ReplaceFile and PublishFile.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/crash_point.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {
namespace {

Status SyncParent(FileSystem* fs, const std::string& path) {
  size_t slash = path.rfind('/');
  return fs->SyncDir(slash == std::string::npos ? "." : path.substr(0, slash));
}

Status SyncAndClose(AppendFile* file, Status status) {
  if (status.ok()) status = file->Sync();
  Status closed = file->Close();
  return status.ok() ? closed : status;
}

}  // namespace

StatusOr<std::string> ReadFile(FileSystem* fs, const std::string& path, uint64_t size_max) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> file, fs->OpenRandom(path));
  if (file->size() > size_max) {
    return ResourceExhausted(
        fmt::format("{} has {} bytes; the limit is {}", path, file->size(), size_max));
  }
  std::string content;
  RETURN_IF_ERROR(file->Read(0, file->size(), &content));
  return content;
}

Status ReplaceFile(FileSystem* fs, const std::string& path, std::string_view content) {
  std::string temporary = path + ".tmp";
  Status removed = fs->Remove(temporary);  // an earlier process may have died before its rename
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, fs->Create(temporary));
  Status status = SyncAndClose(file.get(), file->Append(content));
  // A crash here leaves the old file and a whole temporary one, which the next call removes.
  CRASH_POINT("file.before_rename");
  if (status.ok()) status = fs->Rename(temporary, path);
  if (!status.ok()) {
    (void)fs->Remove(temporary);
    return status;
  }
  // A crash here may still lose the rename, so callers must not rely on it before the directory is
  // synced.
  CRASH_POINT("file.after_rename");
  return SyncParent(fs, path);
}

Status PublishFile(FileSystem* fs, AppendFile* file, const std::string& temporary,
                   const std::string& path) {
  Status status = SyncAndClose(file, OkStatus());
  if (status.ok()) status = fs->RenameNew(temporary, path);
  if (!status.ok()) (void)fs->Remove(temporary);
  if (!status.ok() && status.code() != StatusCode::kAlreadyExists) return status;
  // Syncs the directory even if another process published first: that process may have died before
  // it synced the directory, and the caller will rely on the file of that process.
  RETURN_IF_ERROR(SyncParent(fs, path));
  return status;
}

}  // namespace sippar::engine
