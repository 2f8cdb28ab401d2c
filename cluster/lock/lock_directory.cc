// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lock_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/tablet/state_file.h"

namespace sippar::cluster {
namespace {

constexpr uint32_t kLockFileMagic = 0x53724c66;
constexpr char kFlockName[] = "+LOCK";  // no lock path maps to it: none has an empty part

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

StatusOr<LockDirectory::StoredFile> ReadStored(engine::FileSystem* fs, const std::string& file,
                                               const std::string& path) {
  ASSIGN_OR_RETURN(std::string body, engine::ReadStateFile(fs, file, kLockFileMagic));
  engine::Reader reader(body);
  std::string_view own_path = reader.Bytes();
  LockDirectory::StoredFile stored;
  stored.version = reader.Varint();
  stored.content = reader.Raw(reader.left());
  if (!reader.ok() || own_path != path) {
    return DataLoss(
        fmt::format("lock file '{}': {} cannot be decoded or has the content of another lock file",
                    path, file));
  }
  return stored;
}

// Writes the temporary file of a change. If this fails, the old file is untouched.
Status WriteTemporary(engine::FileSystem* fs, const std::string& file, std::string_view bytes) {
  // A change that failed may have left a temporary file.
  Status removed = fs->Remove(file);
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  ASSIGN_OR_RETURN(std::unique_ptr<engine::AppendFile> out, fs->Create(file));
  Status status = out->Append(bytes);
  if (status.ok()) status = out->Sync();
  Status closed = out->Close();
  return status.ok() ? closed : status;
}

}  // namespace

Status NotHeld(const Status& status) {
  return status.code() == StatusCode::kUnavailable ? Internal(std::string(MessageOf(status)))
                                                   : status;
}

StatusOr<std::unique_ptr<LockDirectory>> LockDirectory::Open(engine::FileSystem* fs,
                                                             const std::string& directory,
                                                             StoredFiles* files) {
  RETURN_IF_ERROR(NotHeld(fs->CreateDir(directory)));
  ASSIGN_OR_RETURN(std::unique_ptr<engine::FileLock> lock,
                   fs->Lock(directory + "/" + kFlockName, fmt::format("pid {}", ::getpid())));
  std::unique_ptr<LockDirectory> opened(new LockDirectory(fs, directory, std::move(lock)));
  RETURN_IF_ERROR(NotHeld(opened->Load(files)));
  // The directory's own entry must be durable before anything in it is: otherwise a crash could
  // lose the directory together with a durable epoch.
  if (files->empty()) RETURN_IF_ERROR(NotHeld(fs->SyncDir(ParentOf(directory))));
  return opened;
}

Status LockDirectory::Load(StoredFiles* files) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(directory_));
  for (const std::string& name : names) {
    std::string file = directory_ + "/" + name;
    if (name == kFlockName) continue;
    if (name.ends_with(".tmp")) {
      // A temporary file is left from a crash before its rename, so the change was never
      // acknowledged.
      RETURN_IF_ERROR(fs_->Remove(file));
      continue;
    }
    std::string path = name;
    std::replace(path.begin(), path.end(), '+', '/');
    if (!lock_paths::CheckPath(path).ok()) {
      return FailedPrecondition(
          fmt::format("file {}: it is not a file of the lock service; move it out of {}, or name "
                      "another directory",
                      file, directory_));
    }
    auto stored = ReadStored(fs_, file, path);
    // A damaged file does not keep the others from being served.
    if (!stored.ok() && stored.status().code() != StatusCode::kDataLoss) return stored.status();
    (*files)[path] = stored.ok() ? std::move(*stored) : StoredFile{{}, 0, stored.status()};
  }
  return OkStatus();
}

std::string LockDirectory::FileOf(const std::string& directory, const std::string& path) {
  std::string name = path;
  std::replace(name.begin(), name.end(), '/', '+');
  return directory + "/" + name;
}

Status LockDirectory::Put(const std::string& path, std::string_view content, uint64_t version) {
  RETURN_IF_ERROR(broken_);
  std::string body;
  engine::PutBytes(&body, path);
  engine::PutVarint(&body, version);
  body.append(content);
  std::string file = FileOf(directory_, path);
  RETURN_IF_ERROR(
      WriteTemporary(fs_, file + ".tmp", engine::EncodeStateFile(kLockFileMagic, body)));
  CRASH_POINT("lock.before_rename");
  Status changed = fs_->Rename(file + ".tmp", file);
  CRASH_POINT("lock.after_rename");
  return Settle(changed);
}

Status LockDirectory::Remove(const std::string& path) {
  RETURN_IF_ERROR(broken_);
  CRASH_POINT("lock.before_remove");
  Status changed = fs_->Remove(FileOf(directory_, path));
  CRASH_POINT("lock.after_remove");
  return Settle(changed);
}

Status LockDirectory::Settle(const Status& changed) {
  Status status = changed.ok() ? fs_->SyncDir(directory_) : changed;
  if (!status.ok()) {
    // Whether a failed rename, removal or directory sync survives a crash is unknown, so no later
    // answer about this file could be trusted.
    broken_ =
        Unavailable(fmt::format("lock directory {}: a change failed halfway ({}), so it is unknown "
                                "whether the disk keeps it; no more changes are accepted until the "
                                "store is opened again",
                                directory_, MessageOf(status)));
  }
  CRASH_POINT("lock.settled");
  return broken_;
}

}  // namespace sippar::cluster
