// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/change_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sippar::engine {
namespace {

bool MayHave(const CountedChangeFile& file, const ChangePosition& position) {
  ChangePoint last{file.last_sequence, file.name.tablet_id};
  return last > position.Least() && file.name.newest_us >= position.LeastStart();
}

// Only files that are older than the retention are removed, so a file that was listed and is
// missing now has expired.
Status GoneIsTooOld(const Status& status) {
  if (status.code() != StatusCode::kNotFound) return status;
  return TooOld(
      "change stream: changes after the start time or token of this read are older than the "
      "table's "
      "retention and were removed; start at a later time");
}

}  // namespace

std::vector<CountedChangeFile> FilesThatCount(const std::vector<ChangeFileName>& files) {
  std::vector<CountedChangeFile> counted;
  uint64_t limit = UINT64_MAX;
  // Goes from the newest file to the oldest. In each file, only the sequence numbers below the
  // first numbers of all newer files count.
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    uint64_t last = std::min(file->last_sequence, limit - 1);
    if (last >= file->first_sequence) counted.push_back({*file, last});
    limit = std::min(limit, file->first_sequence);
  }
  std::reverse(counted.begin(), counted.end());
  return counted;
}

StatusOr<std::unique_ptr<ChangeArchive>> ChangeArchive::Open(FileSystem* fs,
                                                             const std::string& directory,
                                                             const ChangePosition& position) {
  ASSIGN_OR_RETURN(std::vector<ChangeFileName> lost, ListLostChangeFiles(fs, directory));
  for (const ChangeFileName& file : lost) {
    // Only the lost file itself said which rows it covers, so it may concern any position.
    if (MayHave({file, file.last_sequence}, position)) return LostChangeFile(directory, file);
  }
  ASSIGN_OR_RETURN(std::vector<ChangeFileName> files, ListChangeFiles(fs, directory));
  std::map<uint64_t, std::vector<ChangeFileName>> tablets;
  for (const ChangeFileName& file : files) tablets[file.tablet_id].push_back(file);
  std::unique_ptr<ChangeArchive> archive(new ChangeArchive(fs, directory));
  for (const auto& [tablet_id, of_tablet] : tablets) {
    Lane lane;
    lane.files = FilesThatCount(of_tablet);
    // The names alone decide, so files that hold nothing wanted are not opened.
    std::erase_if(lane.files, [&](const auto& file) { return !MayHave(file, position); });
    if (lane.files.empty()) continue;
    RETURN_IF_ERROR(archive->OpenNext(&lane));
    if (Intersect(lane.reader->rows(), position.rows()).IsEmpty()) continue;
    ASSIGN_OR_RETURN(bool found, archive->Advance(&lane));
    if (found) archive->lanes_.push_back(std::move(lane));
  }
  return archive;
}

Status ChangeArchive::OpenNext(Lane* lane) {
  auto opened = ChangeFileReader::Open(fs_, directory_, lane->files[lane->next++].name);
  RETURN_IF_ERROR(GoneIsTooOld(opened.status()));
  lane->reader = std::move(*opened);
  return OkStatus();
}

StatusOr<bool> ChangeArchive::Advance(Lane* lane) {
  for (;;) {
    ASSIGN_OR_RETURN(lane->body, lane->reader->Next());
    if (!lane->body.empty()) {
      auto head = DecodeLogHead(lane->body);
      if (!head.ok()) {
        return Annotate(head.status(), fmt::format("change archive {}/{}", directory_,
                                                   lane->files[lane->next - 1].name.Print()));
      }
      lane->head = *std::move(head);
      lane->point = {lane->head.last_sequence(), lane->head.tablet_id};
      // Later records of this file do not count: a newer file covers their sequence numbers.
      if (lane->point.sequence <= lane->files[lane->next - 1].last_sequence) return true;
    }
    if (lane->next == lane->files.size()) return false;
    RETURN_IF_ERROR(OpenNext(lane));
  }
}

StatusOr<std::optional<LogRecord>> ChangeArchive::Next(const ChangePosition& position) {
  while (!lanes_.empty()) {
    // A linear search: there are as many lanes as tablets that had the rows, mostly one or two.
    auto first = std::min_element(lanes_.begin(), lanes_.end(),
                                  [](const auto& a, const auto& b) { return a.point < b.point; });
    std::optional<LogRecord> record;
    if (position.Wants(first->head.row, first->head.wall_us, first->point)) {
      auto decoded = DecodeLogBody(first->body);
      if (!decoded.ok()) {
        return Annotate(decoded.status(), fmt::format("change archive {}/{}", directory_,
                                                      first->files[first->next - 1].name.Print()));
      }
      record = *std::move(decoded);
    }
    ASSIGN_OR_RETURN(bool more, Advance(&*first));
    if (!more) lanes_.erase(first);
    if (record.has_value()) return record;
  }
  return std::nullopt;
}

}  // namespace sippar::engine
