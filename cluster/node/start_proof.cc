// The proof of a start. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/start_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/api/store_paths.h"
#include "cluster/location/meta_row.h"
#include "cluster/location/tiling.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_backups.h"
#include "engine/changes/change_file.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_writer.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kPutBack = "put it back from where it was moved or from a copy";
// Tables of a store that this directory was have manifests with numbers from 1 on, until the first
// master has made them.
constexpr uint64_t kTableNumbersEnd = uint64_t{1} << 32;

std::string SalvageHint(const Status& log, const std::string& directory) {
  return fmt::format("{}; 'sippar admin log salvage {}' tells what is left of the log",
                     MessageOf(log), directory);
}

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
      // What these say, METADATA says as well, or nothing: their names are all.
      bool is_name =
          path == lock_paths::MasterLock() || path.starts_with(lock_paths::Servers() + "/");
      findings_->losses.push_back(
          fmt::format("{}; {}", MessageOf(entry.damage),
                      is_name ? "remove it: a start does without it" : kPutBack));
    });
  }

  // Nothing is renamed, sealed or read into tablets before every log is known to be whole.
  Status ProveLogs() {
    const std::string logs = store_paths::Logs(directory_);
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(logs));
    for (const std::string& name : names) {
      auto log = store_paths::ParseLog(name);
      if (!log) continue;
      lives_.erase(log->server);
      const std::string path = logs + "/" + name;
      ASSIGN_OR_RETURN(bool has_seal, fs_->Exists(path + "/SEAL"));
      // Of a sealed one nothing changes any more: those that METADATA names are looked at later.
      if (!has_seal) RETURN_IF_ERROR(Note(engine::ProveLog(fs_, path)));
      ASSIGN_OR_RETURN(std::vector<std::string> files, fs_->List(path));
      has_log_ |= std::any_of(files.begin(), files.end(), [](const std::string& file) {
        return engine::ParseSegmentFileName(file) != engine::SegmentId{};
      });
    }
    for (const ServerId& life : lives_) {
      Lose(store_paths::Log(directory_, life), "is missing, the log of a life that did not end",
           "put it back, or make it, an empty directory, to give up what was not flushed");
    }
    return OkStatus();
  }

  Status Note(const Status& log) {
    if (log.code() != StatusCode::kDataLoss) return log;
    findings_->losses.push_back(SalvageHint(log, directory_));
    return OkStatus();
  }

  // What a manifest names nobody else may name: it would be swept.
  Status ProveBackups() {
    ASSIGN_OR_RETURN(std::vector<std::string> lost, master::ListLostBackups(fs_, directory_));
    for (const std::string& path : lost) {
      Lose("backup " + path, "is missing",
           fmt::format("{}, or give the backup up: remove {}.made", kPutBack, path));
    }
    return OkStatus();
  }

  // Without it a start would make a new METADATA, in which there is nothing.
  Status ProveRoot() {
    if (has_root_) return ProveRootFiles();
    ASSIGN_OR_RETURN(bool has_files, HasFiles());
    if (!has_files && !has_tables_ && !has_log_) return OkStatus();  // nothing was ever written
    Lose(PathOf(lock_paths::RootLocation()), "is missing, the place of the root tablet", kPutBack);
    return OkStatus();
  }

  // SSTables that are not only those of a store whose tables the first master has yet to make.
  StatusOr<bool> HasFiles() {
    auto backups = fs_->List(store_paths::Backups(directory_));
    if (backups.ok()) {
      for (const std::string& name : *backups) {
        auto number = store_paths::ParseBackup(name);
        if (number && *number < kTableNumbersEnd) return false;
      }
    }
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(store_paths::Sstables(directory_)));
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return engine::ParseSstableName(name).has_value();
    });
  }

  // METADATA can only be read when these can.
  Status ProveRootFiles() {
    if (root_.content.empty()) return OkStatus();  // damaged: said above
    auto root = DecodeRootFile(root_.content, root_.version);
    if (!root.ok()) {
      Lose(PathOf(lock_paths::RootLocation()),
           fmt::format("does not decode ({})", MessageOf(root.status())), kPutBack);
      return OkStatus();
    }
    for (uint64_t id : root->state.FileIds()) {
      const std::string path = store_paths::Sstables(directory_) + "/" + engine::SstableName(id);
      auto whole = engine::IsSstable(fs_, path, id);
      if (whole.ok() && *whole) continue;
      if (!whole.ok() && whole.status().code() != StatusCode::kNotFound) return whole.status();
      Lose("sstable " + path,
           whole.ok() ? "has no whole footer; the root tablet is in it"
                      : "is missing; the root tablet is in it",
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
  std::set<ServerId> lives_;  // with a lock file
};

}  // namespace

Status Findings::Check(const std::string& directory) const {
  if (losses.empty()) return OkStatus();
  if (losses.size() == 1) return DataLoss(losses.front());
  return DataLoss(fmt::format("{}; and {} more: 'sippar admin doctor {}' names them",
                              losses.front(), losses.size() - 1, directory));
}

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

// Backups first: what is restored meanwhile goes from there to METADATA.
StatusOr<StorePicture> ReadPicture(engine::FileSystem* fs, const std::string& directory,
                                   MetadataTable* metadata) {
  StorePicture picture;
  auto add = [&](const engine::TabletState& tablet, uint64_t table_id) {
    for (const engine::GroupState& group : tablet.groups) {
      for (const engine::RunState& run : group.runs) {
        for (const engine::FileRef& file : run.files) {
          picture.files[file.summary.file_id] = {table_id, file.summary.size_bytes};
        }
      }
    }
  };
  picture.whole =
      master::ScanBackups(fs, directory, [&](uint64_t, const engine::BackupManifest& manifest) {
        for (const engine::TabletState& tablet : manifest.tablets) add(tablet, 0);
        return OkStatus();
      });
  std::map<uint64_t, std::vector<TabletRecord>> tables;
  RETURN_IF_ERROR(metadata->Scan(kMetadataTableId, UINT64_MAX - 1, [&](TabletRecord record) {
    add(record.state, record.table_id);
    picture.lives.insert(record.logs.begin(), record.logs.end());
    picture.lives.insert(record.server);
    picture.tables.insert(record.table_id);
    tables[record.table_id].push_back(std::move(record));
    return true;
  }));
  // What a split moves past the scan leaves a hole.
  for (const auto& [id, records] : tables) {
    if (!CheckTiling(records).empty() && picture.whole.ok()) {
      picture.whole = Aborted("tablets change just now");
    }
  }
  return picture;
}

namespace {

class PictureProof {
 public:
  PictureProof(engine::FileSystem* fs, const std::string& directory, const StorePicture& picture,
               Findings* findings)
      : fs_(fs), sst_(store_paths::Sstables(directory)), picture_(picture), findings_(findings) {}

  void ProveTables(const std::string& locks, const std::set<uint64_t>& tables) {
    for (uint64_t id : picture_.tables) {
      if (id == kMetadataTableId || tables.contains(id)) continue;
      findings_->losses.push_back(
          fmt::format("{} is missing, and METADATA has tablets of that table; {}",
                      LockDirectory::FileOf(locks, lock_paths::Table(id)), kPutBack));
    }
  }

  // They are in nobody's way: only who reads the stream misses them.
  Status LookAtChanges(const std::string& changes) {
    auto tables = fs_->List(changes);
    if (tables.status().code() == StatusCode::kNotFound) return OkStatus();
    RETURN_IF_ERROR(tables.status());
    for (const std::string& table : *tables) {
      const std::string directory = changes + "/" + table;
      ASSIGN_OR_RETURN(std::vector<engine::ChangeFileName> lost,
                       engine::ListLostChangeFiles(fs_, directory));
      for (const engine::ChangeFileName& file : lost) {
        findings_->oddities.emplace_back(MessageOf(engine::LostChangeFile(directory, file)));
      }
    }
    return OkStatus();
  }

  Status ProveLogs(const std::string& directory) {
    for (const ServerId& life : picture_.lives) {
      Status log = ProveSealed(store_paths::SealedLog(directory, life));
      if (log.code() != StatusCode::kDataLoss) RETURN_IF_ERROR(log);
      if (!log.ok()) findings_->losses.emplace_back(SalvageHint(log, directory));
    }
    return OkStatus();
  }

  Status ProveSstables(uint64_t epoch_end) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(sst_));
    std::set<uint64_t> found;
    for (const std::string& name : names) {
      if (auto id = engine::ParseSstableName(name)) found.insert(*id);
    }
    for (const auto& [id, file] : picture_.files) RETURN_IF_ERROR(ProveSstable(id, file, found));
    for (uint64_t id : found) {
      if (!picture_.files.contains(id)) LookAtUnnamed(id, epoch_end);
    }
    return OkStatus();
  }

 private:
  // What the SEAL names is all that anybody reads of it.
  Status ProveSealed(const std::string& path) {
    auto seal = engine::ReadSeal(fs_, path);
    if (seal.status().code() == StatusCode::kNotFound) return OkStatus();  // no such log
    RETURN_IF_ERROR(seal.status());
    for (const engine::SealedSegment& segment : seal->segments) {
      const std::string file = path + "/" + engine::SegmentFileName(segment.id);
      auto size = fs_->FileSize(file);
      if (size.status().code() != StatusCode::kNotFound) RETURN_IF_ERROR(size.status());
      if (size.ok() && *size >= segment.length) continue;
      return DataLoss(
          fmt::format("log segment {}: {} (SEAL says that {} bytes of it count); {}", file,
                      size.ok() ? fmt::format("it has {} bytes", *size) : "it is missing",
                      segment.length, kPutBack));
    }
    return OkStatus();
  }

  std::string PathOf(uint64_t id) const { return sst_ + "/" + engine::SstableName(id); }

  // An empty one is how somebody gives up what it held: it opens, and reads of it fail.
  Status ProveSstable(uint64_t id, const StorePicture::File& file,
                      const std::set<uint64_t>& found) {
    uint64_t size = 0;
    if (found.contains(id)) {
      ASSIGN_OR_RETURN(size, fs_->FileSize(PathOf(id)));
      if (size == file.size || size == 0) return OkStatus();
    }
    const std::string owner =
        file.table_id == 0 ? "a backup" : fmt::format("table {}", file.table_id);
    findings_->losses.push_back(fmt::format(
        "sstable {}: {} (it has data of {}); {}; or make it an empty file: then the store opens, "
        "and only what reads it fails",
        PathOf(id),
        found.contains(id) ? fmt::format("it has {} bytes, not {}", size, file.size)
                           : "it is missing",
        owner, kPutBack));
    return OkStatus();
  }

  // A life's leftover, or a file that no life of this store has made?
  void LookAtUnnamed(uint64_t id, uint64_t epoch_end) {
    auto looked = engine::IsSstable(fs_, PathOf(id), id);
    if (looked.status().code() == StatusCode::kNotFound) return;  // swept meanwhile
    const bool whole = looked.ok() && *looked;
    if (whole && id >> 32 > 0 && id >> 32 < epoch_end) return;
    findings_->oddities.push_back(fmt::format(
        "{}: named as an SSTable, but {}; nothing reads it, and it is never swept: remove it if "
        "it is of no use to you",
        PathOf(id), whole ? "of no life of this store" : "without a whole footer"));
  }

  engine::FileSystem* const fs_;
  const std::string sst_;
  const StorePicture& picture_;
  Findings* const findings_;
};

}  // namespace

Status ProvePicture(engine::FileSystem* fs, const std::string& directory,
                    const StorePicture& picture, EmbeddedLockService* locks, uint64_t epoch_end,
                    Findings* findings) {
  std::set<uint64_t> tables;
  const std::string prefix = lock_paths::Tables() + "/";
  locks->VisitFiles([&](const std::string& path, const LockState::Entry&) {
    if (!path.starts_with(prefix)) return;
    auto id = lock_paths::ParseTable(path.substr(prefix.size()));
    if (id.ok()) tables.insert(*id);
  });
  PictureProof proof(fs, directory, picture, findings);
  proof.ProveTables(store_paths::Locks(directory), tables);
  RETURN_IF_ERROR(proof.ProveLogs(directory));
  RETURN_IF_ERROR(proof.LookAtChanges(store_paths::Changes(directory)));
  return proof.ProveSstables(epoch_end);
}

}  // namespace sippar::cluster
