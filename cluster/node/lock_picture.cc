// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/lock_picture.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "cluster/lock/lock_paths.h"
#include "engine/base/crash_point.h"

namespace sippar::cluster {
namespace {

using Files = std::map<std::string, LockFile>;  // files by path

std::vector<std::string> StoreFiles() {
  return {lock_paths::ClusterId(), lock_paths::MasterLock(), lock_paths::RootLocation()};
}
std::vector<std::string> StoreDirectories() {
  return {lock_paths::Servers(), lock_paths::Tables(), lock_paths::Records()};
}

bool IsOfStore(const std::string& path) {
  for (const std::string& file : StoreFiles()) {
    if (path == file) return true;
  }
  for (const std::string& directory : StoreDirectories()) {
    if (path.starts_with(directory + "/")) return true;
  }
  return false;
}

bool IsOfService(const std::string& path) {
  return path == lock_paths::EpochCounter() || path == lock_paths::Store() ||
         path == lock_paths::StopMark();
}

Status ReadInto(LockSession* session, const std::string& path, Files* files) {
  auto file = session->Read(path, Freshness::kConsistent);
  if (file.status().code() == StatusCode::kNotFound) return OkStatus();
  RETURN_IF_ERROR(file.status());
  (*files)[path] = *std::move(file);
  return OkStatus();
}

StatusOr<Files> FilesOf(LockSession* session) {
  Files files;
  for (const std::string& path : StoreFiles()) {
    RETURN_IF_ERROR(ReadInto(session, path, &files));
  }
  for (const std::string& directory : StoreDirectories()) {
    RETURN_IF_ERROR(session->Heartbeat().status());
    ASSIGN_OR_RETURN(std::vector<NamedLockFile> read, session->ReadDirectory(directory));
    for (auto& [name, file] : read) files[directory + "/" + name] = std::move(file);
  }
  return files;
}

std::map<std::string, std::string> ContentsOf(const Files& files) {
  std::map<std::string, std::string> contents;
  for (const auto& [path, file] : files) contents[path] = file.content;
  return contents;
}

// Writes one file if its content differs. Sends a heartbeat first, because changing all files may
// take longer than the session's timeout.
Status Put(LockSession* to, const std::string& path, const std::string& content,
           const Files& there) {
  auto old = there.find(path);
  if (old != there.end() && old->second.content == content) return OkStatus();
  RETURN_IF_ERROR(to->Heartbeat().status());
  CRASH_POINT("carry.before_file");
  if (old != there.end()) return to->Write(path, content, old->second.version).status();
  return to->Create(path, content, LockFileKind::kLasting).status();
}

Status Drop(LockSession* session, const std::string& path, uint64_t version) {
  RETURN_IF_ERROR(session->Heartbeat().status());
  CRASH_POINT("carry.before_removal");
  Status removed = session->Remove(path, version);
  return removed.code() == StatusCode::kNotFound ? OkStatus() : removed;
}

StatusOr<uint64_t> NumberIn(const std::string& text) {
  uint64_t number = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return number;
  return DataLoss(
      fmt::format("lock file {}: its {} bytes are not a number; put it back from a copy",
                  lock_paths::EpochCounter(), text.size()));
}

}  // namespace

StatusOr<LockPicture> PictureOf(EmbeddedLockService* locks) {
  LockPicture picture;
  Status status;
  std::string counter = "1";
  locks->VisitFiles([&](const std::string& path, const LockState::Entry& entry) {
    if (!status.ok()) return;
    status = entry.damage;
    if (path == lock_paths::EpochCounter()) counter = entry.file.content;
    if (!status.ok() || IsOfService(path) || entry.file.ephemeral) return;
    if (IsOfStore(path)) {
      picture.files[path] = entry.file.content;
    } else {
      status = FailedPrecondition(
          fmt::format("lock file '{}': this version of sippar does not know the file, so it "
                      "cannot be carried to another lock service; use the version of sippar "
                      "that made the file",
                      path));
    }
  });
  RETURN_IF_ERROR(status);
  ASSIGN_OR_RETURN(picture.numbers_end, NumberIn(counter));
  return picture;
}

StatusOr<LockPicture> PictureOf(LockSession* session) {
  LockPicture picture;
  ASSIGN_OR_RETURN(Files files, FilesOf(session));
  picture.files = ContentsOf(files);
  ASSIGN_OR_RETURN(uint64_t last, session->NextEpoch());
  picture.numbers_end = last + 1;
  return picture;
}

Status CarryInto(const LockPicture& picture, LockSession* to) {
  ASSIGN_OR_RETURN(Files there, FilesOf(to));
  RETURN_IF_ERROR(to->RaiseEpoch(picture.numbers_end - 1));
  for (const auto& [path, file] : there) {
    if (!picture.files.contains(path)) RETURN_IF_ERROR(Drop(to, path, file.version));
  }
  for (const auto& [path, content] : picture.files) {
    RETURN_IF_ERROR(Put(to, path, content, there));
  }
  ASSIGN_OR_RETURN(Files found, FilesOf(to));
  if (ContentsOf(found) == picture.files) return OkStatus();
  return Aborted(
      "lock service: its files differ from those that this command has just "
      "written, so another program changes them; end that program, and repeat "
      "the command");
}

Status RemoveStoreFiles(LockSession* session) {
  ASSIGN_OR_RETURN(Files files, FilesOf(session));
  RETURN_IF_ERROR(ReadInto(session, lock_paths::StopMark(), &files));
  const std::string id = lock_paths::ClusterId();
  for (const auto& [path, file] : files) {
    if (path != id) RETURN_IF_ERROR(Drop(session, path, file.version));
  }
  // The cluster's id goes last: a lock service with files but no id would belong to no cluster.
  return files.contains(id) ? Drop(session, id, files[id].version) : OkStatus();
}

}  // namespace sippar::cluster
