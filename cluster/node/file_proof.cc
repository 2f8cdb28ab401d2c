// Checks the files of a store without reading METADATA, because METADATA itself may be lost.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/file_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/api/store_paths.h"
#include "cluster/location/meta_row.h"
#include "cluster/lock/lock_directory.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_backups.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_writer.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster {
namespace {

class FileProof {
 public:
  FileProof(engine::FileSystem* fs, const std::string& directory, EmbeddedLockService* locks,
            Findings* findings)
      : fs_(fs), directory_(directory), locks_(locks), findings_(findings) {}

  Status Run() {
    ReadLockFiles();
    RETURN_IF_ERROR(ProveLogs());
    RETURN_IF_ERROR(ProveRoot());
    RETURN_IF_ERROR(ProveBackups());
    if (!has_cluster_) Lose(PathOf(lock_paths::ClusterId()), "is missing", kPutBack);
    return OkStatus();
  }

 private:
  std::string PathOf(const std::string& path) const {
    return LockDirectory::FileOf(store_paths::Locks(directory_), path);
  }
  void Lose(const std::string& file, std::string_view problem, std::string_view remedy) {
    findings_->losses.push_back(fmt::format("{} {}; {}", file, problem, remedy));
  }

  void ReadLockFiles() {
    locks_->VisitFiles([this](const std::string& path, const LockState::Entry& entry) {
      has_cluster_ |= path == lock_paths::ClusterId();
      has_tables_ |= path.starts_with(lock_paths::Tables() + "/");
      if (path == lock_paths::RootLocation()) {
        has_root_ = true;
        root_ = entry.file;
      }
      if (path.starts_with(lock_paths::Servers() + "/")) {
        auto life = ServerId::Parse(path.substr(lock_paths::Servers().size() + 1));
        if (life.ok()) lives_.insert(*std::move(life));
      }
      if (entry.damage.ok()) return;
      // The master's lock file and the servers' files hold nothing that METADATA lacks, so a start
      // does not need them.
      bool is_name =
          path == lock_paths::MasterLock() || path.starts_with(lock_paths::Servers() + "/");
      findings_->losses.push_back(
          fmt::format("{}; {}", MessageOf(entry.damage),
                      is_name ? "remove it; a start does not need it" : kPutBack));
    });
  }

  // Called before anything is renamed, sealed or replayed, because all logs must be known to be
  // whole by then.
  Status ProveLogs() {
    const std::string logs = store_paths::Logs(directory_);
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(logs));
    for (const std::string& name : names) {
      auto log = store_paths::ParseLog(name);
      if (!log) continue;
      lives_.erase(log->server);
      const std::string path = logs + "/" + name;
      ASSIGN_OR_RETURN(bool has_seal, fs_->Exists(path + "/SEAL"));
      // A sealed log does not change. The sealed logs that METADATA names are checked later
      // (picture_proof.h).
      if (!has_seal) RETURN_IF_ERROR(Note(engine::ProveLog(fs_, path)));
      ASSIGN_OR_RETURN(std::vector<std::string> files, fs_->List(path));
      has_log_ |= std::any_of(files.begin(), files.end(), [](const std::string& file) {
        return engine::ParseSegmentFileName(file) != engine::SegmentId{};
      });
    }
    for (const ServerId& life : lives_) {
      Lose(store_paths::Log(directory_, life),
           "is missing; it is the log of a server that did not shut down",
           "put it back, or create it as an empty directory to give up the writes that were not "
           "flushed");
    }
    return OkStatus();
  }

  Status Note(const Status& log) {
    if (log.code() != StatusCode::kDataLoss) return log;
    findings_->losses.push_back(SalvageHint(log, directory_));
    return OkStatus();
  }

  // Without this check, the sweep would remove the files that only a lost manifest names.
  Status ProveBackups() {
    ASSIGN_OR_RETURN(std::vector<std::string> lost, master::ListLostBackups(fs_, directory_));
    for (const std::string& path : lost) {
      Lose("backup " + path, "is missing",
           fmt::format("{}, or remove {}.made to give the backup up", kPutBack, path));
    }
    return OkStatus();
  }

  // Without the root tablet's record, a start would make a new and empty METADATA.
  Status ProveRoot() {
    if (has_root_) return ProveRootFiles();
    ASSIGN_OR_RETURN(bool has_files, HasFiles());
    if (!has_files && !has_tables_ && !has_log_) return OkStatus();  // nothing was ever written
    Lose(PathOf(lock_paths::RootLocation()), "is missing; it says where the root tablet is",
         kPutBack);
    return OkStatus();
  }

  StatusOr<bool> HasFiles() {
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(store_paths::Sstables(directory_)));
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return engine::ParseSstableName(name).has_value();
    });
  }

  // METADATA can be read only if the root tablet's files can be read.
  Status ProveRootFiles() {
    if (root_.content.empty()) return OkStatus();  // damaged: ReadLockFiles reported this
    auto root = DecodeRootFile(root_.content, root_.version);
    if (!root.ok()) {
      Lose(PathOf(lock_paths::RootLocation()),
           fmt::format("cannot be decoded ({})", MessageOf(root.status())), kPutBack);
      return OkStatus();
    }
    for (uint64_t id : root->state.FileIds()) {
      const std::string path = store_paths::Sstables(directory_) + "/" + engine::SstableName(id);
      auto whole = engine::IsSstable(fs_, path, id);
      if (whole.ok() && *whole) continue;
      if (!whole.ok() && whole.status().code() != StatusCode::kNotFound) return whole.status();
      Lose("sstable " + path,
           whole.ok() ? "has no whole footer; it belongs to the root tablet"
                      : "is missing; it belongs to the root tablet",
           kPutBack);
    }
    return OkStatus();
  }

  engine::FileSystem* const fs_;
  const std::string& directory_;
  EmbeddedLockService* const locks_;
  Findings* const findings_;
  bool has_cluster_ = false;
  bool has_tables_ = false;
  bool has_root_ = false;
  bool has_log_ = false;
  LockFile root_;
  std::set<ServerId> lives_;  // ids of servers with a lock file whose log was not found yet
};

}  // namespace

Status CheckDirectories(engine::FileSystem* fs, const std::string& directory) {
  for (const std::string& path :
       {store_paths::Logs(directory), store_paths::Sstables(directory),
        store_paths::Locks(directory), store_paths::ClusterId(directory)}) {
    ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
    if (exists) continue;
    return DataLoss(fmt::format("{} is missing; the store had it: {}", path, kPutBack));
  }
  return OkStatus();
}

Status ProveFiles(engine::FileSystem* fs, const std::string& directory, EmbeddedLockService* locks,
                  Findings* findings) {
  return FileProof(fs, directory, locks, findings).Run();
}

}  // namespace sippar::cluster
