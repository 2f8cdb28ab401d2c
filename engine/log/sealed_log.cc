// Reading sealed logs. SPDX-License-Identifier: Apache-2.0
#include "engine/log/sealed_log.h"

#include "engine/base/parallel.h"
#include "engine/log/log_sort.h"

namespace sippar::engine {
namespace {
constexpr size_t kThreadsMax = 4;  // each may hold a segment
}  // namespace

SealedLog::SealedLog(FileSystem* fs, std::string directory, LogSeal seal)
    : fs_(fs), directory_(std::move(directory)), seal_(std::move(seal)) {
  for (const SealedSegment& sealed : seal_.segments) {
    segments_.push_back(std::make_unique<Segment>());
    segments_.back()->sealed = &sealed;
  }
}

StatusOr<std::unique_ptr<SealedLog>> SealedLog::Open(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(LogSeal seal, ReadSeal(fs, directory));
  return std::unique_ptr<SealedLog>(new SealedLog(fs, directory, std::move(seal)));
}

// An error is not remembered: the next call tries again.
StatusOr<const LogPart*> SealedLog::PartOf(Segment* segment) {
  MutexLock lock(&segment->mutex);
  if (segment->part == nullptr) {
    auto part = OpenSortedPart(fs_, directory_, *segment->sealed);
    if (part.status().code() == StatusCode::kNotFound) {
      part = OpenUnsortedPart(fs_, directory_, *segment->sealed);
    }
    RETURN_IF_ERROR(part.status());
    segment->part = std::make_unique<const LogPart>(std::move(*part));
  }
  return segment->part.get();
}

Status SealedLog::ReplaySegment(Segment* segment, uint64_t tablet_id, uint64_t redo_sequence,
                                const std::function<Status(const LogRecord& record)>& replay) {
  ASSIGN_OR_RETURN(const LogPart* part, PartOf(segment));
  auto slice = part->slices.find(tablet_id);
  if (slice == part->slices.end()) {
    return DataLoss(part->path + ": the SEAL says that it has records of tablet " +
                    std::to_string(tablet_id) + ", its index has none");
  }
  return ReadSlice(*part, slice->second, [&](std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    if (head.first_sequence + head.entry_count - 1 <= redo_sequence) return OkStatus();
    ASSIGN_OR_RETURN(LogRecord record, DecodeLogBody(body));
    return replay(record);
  });
}

Status SealedLog::Replay(uint64_t tablet_id, uint64_t redo_sequence,
                         const std::function<Status(const LogRecord& record)>& replay) {
  std::vector<Segment*> needed;
  for (const auto& segment : segments_) {
    auto last = segment->sealed->last_sequences.find(tablet_id);
    if (last != segment->sealed->last_sequences.end() && last->second > redo_sequence) {
      needed.push_back(segment.get());
    }
  }
  // Found in parallel, read in order. Errors show below.
  RunParallel(kThreadsMax, needed.size(), [&](size_t i) { (void)PartOf(needed[i]); });
  for (Segment* segment : needed) {
    RETURN_IF_ERROR(ReplaySegment(segment, tablet_id, redo_sequence, replay));
  }
  return OkStatus();
}

}  // namespace sippar::engine
