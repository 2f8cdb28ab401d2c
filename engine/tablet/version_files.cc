// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/version_files.h"

#include <algorithm>
#include <iterator>

#include "engine/model/cell_key.h"
#include "engine/tablet/reshape.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kPieces = 256;  // number of pieces, at one of whose borders the tablet is split

// Of a file that the tablet shares, only a part belongs to the tablet's rows. Multiplies the counts
// of the whole file by that part of its bytes: an estimate, needed until the tablet's first major
// compaction rewrites the file.
void AddFile(const FileRef& file, GroupStats* stats) {
  const FileSummary& whole = file.summary;
  double share = file.IsWhole() ? 1.0
                                : static_cast<double>(file.part_bytes) /
                                      static_cast<double>(std::max<uint64_t>(1, whole.size_bytes));
  auto part = [&](uint64_t count) {
    return file.IsWhole() ? count : static_cast<uint64_t>(static_cast<double>(count) * share);
  };
  ++stats->sstables;
  stats->stored_bytes += file.part_bytes;
  stats->raw_bytes += part(whole.raw_bytes);
  stats->entries += part(whole.entries);
  stats->rows += part(whole.rows);
  for (const auto& [name, bytes] : whole.families) {
    FamilyBytes& family = stats->families[name];
    family.cells += part(bytes.cells);
    family.raw_bytes += part(bytes.raw_bytes);
  }
}

}  // namespace

std::vector<GroupStats> StatsOf(const TabletVersion& version) {
  std::vector<GroupStats> all;
  for (const GroupVersion& group : version.groups) {
    GroupStats& stats = all.emplace_back();
    stats.group = group.name;
    stats.memtable_bytes = group.active->raw_bytes();
    stats.entries = group.active->entries();
    for (const auto& memtable : group.frozen) {
      stats.memtable_bytes += memtable->raw_bytes();
      stats.entries += memtable->entries();
    }
    stats.raw_bytes = stats.memtable_bytes;
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) AddFile(file->ref(), &stats);
    }
  }
  return all;
}

uint64_t StoredBytesOf(const TabletVersion& version) {
  uint64_t bytes = 0;
  for (const GroupVersion& group : version.groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) bytes += file->ref().part_bytes;
    }
  }
  return bytes;
}

StatusOr<std::optional<std::string>> MiddleRowOf(const TabletVersion& version) {
  std::vector<std::shared_ptr<const TabletFile>> files;
  uint64_t raw_bytes = 0;
  for (const GroupVersion& group : version.groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) {
        files.push_back(file);
        raw_bytes += file->summary().raw_bytes;
      }
    }
  }
  std::vector<std::string> keys;
  std::string first_key;
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(std::vector<std::string> of_file, file->SplitKeys(raw_bytes / kPieces));
    std::move(of_file.begin(), of_file.end(), std::back_inserter(keys));
    if (first_key.empty() || file->first_key() < first_key) first_key = file->first_key();
  }
  return ChooseMiddleRow(std::move(keys), first_key);
}

uint64_t StoredBytesIn(FileRegistry* files, const FileRef& file, const RowRange& rows) {
  std::shared_ptr<SharedSstable> shared = files->Find(file.summary.file_id);
  auto reader = shared->Reader();
  // The size is only an estimate; a read that needs the file will report the error.
  if (!reader.ok()) return file.part_bytes / 2;
  return (*reader)->StoredBytesBetween(SeekKeyForRow(rows.start), SeekKeyForRow(rows.limit));
}

Status VerifyFilesOf(const TabletVersion& version) {
  for (const GroupVersion& group : version.groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) {
        ASSIGN_OR_RETURN(const SstableReader* reader, file->Reader());
        RETURN_IF_ERROR(reader->VerifyAll());
      }
    }
  }
  return OkStatus();
}

}  // namespace sippar::engine
