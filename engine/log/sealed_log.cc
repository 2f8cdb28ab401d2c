// SPDX-License-Identifier: Apache-2.0
#include "engine/log/sealed_log.h"

#include "engine/base/parallel.h"
#include "engine/log/log_sort.h"

namespace sippar::engine {
namespace {
constexpr size_t kThreadsMax = 4;  // each thread may hold a segment in memory
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

// Remembers an opened part, but not an error: after an error the next call tries again.
StatusOr<std::shared_ptr<const LogPart>> SealedLog::PartOf(Segment* segment) {
  {
    MutexLock lock(&segment->mutex);
    if (segment->part != nullptr) return segment->part;
    auto part = OpenSortedPart(fs_, directory_, *segment->sealed);
    if (part.ok()) return segment->part = std::make_shared<const LogPart>(std::move(*part));
    if (part.status().code() != StatusCode::kNotFound &&
        part.status().code() != StatusCode::kDataLoss) {
      return part.status();
    }
  }
  return UseUnsorted(segment);
}

StatusOr<std::shared_ptr<const LogPart>> SealedLog::UseUnsorted(Segment* segment) {
  MutexLock lock(&segment->mutex);
  if (segment->part == nullptr || segment->part->sorted) {
    ASSIGN_OR_RETURN(LogPart part, OpenUnsortedPart(fs_, directory_, *segment->sealed));
    segment->part = std::make_shared<const LogPart>(std::move(part));
  }
  return segment->part;
}

namespace {

Status ReplayPart(const LogPart& part, uint64_t tablet_id, uint64_t* given,
                  const std::function<Status(const LogRecord& record)>& replay) {
  auto slice = part.slices.find(tablet_id);
  if (slice == part.slices.end()) {
    return DataLoss("log " + part.path + ": the SEAL says that it has records of tablet " +
                    std::to_string(tablet_id) + ", but it has none; put it back from a copy");
  }
  return ReadSlice(part, slice->second, [&](std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    uint64_t last = head.first_sequence + head.entry_count - 1;
    if (last <= *given) return OkStatus();
    ASSIGN_OR_RETURN(LogRecord record, DecodeLogBody(body));
    RETURN_IF_ERROR(replay(record));
    *given = last;
    return OkStatus();
  });
}

}  // namespace

Status SealedLog::ReplaySegment(Segment* segment, uint64_t tablet_id, uint64_t* given,
                                const std::function<Status(const LogRecord& record)>& replay) {
  ASSIGN_OR_RETURN(std::shared_ptr<const LogPart> part, PartOf(segment));
  Status status = ReplayPart(*part, tablet_id, given, replay);
  // A damaged sorted file loses nothing: the segment it was made from still exists. ReplayPart
  // skips the records up to `*given`, which were already replayed.
  if (status.code() != StatusCode::kDataLoss || !part->sorted) return status;
  ASSIGN_OR_RETURN(part, UseUnsorted(segment));
  return ReplayPart(*part, tablet_id, given, replay);
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
  // Opens the parts in parallel. The loop below reads them in order and reports errors of opening
  // too.
  RunParallel(kThreadsMax, needed.size(), [&](size_t i) { (void)PartOf(needed[i]); });
  uint64_t given = redo_sequence;
  for (Segment* segment : needed) {
    RETURN_IF_ERROR(ReplaySegment(segment, tablet_id, &given, replay));
  }
  return OkStatus();
}

}  // namespace sippar::engine
