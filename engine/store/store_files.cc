// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/printable.h"

namespace sippar::engine {
namespace {

constexpr std::string_view kIdentityHead = "sippar store\nformat ";

// The remedy for a STORE file that is missing or damaged.
std::string PutBack(const std::string& directory) {
  return fmt::format("if the rest is whole, put it back: printf '{}{}\\n' > {}/STORE",
                     "sippar store\\nformat ", kStoreFormat, directory);
}

Status Damaged(const std::string& directory, std::string_view text) {
  constexpr size_t kShownMax = 40;
  return DataLoss(fmt::format("{0}/STORE: its {1} bytes ('{2}') do not name a format version; {3}",
                              directory, text.size(), PrintableBytes(text.substr(0, kShownMax)),
                              PutBack(directory)));
}

Status CheckIdentity(FileSystem* fs, const std::string& directory) {
  std::string path = directory + "/STORE";
  ASSIGN_OR_RETURN(std::string text, ReadFile(fs, path, 4096));
  int version = 0;
  if (!text.starts_with(kIdentityHead) || !text.ends_with("\n")) return Damaged(directory, text);
  const char* digits = text.data() + kIdentityHead.size();
  auto parsed = std::from_chars(digits, text.data() + text.size() - 1, version);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() - 1 || version < 1) {
    return Damaged(directory, text);
  }
  if (version < kStoreFormat) return RefusedFormat1(directory);
  if (version == kStoreFormat) return OkStatus();
  return FailedPrecondition(
      fmt::format("{} has format version {}; this program knows up to {}; use a newer sippar",
                  directory, version, kStoreFormat));
}

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Names that an interrupted start may have left before it wrote STORE, and the folder that some
// file systems begin with.
constexpr std::string_view kUnfinishedNames[] = {"STORE.tmp",   "wal",         "sst",
                                                 "RESERVE",     "lock",        "CLUSTER",
                                                 "CLUSTER.tmp", "sippar.sock", "lost+found"};

// True if the directory holds only these names, or nothing. Any other name makes it a foreign
// directory, in which nothing may be created.
bool LooksUnfinished(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return std::ranges::find(kUnfinishedNames, name) != std::end(kUnfinishedNames);
  });
}

// An interrupted start leaves no file in these folders. So files in them mean that an existing
// store has lost its file STORE; it must not be taken for a new one and overwritten.
Status CheckNoData(FileSystem* fs, const std::string& directory,
                   const std::vector<std::string>& names) {
  for (const std::string folder : {"wal", "sst"}) {
    if (std::find(names.begin(), names.end(), folder) == names.end()) continue;
    ASSIGN_OR_RETURN(std::vector<std::string> files, fs->List(directory + "/" + folder));
    if (files.empty()) continue;
    return DataLoss(fmt::format("{}: the file STORE is missing, but {}/ holds a store's data; {}",
                                directory, folder, PutBack(directory)));
  }
  return OkStatus();
}

}  // namespace

Status RefusedFormat1(const std::string& directory) {
  return FailedPrecondition(
      fmt::format("store {}: its directory format is not supported (1, expected {}); open it once "
                  "with a sippar built from commit 2cd5275, which converts it",
                  directory, kStoreFormat));
}

StatusOr<bool> FindStore(FileSystem* fs, const std::string& directory, bool create_if_missing) {
  ASSIGN_OR_RETURN(bool exists, fs->Exists(directory));
  if (!exists) {
    if (!create_if_missing) {
      return NotFound(
          fmt::format("no store at {}: the directory does not exist (CREATE TABLE, "
                      "'sippar import web' and 'sippar serve' make one)",
                      directory));
    }
    RETURN_IF_ERROR(fs->CreateDir(directory));
    // Synced at once: a power loss could otherwise remove the directory with everything that is
    // written into it later.
    RETURN_IF_ERROR(fs->SyncDir(ParentOf(directory)));
    return false;
  }
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  if (std::find(names.begin(), names.end(), "STORE") != names.end()) {
    RETURN_IF_ERROR(CheckIdentity(fs, directory));
    return true;
  }
  if (!LooksUnfinished(names)) {
    return FailedPrecondition(
        fmt::format("{} is not a Sippar store: it holds {} and no STORE file; name an empty or new "
                    "directory",
                    directory, names.front()));
  }
  RETURN_IF_ERROR(CheckNoData(fs, directory, names));
  if (!create_if_missing) {
    return NotFound(fmt::format(
        "no store at {}: the directory {} (CREATE TABLE, 'sippar import web' and "
        "'sippar serve' make one)",
        directory,
        names.empty() ? "is empty" : "has no file STORE: a first start was interrupted"));
  }
  // The process that created the directory may have died before it synced the parent.
  RETURN_IF_ERROR(fs->SyncDir(ParentOf(directory)));
  return false;
}

Status WriteStoreFormat(FileSystem* fs, const std::string& directory) {
  return ReplaceFile(fs, directory + "/STORE", fmt::format("{}{}\n", kIdentityHead, kStoreFormat));
}

void KeepReserve(FileSystem* fs, const std::string& path, uint64_t bytes) {
  auto size = fs->FileSize(path);
  if (size.ok() && *size >= bytes) return;
  // A file that is too short, because the disk was full, is written again from the start.
  (void)fs->Remove(path);
  auto file = fs->Create(path);
  if (!file.ok()) return;
  Status status = (*file)->Append(std::string(bytes, '\0'));
  if (status.ok()) status = (*file)->Sync();
  Status closed = (*file)->Close();
  if (!status.ok() || !closed.ok()) (void)fs->Remove(path);
}

bool GiveUpReserve(FileSystem* fs, const std::string& path) { return fs->Remove(path).ok(); }

}  // namespace sippar::engine
