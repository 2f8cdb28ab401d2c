// Writes two places of the file REACH in turn, so that a torn write leaves the other place whole.
// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_reach.h"

#include <algorithm>
#include <utility>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

constexpr uint32_t kReachMagic = 0x53724c72;
constexpr uint32_t kReachVersion = 1;
constexpr uint64_t kPlaceSize = 512;  // a sector, which a disk writes whole
constexpr size_t kNoteSize = 64;      // used bytes of each place

struct Note {
  uint64_t counter = 0;
  LogReach reach;
};

std::string PathIn(const std::string& directory) { return directory + "/REACH"; }

std::string Encode(const Note& note) {
  std::string bytes;
  PutFixed32(&bytes, kReachMagic);
  PutFixed32(&bytes, kReachVersion);
  for (uint64_t number : {note.counter, note.reach.first.epoch, note.reach.first.number,
                          note.reach.last.epoch, note.reach.last.number, note.reach.length}) {
    PutFixed64(&bytes, number);
  }
  PutFixed64(&bytes, Checksum(bytes, kReachMagic));
  return bytes;
}

std::optional<Note> Decode(std::string_view bytes) {
  if (bytes.size() != kNoteSize) return std::nullopt;
  Reader reader(bytes);
  bool is_ours = reader.Fixed32() == kReachMagic;
  is_ours = reader.Fixed32() == kReachVersion && is_ours;
  Note note;
  for (uint64_t* number : {&note.counter, &note.reach.first.epoch, &note.reach.first.number,
                           &note.reach.last.epoch, &note.reach.last.number, &note.reach.length}) {
    *number = reader.Fixed64();
  }
  bool whole = reader.Fixed64() == Checksum(bytes.substr(0, kNoteSize - 8), kReachMagic);
  return is_ours && whole ? std::optional(note) : std::nullopt;
}

StatusOr<std::optional<Note>> ReadNote(FileSystem* fs, const std::string& directory) {
  auto file = ReadFile(fs, PathIn(directory), 1 << 20);
  if (file.status().code() == StatusCode::kNotFound) return std::nullopt;
  RETURN_IF_ERROR(file.status());
  std::optional<Note> newest;
  for (uint64_t at = 0; at < 2 * kPlaceSize && at < file->size(); at += kPlaceSize) {
    std::optional<Note> note = Decode(std::string_view(*file).substr(at, kNoteSize));
    if (note && (!newest || note->counter > newest->counter)) newest = note;
  }
  return newest;
}

}  // namespace

bool LogReach::NeedsLast() const { return length > SegmentHeaderSize() && last >= first; }

StatusOr<std::optional<LogReach>> ReadLogReach(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(std::optional<Note> note, ReadNote(fs, directory));
  return note ? std::optional(note->reach) : std::nullopt;
}

StatusOr<std::unique_ptr<LogReachFile>> LogReachFile::Open(FileSystem* fs,
                                                           const std::string& directory,
                                                           SegmentId first) {
  std::unique_ptr<LogReachFile> none;
  auto* maker = dynamic_cast<PatchFileMaker*>(fs);
  if (maker == nullptr) return none;
  ASSIGN_OR_RETURN(std::optional<Note> found, ReadNote(fs, directory));
  auto file = maker->OpenPatch(PathIn(directory));
  if (!file.ok() && found) return file.status();
  if (!file.ok()) return none;
  // Allocates both places now, so that later writes need no space on a full disk.
  if (!found) {
    const std::string zeros(kPlaceSize, '\0');
    if (!(*file)->Write(0, zeros).ok() || !(*file)->Write(kPlaceSize, zeros).ok()) return none;
  }
  Note note = found.value_or(Note{0, {first, {}, 0}});
  return std::unique_ptr<LogReachFile>(
      new LogReachFile(*std::move(file), note.reach, note.counter));
}

Status LogReachFile::Write() {
  ++counter_;
  return file_->Write(counter_ % 2 * kPlaceSize, Encode({counter_, reach_}));
}

void LogReachFile::Reached(SegmentId last, uint64_t length) {
  MutexLock lock(&mutex_);
  if (reach_.last == last && reach_.length == length) return;
  reach_.last = last;
  reach_.length = length;
  (void)Write();
}

Status LogReachFile::Trim(SegmentId first) {
  MutexLock trim_lock(&trim_mutex_);
  if (first <= trimmed_) return OkStatus();
  {
    MutexLock lock(&mutex_);
    // A larger `first` that an earlier call has written remains true even if that call's sync
    // failed.
    reach_.first = std::max(reach_.first, first);
    // Writes both places. If one is damaged later, recovery reads the other, which must not name
    // removed segments as needed.
    RETURN_IF_ERROR(Write());
    RETURN_IF_ERROR(Write());
  }
  // Syncs without mutex_: every group of writes calls Reached, and a sync may take seconds.
  RETURN_IF_ERROR(file_->Sync());
  trimmed_ = first;
  return OkStatus();
}

}  // namespace sippar::engine
