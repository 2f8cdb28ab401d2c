// Proves names: each file that a record names exists and has the right length. What is in a file is
// checked when it is read. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/picture_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/api/tablet_record.h"
#include "cluster/location/tiling.h"
#include "cluster/lock/lock_directory.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/master/act/cluster_backups.h"
#include "engine/changes/change_file.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_writer.h"
#include "engine/sstable/is_sstable.h"
#include "engine/tablet/file_registry.h"

namespace sippar::cluster {
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

  // Lost change-stream files do not stop a start: only the readers of the stream miss them.
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
  // Readers of a sealed log read only what its SEAL names, so only that is checked.
  Status ProveSealed(const std::string& path) {
    auto seal = engine::ReadSeal(fs_, path);
    if (seal.status().code() == StatusCode::kNotFound) return OkStatus();  // there is no such log
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

  // An empty file is accepted: an operator makes one to give up a lost file's data. The store then
  // opens, and reads of that data fail.
  Status ProveSstable(uint64_t id, const StorePicture::File& file,
                      const std::set<uint64_t>& found) {
    uint64_t size = 0;
    if (found.contains(id)) {
      ASSIGN_OR_RETURN(size, fs_->FileSize(PathOf(id)));
      if (size == file.size || size == 0) return OkStatus();
    }
    const std::string owner =
        file.table_id == 0 ? "a backup" : fmt::format("table {}", file.table_id);
    findings_->losses.push_back(
        fmt::format("sstable {}: {} (it has data of {}); {}, or create it as an empty file: then "
                    "the store opens, and only reads of this data fail",
                    PathOf(id),
                    found.contains(id) ? fmt::format("it has {} bytes, not {}", size, file.size)
                                       : "it is missing",
                    owner, kPutBack));
    return OkStatus();
  }

  // Distinguishes a leftover of an ended life from a file that no life of this store made.
  void LookAtUnnamed(uint64_t id, uint64_t epoch_end) {
    auto looked = engine::IsSstable(fs_, PathOf(id), id);
    if (looked.status().code() == StatusCode::kNotFound) return;  // swept since the listing
    const bool whole = looked.ok() && *looked;
    if (whole && id >> 32 > 0 && id >> 32 < epoch_end) return;
    findings_->oddities.push_back(
        fmt::format("{}: named as an SSTable, but {}; the store neither reads nor removes it; "
                    "remove it if you do not need it",
                    PathOf(id), whole ? "this store did not write it" : "it has no whole footer"));
  }

  engine::FileSystem* const fs_;
  const std::string sst_;
  const StorePicture& picture_;
  Findings* const findings_;
};

// Reads the backups first: what a concurrent restore copies goes from them to METADATA, and is seen
// in one of the two.
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
  // A split during the scan can move a tablet to a place that the scan has passed; that leaves a
  // hole in the records.
  for (const auto& [id, records] : tables) {
    if (!CheckTiling(records).empty() && picture.whole.ok()) {
      picture.whole = Aborted("tablets are splitting or merging at present");
    }
  }
  return picture;
}

Status CheckPicture(engine::FileSystem* fs, const std::string& directory,
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

}  // namespace

// The master and the servers work meanwhile: they end a drop that a crash cut short, and compact.
// They take a name out of METADATA before they remove the file. So a file that was missing is lost
// only if METADATA, read after it was missed, still names it.
StatusOr<StorePicture> ProvePicture(engine::FileSystem* fs, const std::string& directory,
                                    MetadataTable* metadata, EmbeddedLockService* locks,
                                    uint64_t epoch_end, Findings* findings) {
  ASSIGN_OR_RETURN(StorePicture picture, ReadPicture(fs, directory, metadata));
  Findings first;
  RETURN_IF_ERROR(CheckPicture(fs, directory, picture, locks, epoch_end, &first));
  Findings last;
  if (first.losses.empty()) {
    last = std::move(first);
  } else {
    ASSIGN_OR_RETURN(picture, ReadPicture(fs, directory, metadata));
    RETURN_IF_ERROR(CheckPicture(fs, directory, picture, locks, epoch_end, &last));
    std::erase_if(last.losses, [&](const std::string& loss) {
      return std::find(first.losses.begin(), first.losses.end(), loss) == first.losses.end();
    });
  }
  auto add = [](std::vector<std::string> lines, std::vector<std::string>* to) {
    to->insert(to->end(), lines.begin(), lines.end());
  };
  add(std::move(last.losses), &findings->losses);
  add(std::move(last.oddities), &findings->oddities);
  return picture;
}

}  // namespace sippar::cluster
