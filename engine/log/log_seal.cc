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

// What is read from a log for its SEAL.
struct ReadLog {
  LogSeal seal;
  SegmentHeader next;  // of a segment that would continue the log
  // Records of the newest segment that may exist only in the memory of the machine that wrote them.
  // `next` says that the newest segment ends before them.
  std::vector<std::string> in_doubt;
};

// Scans a segment up to `accepted_length` and fills in `sealed`.
StatusOr<SegmentContent> ScanForSeal(std::string_view file, const std::string& path,
                                     uint64_t accepted_length, SealedSegment* sealed) {
  sealed->last_sequences.clear();
  auto visit = [&](uint64_t, std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    sealed->last_sequences[head.tablet_id] = head.first_sequence + head.entry_count - 1;
    return OkStatus();
  };
  ASSIGN_OR_RETURN(SegmentContent content,
                   ScanSegment(file, path, sealed->id, accepted_length, visit));
  sealed->length = content.valid_length;
  sealed->checksum = Checksum(file.substr(0, sealed->length), SegmentSeed(sealed->id));
  return content;
}

// Seals a segment up to the accepted length in its successor's header, even if that successor has
// no record, since that header has already decided which bytes count. The newest segment is sealed
// up to its last whole record, or, with `log`, up to its last known durable length; `log` gets the
// records after it.
Status ReadForSeal(FileSystem* fs, const std::string& directory, const LogChain::Segment& segment,
                   SealedSegment* sealed, ReadLog* log) {
  sealed->id = segment.id;
  std::string path = directory + "/" + SegmentFileName(segment.id);
  uint64_t accepted_length =
      segment.synced_length == 0 ? segment.accepted_length : segment.synced_length;
  ASSIGN_OR_RETURN(std::string file, ReadStubbornly([&] { return ReadFile(fs, path); }));
  ASSIGN_OR_RETURN(SegmentContent content, ScanForSeal(file, path, accepted_length, sealed));
  RETURN_IF_ERROR(CheckReaches(path, content.valid_length, segment.reached_length));
  const bool is_decided = accepted_length != UINT64_MAX;
  if (log == nullptr || is_decided || content.durable_length == content.valid_length) {
    return OkStatus();
  }
  // Not only records may be in doubt: the mark of a clean end is not repeated.
  log->in_doubt = std::move(content.in_doubt);
  log->next.previous = sealed->id;
  log->next.previous_length = content.durable_length;
  return ScanForSeal(file, path, content.durable_length, sealed).status();
}

// `cut_doubt`: the records in doubt are not part of the seal.
StatusOr<ReadLog> ReadLogForSeal(FileSystem* fs, const std::string& directory, bool cut_doubt) {
  ASSIGN_OR_RETURN(LogChain chain, FindLogChain(fs, directory));
  ReadLog log;
  log.seal.segments.resize(chain.segments.size());
  std::vector<Status> statuses(chain.segments.size());
  RunParallel(kThreadsMax, statuses.size(), [&](size_t i) {
    const bool is_newest = i + 1 == statuses.size();
    statuses[i] = ReadForSeal(fs, directory, chain.segments[i], &log.seal.segments[i],
                              is_newest && cut_doubt ? &log : nullptr);
  });
  for (const Status& status : statuses) RETURN_IF_ERROR(status);
  if (chain.segments.empty()) return log;
  log.next.id = chain.segments.back().id;
  for (const std::string& name : chain.unused) {
    log.next.id = std::max(log.next.id, ParseSegmentFileName(name));
  }
  ++log.next.id.number;
  return log;
}

StatusOr<LogSeal> ReadUnsealed(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(ReadLog log, ReadLogForSeal(fs, directory, /*cut_doubt=*/false));
  return std::move(log.seal);
}

// `temporary` may be left of an attempt that crashed.
StatusOr<std::unique_ptr<AppendFile>> WriteTemporary(FileSystem* fs, const std::string& temporary,
                                                     std::string_view content) {
  Status removed = fs->Remove(temporary);
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, fs->Create(temporary));
  if (Status written = file->Append(content); !written.ok()) {
    (void)file->Close();
    (void)fs->Remove(temporary);
    return written;
  }
  return file;
}

std::string TemporaryName(const std::string& path, uint64_t attempt) {
  return fmt::format("{}.{:x}.tmp", path, attempt);
}

// Writes the records in doubt again, as the last segment of the log, and adds it to the seal. A
// sync of the file that they are in would not make them durable for certain: if an earlier sync of
// it failed, the operating system may have dropped the bytes and call them written
// (FileSystem::SyncFile). kAlreadyExists: another process wrote its segment first.
Status WriteInDoubtAgain(FileSystem* fs, const std::string& directory, uint64_t attempt,
                         ReadLog* log) {
  const std::string path = directory + "/" + SegmentFileName(log->next.id);
  const std::string temporary = TemporaryName(path, attempt);
  const std::string content = WholeSegment(log->next, log->in_doubt);
  SealedSegment& sealed = log->seal.segments.emplace_back();
  sealed.id = log->next.id;
  RETURN_IF_ERROR(ScanForSeal(content, path, content.size(), &sealed).status());
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, WriteTemporary(fs, temporary, content));
  CRASH_POINT("seal.before_tail");
  return PublishFile(fs, file.get(), temporary, path);
}

// Writes the SEAL. kAlreadyExists: another process wrote its seal first.
Status WriteSeal(FileSystem* fs, const std::string& directory, const LogSeal& seal,
                 uint64_t attempt) {
  const std::string temporary = TemporaryName(SealPath(directory), attempt);
  std::string bytes;
  AppendLogRecord(&bytes, seal.Encode(), {kSealSeed, 0, 0});
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, WriteTemporary(fs, temporary, bytes));
  CRASH_POINT("seal.before_publish");
  return PublishFile(fs, file.get(), temporary, SealPath(directory));
}

// Reads the log and makes durable what its seal covers.
StatusOr<LogSeal> ReadDurable(FileSystem* fs, const std::string& directory, uint64_t attempt) {
  ASSIGN_OR_RETURN(ReadLog log, ReadLogForSeal(fs, directory, /*cut_doubt=*/true));
  if (log.in_doubt.empty()) return std::move(log.seal);
  Status written = WriteInDoubtAgain(fs, directory, attempt, &log);
  if (written.ok()) return std::move(log.seal);
  if (written.code() != StatusCode::kAlreadyExists) return written;
  // The other process may have found more or fewer records in doubt. Its segment counts: no record
  // of it is in doubt.
  return ReadUnsealed(fs, directory);
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
  if (SEEDED_BUG("seal-ignored") || SEEDED_BUG("no-seal")) return ReadUnsealed(fs, directory);
  return ReadSealFile(fs, directory);
}

Status ProveLog(FileSystem* fs, const std::string& directory) {
  return ReadUnsealed(fs, directory).status();
}

StatusOr<LogSeal> SealLog(FileSystem* fs, const std::string& directory, uint64_t attempt) {
  if (SEEDED_BUG("no-seal")) return ReadUnsealed(fs, directory);
  auto seal = ReadSealFile(fs, directory);
  if (seal.ok()) {
    // The process that wrote the SEAL may have died before it synced the directory.
    RETURN_IF_ERROR(fs->SyncDir(directory));
    return seal;
  }
  if (seal.status().code() != StatusCode::kNotFound) return seal;
  CRASH_POINT("seal.before_read");
  seal = ReadDurable(fs, directory, attempt);
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

namespace {

StatusOr<std::string> ReadAndVerify(FileSystem* fs, const std::string& directory,
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

}  // namespace

StatusOr<std::string> ReadSealedSegment(FileSystem* fs, const std::string& directory,
                                        const SealedSegment& segment) {
  return ReadStubbornly([&] { return ReadAndVerify(fs, directory, segment); });
}

}  // namespace sippar::engine
