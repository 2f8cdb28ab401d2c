// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_seal.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/base/parallel.h"
#include "engine/base/seeded_bug.h"
#include "engine/log/log_chain.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kSealSeed = 0x53724c65;  // checksum seed of the file's only record
constexpr uint32_t kSealVersion = 1;
constexpr size_t kThreadsMax = 4;  // each thread holds a segment in memory

std::string SealPath(const std::string& directory) { return directory + "/SEAL"; }

// Seals a segment up to the accepted length in its successor's header, even if that successor has
// no record, since that header has already decided which bytes count. Syncs the newest segment,
// whose last records may exist only in this machine's memory, and seals it up to its last whole
// record.
Status ReadForSeal(FileSystem* fs, const std::string& directory, const LogChain::Segment& segment,
                   SealedSegment* sealed) {
  sealed->id = segment.id;
  std::string path = directory + "/" + SegmentFileName(segment.id);
  uint64_t accepted_length =
      segment.synced_length == 0 ? segment.accepted_length : segment.synced_length;
  if (accepted_length == UINT64_MAX) RETURN_IF_ERROR(fs->SyncFile(path));
  ASSIGN_OR_RETURN(std::string file, ReadFile(fs, path));
  auto visit = [&](uint64_t, std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    sealed->last_sequences[head.tablet_id] = head.first_sequence + head.entry_count - 1;
    return OkStatus();
  };
  ASSIGN_OR_RETURN(SegmentContent content,
                   ScanSegment(file, path, segment.id, accepted_length, visit));
  RETURN_IF_ERROR(CheckReaches(path, content.valid_length, segment.reached_length));
  sealed->length = content.valid_length;
  sealed->checksum =
      Checksum(std::string_view(file).substr(0, sealed->length), SegmentSeed(sealed->id));
  return OkStatus();
}

StatusOr<LogSeal> ReadLogForSeal(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(LogChain chain, FindLogChain(fs, directory));
  LogSeal seal;
  seal.segments.resize(chain.segments.size());
  std::vector<Status> statuses(chain.segments.size());
  RunParallel(kThreadsMax, statuses.size(), [&](size_t i) {
    statuses[i] = ReadForSeal(fs, directory, chain.segments[i], &seal.segments[i]);
  });
  for (const Status& status : statuses) RETURN_IF_ERROR(status);
  return seal;
}

// Writes the SEAL. kAlreadyExists: another process wrote its seal first.
Status WriteSeal(FileSystem* fs, const std::string& directory, const LogSeal& seal,
                 uint64_t attempt) {
  std::string temporary = fmt::format("{}.{:x}.tmp", SealPath(directory), attempt);
  Status removed = fs->Remove(temporary);  // left by an attempt that crashed here
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, fs->Create(temporary));
  std::string bytes;
  AppendLogRecord(&bytes, seal.Encode(), {kSealSeed, 0, 0});
  if (Status written = file->Append(bytes); !written.ok()) {
    (void)file->Close();
    (void)fs->Remove(temporary);
    return written;
  }
  CRASH_POINT("seal.before_publish");
  return PublishFile(fs, file.get(), temporary, SealPath(directory));
}

}  // namespace

LogSegments::TabletSequences LogSeal::LastSequences() const {
  LogSegments::TabletSequences all;
  for (const SealedSegment& segment : segments) {
    for (auto [tablet, sequence] : segment.last_sequences) {
      all[tablet] = std::max(all[tablet], sequence);
    }
  }
  return all;
}

const SealedSegment* LogSeal::Find(SegmentId id) const {
  for (const SealedSegment& segment : segments) {
    if (segment.id == id) return &segment;
  }
  return nullptr;
}

std::string LogSeal::Encode() const {
  std::string out;
  PutFixed32(&out, kSealVersion);
  PutVarint(&out, segments.size());
  for (const SealedSegment& segment : segments) {
    PutVarint(&out, segment.id.epoch);
    PutVarint(&out, segment.id.number);
    PutVarint(&out, segment.length);
    PutFixed64(&out, segment.checksum);
    PutVarint(&out, segment.last_sequences.size());
    for (auto [tablet, sequence] : segment.last_sequences) {
      PutVarint(&out, tablet);
      PutVarint(&out, sequence);
    }
  }
  return out;
}

StatusOr<LogSeal> LogSeal::Decode(std::string_view body) {
  Reader reader(body);
  uint32_t version = reader.Fixed32();
  if (reader.ok() && version > kSealVersion) {
    return FailedPrecondition(
        fmt::format("format version {} is newer than this program's {}; use a newer sippar",
                    version, kSealVersion));
  }
  LogSeal seal;
  size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    SealedSegment& segment = seal.segments.emplace_back();
    segment.id.epoch = reader.Varint();
    segment.id.number = reader.Varint();
    segment.length = reader.Varint();
    segment.checksum = reader.Fixed64();
    size_t tablets = reader.Count();
    for (size_t j = 0; j < tablets && reader.ok(); ++j) {
      uint64_t tablet = reader.Varint();
      segment.last_sequences[tablet] = reader.Varint();
    }
  }
  if (!reader.AtEnd())
    return DataLoss(
        "the file cannot be decoded, though its checksum is right; use the sippar that wrote it");
  return seal;
}

namespace {

StatusOr<LogSeal> ReadSealFile(FileSystem* fs, const std::string& directory) {
  std::string path = SealPath(directory);
  ASSIGN_OR_RETURN(std::string file, ReadFile(fs, path));
  LogFrame frame = LogFrameAt(file, 0, 0, kSealSeed);
  if (!frame.valid || frame.size() != file.size()) {
    return DataLoss(fmt::format(
        "{} @0: expected one whole record of {} bytes, found damage; put it back from a copy", path,
        file.size()));
  }
  auto seal = LogSeal::Decode(frame.body);
  if (!seal.ok()) return Annotate(seal.status(), path);
  return seal;
}

}  // namespace

StatusOr<LogSeal> ReadSeal(FileSystem* fs, const std::string& directory) {
  if (SEEDED_BUG("seal-ignored") || SEEDED_BUG("no-seal")) return ReadLogForSeal(fs, directory);
  return ReadSealFile(fs, directory);
}

Status ProveLog(FileSystem* fs, const std::string& directory) {
  return ReadLogForSeal(fs, directory).status();
}

StatusOr<LogSeal> SealLog(FileSystem* fs, const std::string& directory, uint64_t attempt) {
  if (SEEDED_BUG("no-seal")) return ReadLogForSeal(fs, directory);
  auto seal = ReadSealFile(fs, directory);
  if (seal.ok()) {
    // The process that wrote the SEAL may have died before it synced the directory.
    RETURN_IF_ERROR(fs->SyncDir(directory));
    return seal;
  }
  if (seal.status().code() != StatusCode::kNotFound) return seal;
  CRASH_POINT("seal.before_read");
  seal = ReadLogForSeal(fs, directory);
  if (!seal.ok()) return Annotate(seal.status(), "seal " + directory);
  CRASH_POINT("seal.before_write");
  Status written = WriteSeal(fs, directory, *seal, attempt);
  // The other process may have sealed a different tail than the one read here; only the published
  // seal counts.
  if (written.code() == StatusCode::kAlreadyExists) return ReadSealFile(fs, directory);
  RETURN_IF_ERROR(Annotate(written, "seal " + directory));
  CRASH_POINT("seal.after_publish");
  return seal;
}

StatusOr<std::string> ReadSealedSegment(FileSystem* fs, const std::string& directory,
                                        const SealedSegment& segment) {
  std::string path = directory + "/" + SegmentFileName(segment.id);
  auto file = fs->OpenRandom(path);
  if (file.status().code() == StatusCode::kNotFound) {
    return DataLoss(
        fmt::format("log segment {}: the file SEAL beside it names it, but it is missing; put it "
                    "back from a copy",
                    path));
  }
  RETURN_IF_ERROR(file.status());
  if ((*file)->size() < segment.length) {
    return DataLoss(
        fmt::format("log segment {} @{}: the file ends, but the file SEAL beside it says that {} "
                    "bytes count; put "
                    "it back from a copy",
                    path, (*file)->size(), segment.length));
  }
  std::string bytes;
  RETURN_IF_ERROR((*file)->Read(0, segment.length, &bytes));
  uint64_t found = Checksum(bytes, SegmentSeed(segment.id));
  if (found != segment.checksum) {
    return DataLoss(
        fmt::format("log segment {} @0: checksum of {} bytes is {:016x}, the file SEAL beside it "
                    "says {:016x}; put it "
                    "back from a copy",
                    path, segment.length, found, segment.checksum));
  }
  return bytes;
}

}  // namespace sippar::engine
