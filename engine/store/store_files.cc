// SPDX-License-Identifier: Apache-2.0
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

StatusOr<int> ReadIdentity(FileSystem* fs, const std::string& directory, int newest_known) {
  std::string path = directory + "/STORE";
  ASSIGN_OR_RETURN(std::string text, ReadFile(fs, path, 4096));
  int version = 0;
  if (!text.starts_with(kIdentityHead) || !text.ends_with("\n")) {
    return DataLoss(
        fmt::format("{}: damaged; expected '{}{}'", path, kIdentityHead.substr(0, 12), "...'"));
  }
  const char* digits = text.data() + kIdentityHead.size();
  auto parsed = std::from_chars(digits, text.data() + text.size() - 1, version);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() - 1 || version < 1) {
    return DataLoss(fmt::format("{}: damaged format version", path));
  }
  if (version > newest_known) {
    return FailedPrecondition(
        fmt::format("{} has format version {}; this program knows up to {}; use a newer sippar",
                    directory, version, newest_known));
  }
  return version;
}

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Names that an interrupted start may have left before it wrote STORE.
constexpr std::string_view kUnfinishedNames[] = {
    "LOCK",    "STORE.tmp",   "wal",         "tablets",     "sst",     "changes",
    "EPOCH",   "EPOCH.tmp",   "CATALOG",     "CATALOG.tmp", "RESERVE", "lock",
    "CLUSTER", "CLUSTER.tmp", "sippar.sock", "lost+found"};

// Whether the directory holds no other names. Any other makes it a foreign directory, in which
// nothing may be created.
bool LooksUnfinished(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return std::ranges::find(kUnfinishedNames, name) != std::end(kUnfinishedNames);
  });
}

// An interrupted start has made no file in these folders. So data without STORE is a store that
// lost it, and must not be taken for a new one and overwritten.
Status CheckNoData(FileSystem* fs, const std::string& directory,
                   const std::vector<std::string>& names) {
  for (const std::string folder : {"wal", "tablets", "sst"}) {
    if (std::find(names.begin(), names.end(), folder) == names.end()) continue;
    ASSIGN_OR_RETURN(std::vector<std::string> files, fs->List(directory + "/" + folder));
    if (files.empty()) continue;
    bool is_cluster = std::find(names.begin(), names.end(), "CLUSTER") != names.end();
    return DataLoss(
        fmt::format("{0}: the file STORE is missing, but {1}/ holds a store's data; if the rest is "
                    "whole, put it back: printf '{2}{3}\\n' > {0}/STORE",
                    directory, folder, "sippar store\\nformat ", is_cluster ? 2 : 1));
  }
  return OkStatus();
}

}  // namespace

StatusOr<int> FindStoreFormat(FileSystem* fs, const std::string& directory, bool create_if_missing,
                              int newest_known) {
  ASSIGN_OR_RETURN(bool exists, fs->Exists(directory));
  if (!exists) {
    if (!create_if_missing) {
      return NotFound(
          fmt::format("no store at {}: the directory does not exist (CREATE TABLE, "
                      "'sippar import web' and 'sippar serve' make one)",
                      directory));
    }
    RETURN_IF_ERROR(fs->CreateDir(directory));
    // Durable now: what is written into the directory would be lost with it.
    RETURN_IF_ERROR(fs->SyncDir(ParentOf(directory)));
    return 0;
  }
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  if (std::find(names.begin(), names.end(), "STORE") != names.end()) {
    return ReadIdentity(fs, directory, newest_known);
  }
  if (!LooksUnfinished(names)) {
    return FailedPrecondition(
        fmt::format("{} is not a Sippar store: it holds {} and no STORE file; name an empty or new "
                    "directory",
                    directory, names.front()));
  }
  RETURN_IF_ERROR(CheckNoData(fs, directory, names));
  if (!create_if_missing) {
    return NotFound(fmt::format("no store at {}: the directory is empty", directory));
  }
  // The process that created the directory may have died before it synced the parent.
  RETURN_IF_ERROR(fs->SyncDir(ParentOf(directory)));
  return 0;
}

Status WriteStoreFormat(FileSystem* fs, const std::string& directory, int format) {
  return ReplaceFile(fs, directory + "/STORE", fmt::format("{}{}\n", kIdentityHead, format));
}

namespace {

Status MakeDirectories(FileSystem* fs, const StoreFiles& files, bool is_new) {
  for (const std::string& path : {files.wal(), files.tablets(), files.sst()}) {
    ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
    if (exists) {
      // A killed server may leave directory changes that are only in memory. This life acts on what
      // it sees, for example removes files that no state names, so what it sees is made durable
      // first.
      RETURN_IF_ERROR(fs->SyncDir(path));
      continue;
    }
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

Status WriteEpoch(FileSystem* fs, const std::string& path, uint64_t epoch) {
  std::string body;
  PutFixed64(&body, epoch);
  return WriteStateFile(fs, path, kEpochMagic, body);
}

StatusOr<uint64_t> ReadEpoch(FileSystem* fs, const std::string& path) {
  auto body = ReadStateFile(fs, path, kEpochMagic);
  RETURN_IF_ERROR(MissingIsLoss(body.status()));
  Reader reader(*body);
  uint64_t epoch = reader.Fixed64();
  if (!reader.AtEnd()) return DataLoss(fmt::format("{} cannot be decoded", path));
  return epoch;
}

}  // namespace

Status StoreEpoch::Claim() {
  MutexLock lock(&mutex_);
  if (claimed_) return OkStatus();
  RETURN_IF_ERROR(WriteEpoch(fs_, path_, number_));
  // A crash here wastes an epoch, which is harmless: epochs only have to rise.
  CRASH_POINT("epoch.claimed");
  claimed_ = true;
  return OkStatus();
}

void KeepReserve(FileSystem* fs, const std::string& path, uint64_t bytes) {
  auto size = fs->FileSize(path);
  if (size.ok() && *size >= bytes) return;
  // A file cut short by an earlier full disk is made again from the start.
  (void)fs->Remove(path);
  auto file = fs->Create(path);
  if (!file.ok()) return;
  Status status = (*file)->Append(std::string(bytes, '\0'));
  if (status.ok()) status = (*file)->Sync();
  Status closed = (*file)->Close();
  if (!status.ok() || !closed.ok()) (void)fs->Remove(path);
}

bool GiveUpReserve(FileSystem* fs, const std::string& path) { return fs->Remove(path).ok(); }

StatusOr<StoreFiles> OpenStoreFiles(FileSystem* fs, const std::string& directory,
                                    bool create_if_missing) {
  RETURN_IF_ERROR(FindStoreFormat(fs, directory, create_if_missing, kFormatVersion).status());
  StoreFiles files;
  files.directory = directory;
  ASSIGN_OR_RETURN(files.lock, fs->Lock(directory + "/LOCK", fmt::format("pid {}", ::getpid())));
  // Checked again under the lock: another process may have finished creating the store since the
  // first check, which only avoids making a LOCK file in a foreign directory.
  ASSIGN_OR_RETURN(int format, FindStoreFormat(fs, directory, create_if_missing, kFormatVersion));
  const bool is_new = format == 0;
  RETURN_IF_ERROR(MakeDirectories(fs, files, is_new));
  CRASH_POINT("open.after_directories");
  std::string epoch_path = directory + "/EPOCH";
  if (is_new) {
    // No file has an epoch in its name yet, whatever an interrupted start has left, so 0 is right.
    RETURN_IF_ERROR(WriteEpoch(fs, epoch_path, 0));
    CRASH_POINT("open.after_epoch");
    RETURN_IF_ERROR(WriteStateFile(fs, files.catalog(), kCatalogMagic, Catalog().Encode()));
    CRASH_POINT("open.before_identity");
    // Last: a crash before this leaves a directory that LooksUnfinished, and the next start begins
    // again.
    RETURN_IF_ERROR(WriteStoreFormat(fs, directory, kFormatVersion));
  }
  ASSIGN_OR_RETURN(uint64_t last, ReadEpoch(fs, epoch_path));
  files.epoch = std::make_unique<StoreEpoch>(fs, epoch_path, last);
  return files;
}

}  // namespace sippar::engine
