// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/change_reader.h"

#include <algorithm>

namespace sippar::engine {
namespace {

constexpr size_t kBatchBytes = 1 << 20;

size_t SizeOf(const RowMutation& mutation) {
  size_t size = mutation.row.size();
  for (const MutationEntry& entry : mutation.entries) {
    size += entry.family.size() + entry.qualifier.size() + entry.value.size() + 32;
  }
  return size;
}

}  // namespace

size_t ChangeReader::Give(LogRecord record, std::vector<ReadChange>* changes) {
  position_.Pass({record.first_sequence + record.mutation.entries.size() - 1, record.tablet_id});
  position_.time_us = std::max(position_.time_us, record.wall_us);
  size_t size = SizeOf(record.mutation);
  // Each change has its own token, so that a client can continue after any of them.
  changes->push_back({std::move(record), position_.Encode()});
  return size + changes->back().token.size();
}

Status ChangeReader::Read(std::vector<ReadChange>* changes, bool* is_whole) {
  *is_whole = false;
  if (archive_ != nullptr) return ReadArchive(changes);
  return ReadTail(changes, is_whole);
}

Status ChangeReader::ReadTail(std::vector<ReadChange>* changes, bool* is_whole) {
  // Reads the tail before the archive: a flush writes its file before it drops the records from the
  // tail, so records that the tail no longer has are in a file by now. In the other order, changes
  // could be missed.
  uint64_t after = position_.Least().sequence;
  ChangeTail::View view = source_.tail->After(after, kBatchBytes, source_.clock);
  // The next change is older than the tail, so it is in a file.
  if (after + 1 < view.begin) {
    archive_end_ = {view.begin - 1, source_.tablet_id};
    ASSIGN_OR_RETURN(archive_, ChangeArchive::Open(source_.fs, source_.directory, position_));
    return ReadArchive(changes);
  }
  for (const TailRecord& record : view.records) {
    ChangePoint point{record.head.last_sequence(), record.head.tablet_id};
    if (!position_.Wants(record.head.row, record.head.wall_us, point)) continue;
    ASSIGN_OR_RETURN(LogRecord decoded, DecodeLogBody(*record.body));
    Give(std::move(decoded), changes);
  }
  // Moves the position past unwanted changes too, so that the next read does not look at them.
  if (view.end > 0) position_.Pass({view.end - 1, source_.tablet_id});
  *is_whole = view.is_whole;
  // If the tail has more changes, its low watermark does not hold for the position yet: those
  // changes may be older.
  if (view.is_whole) {
    position_.low_us = std::max(position_.low_us, view.low_watermark_us);
    position_.time_us = std::max(position_.time_us, position_.low_us);
  }
  return OkStatus();
}

Status ChangeReader::ReadArchive(std::vector<ReadChange>* changes) {
  for (size_t size = 0; size < kBatchBytes;) {
    ASSIGN_OR_RETURN(std::optional<LogRecord> record, archive_->Next(position_));
    if (!record.has_value()) {
      archive_.reset();
      // Moves the position to the end of the archive even if no wanted change is there, so that the
      // next read starts in the tail.
      position_.Pass(archive_end_);
      return OkStatus();
    }
    size += Give(*std::move(record), changes);
  }
  return OkStatus();
}

void ChangeReader::Wait(int64_t wait_us) const {
  source_.tail->WaitBeyond(position_.Least().sequence, wait_us);
}

}  // namespace sippar::engine
