// The directory of a store. SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/store/catalog.h"
#include "engine/tablet/state_file.h"

namespace sippar::engine {
namespace {

constexpr std::string_view kIdentityHead = "sippar store\nformat ";
constexpr int kFormatVersion = 1;

Status CheckIdentity(FileSystem* fs, const std::string& directory) {
  std::string path = directory + "/STORE";
  ASSIGN_OR_RETURN(std::string text, ReadFile(fs, path, 4096));
  int version = 0;
  if (!text.starts_with(kIdentityHead) || !text.ends_with("\n")) {
    return DataLoss(
        fmt::format("{}: damaged; expected '{}{}'", path, kIdentityHead.substr(0, 12), "...'"));
  }
  const char* digits = text.data() + kIdentityHead.size();
  auto parsed = std::from_chars(digits, text.data() + text.size() - 1, version);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() - 1) {
    return DataLoss(fmt::format("{}: damaged format version", path));
  }
  if (version > kFormatVersion) {
    return FailedPrecondition(
        fmt::format("{} has format version {}; this program knows up to {}: use a newer sippar",
                    directory, version, kFormatVersion));
  }
  return OkStatus();
}

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Only names that a start of ours may have left before the identity was durable.
bool LooksUnfinished(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "LOCK" || name == "STORE.tmp" || name == "wal" || name == "tablets" ||
           name == "sst" || name == "EPOCH" || name == "EPOCH.tmp" || name == "CATALOG" ||
           name == "CATALOG.tmp" || name == "lost+found";
  });
}

// A start that did not finish has made no file in these: data without its identity is a store that
// lost one, not a new one.
Status CheckNoData(FileSystem* fs, const std::string& directory,
                   const std::vector<std::string>& names) {
  for (const std::string folder : {"wal", "tablets", "sst"}) {
    if (std::find(names.begin(), names.end(), folder) == names.end()) continue;
    ASSIGN_OR_RETURN(std::vector<std::string> files, fs->List(directory + "/" + folder));
    if (files.empty()) continue;
    return DataLoss(
        fmt::format("{0}: the file STORE is missing, but {1}/ holds a store's data; if the rest is "
                    "whole, put it back: printf '{2}{3}\\n' > {0}/STORE",
                    directory, folder, "sippar store\\nformat ", kFormatVersion));
  }
  return OkStatus();
}

Status CheckDirectory(FileSystem* fs, const std::string& directory, bool create, bool* is_new) {
  ASSIGN_OR_RETURN(bool exists, fs->Exists(directory));
  *is_new = false;
  if (!exists) {
    if (!create) {
      return NotFound(
          fmt::format("no store at {}: the directory does not exist (a command that "
                      "writes, such as import or CREATE TABLE, makes it)",
                      directory));
    }
    RETURN_IF_ERROR(fs->CreateDir(directory));
    *is_new = true;
    return fs->SyncDir(ParentOf(directory));
  }
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  if (std::find(names.begin(), names.end(), "STORE") != names.end()) {
    return CheckIdentity(fs, directory);
  }
  if (!LooksUnfinished(names)) {
    return FailedPrecondition(
        fmt::format("{} is not a Sippar store: it holds {} and no STORE file; name an empty or new "
                    "directory",
                    directory, names.front()));
  }
  RETURN_IF_ERROR(CheckNoData(fs, directory, names));
  if (!create) {
    return NotFound(fmt::format("no store at {}: the directory is empty", directory));
  }
  *is_new = true;
  return OkStatus();
}

Status MakeDirectories(FileSystem* fs, const StoreFiles& files, bool is_new) {
  for (const std::string& path : {files.wal(), files.tablets(), files.sst()}) {
    ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
    if (exists) continue;
    if (!is_new) {
      return DataLoss(
          fmt::format("{} is missing; the store had it: put it back from where it was "
                      "moved or from a copy",
                      path));
    }
    RETURN_IF_ERROR(fs->CreateDir(path));
  }
  return fs->SyncDir(files.directory);
}

}  // namespace

Status MissingIsLoss(const Status& status) {
  return status.code() == StatusCode::kNotFound
             ? DataLoss(fmt::format("a file of the store is missing: {}", MessageOf(status)))
             : status;
}

namespace {

// Durable before use: no two lives of the store ever share an epoch.
StatusOr<uint64_t> RaiseEpoch(FileSystem* fs, const std::string& directory, bool is_new) {
  std::string path = directory + "/EPOCH";
  uint64_t epoch = 0;
  auto body = ReadStateFile(fs, path, kEpochMagic);
  if (body.ok()) {
    Reader reader(*body);
    epoch = reader.Fixed64();
    if (!reader.AtEnd()) return DataLoss(fmt::format("{} does not decode", path));
  } else if (!is_new || body.status().code() != StatusCode::kNotFound) {
    return MissingIsLoss(body.status());
  }
  std::string next;
  PutFixed64(&next, ++epoch);
  RETURN_IF_ERROR(WriteStateFile(fs, path, kEpochMagic, next));
  return epoch;
}

}  // namespace

StatusOr<StoreFiles> OpenStoreFiles(FileSystem* fs, const std::string& directory,
                                    bool create_if_missing) {
  bool is_new = false;
  RETURN_IF_ERROR(CheckDirectory(fs, directory, create_if_missing, &is_new));
  StoreFiles files;
  files.directory = directory;
  ASSIGN_OR_RETURN(files.lock, fs->Lock(directory + "/LOCK", fmt::format("pid {}", ::getpid())));
  // Under the lock: another process may have finished making the store meanwhile.
  RETURN_IF_ERROR(CheckDirectory(fs, directory, create_if_missing, &is_new));
  RETURN_IF_ERROR(MakeDirectories(fs, files, is_new));
  CRASH_POINT("open.after_directories");
  ASSIGN_OR_RETURN(files.epoch, RaiseEpoch(fs, directory, is_new));
  CRASH_POINT("open.after_epoch");
  if (is_new) {
    // The identity comes last: a directory with it is a whole store.
    RETURN_IF_ERROR(WriteStateFile(fs, files.catalog(), kCatalogMagic, Catalog().Encode()));
    CRASH_POINT("open.before_identity");
    RETURN_IF_ERROR(ReplaceFile(fs, directory + "/STORE",
                                fmt::format("{}{}\n", kIdentityHead, kFormatVersion)));
  }
  return files;
}

}  // namespace sippar::engine
