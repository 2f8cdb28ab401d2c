// Checks that each file that a record names exists and has the right length. The content of a file
// is checked when it is read.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/picture_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/api/tablet_record.h"
#include "cluster/location/tiling.h"
#include "cluster/lock/lock_directory.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_backups.h"
#include "cluster/node/unnamed_logs.h"
#include "engine/base/printable.h"
#include "engine/changes/change_file.h"
#include "engine/log/log_seal.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster {
namespace {

struct Found {
  std::map<std::string, std::string> losses;  // losses by path
  std::vector<std::string> oddities;
};

class PictureProof {
 public:
  PictureProof(engine::FileSystem* fs, const std::string& directory, const StorePicture& picture,
               Found* found)
      : fs_(fs), sst_(store_paths::Sstables(directory)), picture_(picture), found_(found) {}

  void ProveTables(const std::string& locks, const std::set<uint64_t>& tables) {
    for (uint64_t id : picture_.tables) {
      if (id == kMetadataTableId || tables.contains(id)) continue;
      const std::string path = LockDirectory::FileOf(locks, lock_paths::Table(id));
      found_->losses[path] =
          fmt::format("{} is missing, and METADATA has tablets of that table; {}", path, kPutBack);
    }
  }

  // Lost change-stream files do not stop a start: only the readers of the stream need them.
  Status LookAtChanges(const std::string& changes) {
    auto tables = fs_->List(changes);
    if (tables.status().code() == StatusCode::kNotFound) return OkStatus();
    RETURN_IF_ERROR(tables.status());
    for (const std::string& table : *tables) {
      const std::string directory = changes + "/" + table;
      ASSIGN_OR_RETURN(std::vector<engine::ChangeFileName> lost,
                       engine::ListLostChangeFiles(fs_, directory));
      for (const engine::ChangeFileName& file : lost) {
        found_->oddities.emplace_back(MessageOf(engine::LostChangeFile(directory, file)));
      }
    }
    return OkStatus();
  }

  Status ProveLogs(const std::string& directory) {
    for (const ServerId& life : picture_.lives) {
      const std::string path = store_paths::SealedLog(directory, life);
      Status log = ProveSealed(path);
      if (log.code() == StatusCode::kNotFound) {
        ProveUnsealed(directory, life, path);
        continue;
      }
      if (log.code() != StatusCode::kDataLoss) RETURN_IF_ERROR(log);
      if (!log.ok()) found_->losses[path] = SalvageHint(log, directory);
    }
    return OkStatus();
  }

  // Reports each log that a tablet needs but its record does not name: the tablet's next server
  // would not replay the log, and the sweep would remove it.
  void ProveLogNames(const std::string& directory) {
    for (const auto& [life, tablet_id] : picture_.unnamed_logs) {
      const std::string path = store_paths::SealedLog(directory, life);
      found_->losses[path] = SalvageHint(
          DataLoss(fmt::format("log {}: METADATA does not name it (it has later writes of tablet "
                               "{} than that tablet's SSTables)",
                               path, tablet_id)),
          directory);
    }
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
  // Reports a log without a SEAL if a record names it: a recovery seals a log before it names the
  // log in a record (PROTOCOL.md, F3 and F4), and no sweep removes a named log. The log of the life
  // that a record names as its server needs no SEAL: the life is running, or its recovery has not
  // come that far.
  void ProveUnsealed(const std::string& directory, const ServerId& life, const std::string& path) {
    auto named = picture_.logs.find(life);
    if (named == picture_.logs.end()) return;
    found_->losses[path] = fmt::format(
        "log {}: it is missing, or its file SEAL is (it has writes of tablet {} that are in no "
        "SSTable); {}, or run 'sippar admin log salvage {} --drop', which seals a log again; for a "
        "directory that is missing make an empty one first, which gives these writes up",
        path, named->second, kPutBack, directory);
  }

  // Reads and checks only what SEAL names, because readers of a sealed log read at most that. The
  // bytes are read, not only counted: if they were damaged, the server would not load the tablets
  // that need them, and their clients would not learn why. A sealed log stays until its tablets
  // have flushed, so most starts find none. kNotFound: the log has no SEAL, or does not exist.
  Status ProveSealed(const std::string& path) {
    ASSIGN_OR_RETURN(const engine::LogSeal seal, engine::ReadSeal(fs_, path));
    for (const engine::SealedSegment& segment : seal.segments) {
      RETURN_IF_ERROR(engine::ReadSealedSegment(fs_, path, segment).status());
    }
    return OkStatus();
  }

  std::string PathOf(uint64_t id) const { return sst_ + "/" + engine::SstableName(id); }

  // Accepts an empty file: an operator who gives up the data of a lost file puts an empty file in
  // its place. The store then opens, and reads of the lost data fail.
  Status ProveSstable(uint64_t id, const StorePicture::File& file,
                      const std::set<uint64_t>& found) {
    uint64_t size = 0;
    if (found.contains(id)) {
      ASSIGN_OR_RETURN(size, fs_->FileSize(PathOf(id)));
      if (size == file.size || size == 0) return OkStatus();
    }
    const std::string owner =
        file.table_id == 0 ? "a backup" : fmt::format("table {}", file.table_id);
    found_->losses[PathOf(id)] = fmt::format(
        "sstable {}: {} (it has data of {}); {}, or create it as an empty file: then "
        "the store opens, and only reads of this data fail",
        PathOf(id),
        found.contains(id) ? fmt::format("it has {} bytes, not {}", size, file.size)
                           : "it is missing",
        owner, kPutBack);
    return OkStatus();
  }

  // Distinguishes a leftover of an ended life from a file that no life of this store wrote.
  void LookAtUnnamed(uint64_t id, uint64_t epoch_end) {
    auto looked = engine::IsSstable(fs_, PathOf(id), id);
    if (looked.status().code() == StatusCode::kNotFound) return;  // swept since the listing
    const bool whole = looked.ok() && *looked;
    if (whole && id >> 32 > 0 && id >> 32 < epoch_end) return;
    found_->oddities.push_back(
        fmt::format("{}: named as an SSTable, but {}; the store neither reads nor removes it; "
                    "remove it if you do not need it",
                    PathOf(id), whole ? "this store did not write it" : "it has no whole footer"));
  }

  engine::FileSystem* const fs_;
  const std::string sst_;
  const StorePicture& picture_;
  Found* const found_;
};

// Reads the last sequence numbers of every sealed log, whether a record names the log or not. A log
// whose SEAL cannot be read is left out: if a record names it, ProveLogs reports it.
StatusOr<LastSequences> ReadLastSequences(engine::FileSystem* fs, const std::string& directory) {
  const std::string logs = store_paths::Logs(directory);
  auto names = fs->List(logs);
  if (names.status().code() == StatusCode::kNotFound) return LastSequences();
  RETURN_IF_ERROR(names.status());
  LastSequences lives;
  for (const std::string& name : *names) {
    auto log = store_paths::ParseLog(name);
    if (!log || !log->sealed) continue;
    auto seal = engine::ReadSeal(fs, logs + "/" + name);
    if (seal.ok()) lives[log->server] = seal->LastSequences();
    const bool is_unknown = seal.status().code() == StatusCode::kNotFound ||
                            seal.status().code() == StatusCode::kDataLoss;
    if (!seal.ok() && !is_unknown) return seal.status();
  }
  return lives;
}

// Reads backups and logs before METADATA, so that no file name is missed: during the reads, a
// restore may copy the names of a backup's files to METADATA, and a flush may move the writes of a
// log into an SSTable, which METADATA then names.
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
  ASSIGN_OR_RETURN(const LastSequences ended, ReadLastSequences(fs, directory));
  std::map<uint64_t, std::vector<TabletRecord>> tables;
  RETURN_IF_ERROR(metadata->Scan(kMetadataTableId, UINT64_MAX - 1, [&](TabletRecord record) {
    add(record.state, record.table_id);
    for (ServerId& life : UnnamedLogs(record, ended)) {
      picture.unnamed_logs.emplace(std::move(life), record.tablet_id);
    }
    picture.lives.insert(record.logs.begin(), record.logs.end());
    for (const ServerId& life : record.logs) picture.logs.emplace(life, record.tablet_id);
    picture.lives.insert(record.server);
    picture.tables.insert(record.table_id);
    tables[record.table_id].push_back(std::move(record));
    return true;
  }));
  // Tablets that merged during the scan can overlap in what it read. A hole is a lost record: the
  // scan has read it again.
  for (const auto& [id, records] : tables) {
    const std::vector<TilingFault> faults = CheckTiling(records);
    if (faults.empty() || !picture.whole.ok()) continue;
    picture.whole = Aborted(fmt::format(
        "table with id {}: METADATA does not have exactly one tablet for the rows from '{}'; "
        "tablets may be splitting or merging at present: try again",
        id, engine::PrintableBytes(faults.front().rows.start)));
  }
  return picture;
}

Status CheckPicture(engine::FileSystem* fs, const std::string& directory,
                    const StorePicture& picture, EmbeddedLockService* locks, uint64_t epoch_end,
                    Found* found) {
  std::set<uint64_t> tables;
  const std::string prefix = lock_paths::Tables() + "/";
  locks->VisitFiles([&](const std::string& path, const LockState::Entry&) {
    if (!path.starts_with(prefix)) return;
    auto id = lock_paths::ParseTable(path.substr(prefix.size()));
    if (id.ok()) tables.insert(*id);
  });
  PictureProof proof(fs, directory, picture, found);
  proof.ProveTables(store_paths::Locks(directory), tables);
  RETURN_IF_ERROR(proof.ProveLogs(directory));
  proof.ProveLogNames(directory);
  RETURN_IF_ERROR(proof.LookAtChanges(store_paths::Changes(directory)));
  return proof.ProveSstables(epoch_end);
}

}  // namespace

// The master and the servers work meanwhile: they finish a drop of a table that a crash
// interrupted, and compact. They remove a name from METADATA before they remove the file. So a
// missing file is lost only if METADATA, read after the file was found missing, still names it.
StatusOr<StorePicture> ProvePicture(engine::FileSystem* fs, const std::string& directory,
                                    MetadataTable* metadata, EmbeddedLockService* locks,
                                    uint64_t epoch_end, Findings* findings) {
  ASSIGN_OR_RETURN(StorePicture picture, ReadPicture(fs, directory, metadata));
  Found first;
  RETURN_IF_ERROR(CheckPicture(fs, directory, picture, locks, epoch_end, &first));
  Found last;
  if (first.losses.empty()) {
    last = std::move(first);
  } else {
    ASSIGN_OR_RETURN(picture, ReadPicture(fs, directory, metadata));
    RETURN_IF_ERROR(CheckPicture(fs, directory, picture, locks, epoch_end, &last));
    // Compares the paths of the losses and not their texts: a text also names the table or backup
    // that has the file, and another one may have the file by now.
    std::erase_if(last.losses,
                  [&](const auto& loss) { return !first.losses.contains(loss.first); });
  }
  for (auto& [path, loss] : last.losses) findings->losses.push_back(std::move(loss));
  std::move(last.oddities.begin(), last.oddities.end(), std::back_inserter(findings->oddities));
  return picture;
}

}  // namespace sippar::cluster
