// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/change_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/log/record_file.h"

namespace sippar::engine {
namespace {

constexpr uint32_t kVersion = 1;
constexpr uint64_t kReadSize = 1 << 20;
constexpr std::string_view kSuffix = ".changes";
constexpr std::string_view kMadeSuffix = ".made";

// Differs from the seeds of log segments, so that no record is valid in both kinds of files.
uint64_t SeedOf(uint64_t file_id) { return file_id ^ 0x6368616e67657321; }

// The mark of a change file: an empty file, which is created after the change file and removed
// before it. A mark without its change file shows that the change file was lost.
std::string MarkOf(const std::string& directory, const ChangeFileName& file) {
  return fmt::format("{}/{}{}", directory, file.Print(), kMadeSuffix);
}

std::string EncodeHead(const RowRange& rows) {
  std::string body;
  PutFixed32(&body, kVersion);
  PutBytes(&body, rows.start);
  PutBytes(&body, rows.limit);
  return body;
}

Status WriteRecords(AppendFile* file, uint64_t file_id, const RowRange& rows,
                    const std::vector<TailRecord>& records) {
  RecordFile out(file, SeedOf(file_id));
  RETURN_IF_ERROR(out.Add(EncodeHead(rows)));
  for (const TailRecord& record : records) RETURN_IF_ERROR(out.Add(*record.body));
  RETURN_IF_ERROR(out.Add(""));  // an empty record marks the end; a file without it was cut off
  return out.Flush();
}

}  // namespace

std::string ChangeFileName::Print() const {
  return fmt::format("{:016x}-{:016x}-{:016x}-{:016x}-{:016x}{}", tablet_id, file_id,
                     first_sequence, last_sequence, static_cast<uint64_t>(newest_us), kSuffix);
}

std::optional<ChangeFileName> ChangeFileName::Parse(const std::string& name) {
  ChangeFileName parsed;
  uint64_t newest_us = 0;
  const char* at = name.data();
  const char* limit = at + name.size();
  for (uint64_t* field : {&parsed.tablet_id, &parsed.file_id, &parsed.first_sequence,
                          &parsed.last_sequence, &newest_us}) {
    if (at != name.data() && (at == limit || *at++ != '-')) return std::nullopt;
    auto read = std::from_chars(at, limit, *field, 16);
    if (read.ec != std::errc()) return std::nullopt;
    at = read.ptr;
  }
  parsed.newest_us = static_cast<int64_t>(newest_us);
  if (parsed.Print() != name) return std::nullopt;
  return parsed;
}

StatusOr<std::vector<ChangeFileName>> ListChangeFiles(FileSystem* fs,
                                                      const std::string& directory) {
  std::vector<ChangeFileName> files;
  auto names = fs->List(directory);
  if (names.status().code() == StatusCode::kNotFound) return files;
  RETURN_IF_ERROR(names.status());
  // Names are sorted, and so are the fixed-width numbers in them.
  for (const std::string& name : *names) {
    auto parsed = ChangeFileName::Parse(name);
    if (parsed.has_value()) files.push_back(*parsed);
  }
  return files;
}

StatusOr<std::vector<ChangeFileName>> ListLostChangeFiles(FileSystem* fs,
                                                          const std::string& directory) {
  std::vector<ChangeFileName> lost;
  auto names = fs->List(directory);
  if (names.status().code() == StatusCode::kNotFound) return lost;
  RETURN_IF_ERROR(names.status());
  for (const std::string& mark : *names) {
    if (!mark.ends_with(kMadeSuffix)) continue;
    auto file = ChangeFileName::Parse(mark.substr(0, mark.size() - kMadeSuffix.size()));
    if (!file.has_value() || std::binary_search(names->begin(), names->end(), file->Print())) {
      continue;
    }
    // Checks the mark again: an expiring file loses its mark before it is removed, and the listing
    // may have seen the mark just before. A mark that still exists belongs to a lost file.
    ASSIGN_OR_RETURN(bool is_marked, fs->Exists(directory + "/" + mark));
    if (is_marked) lost.push_back(*file);
  }
  return lost;
}

Status LostChangeFile(const std::string& directory, const ChangeFileName& file) {
  return DataLoss(fmt::format(
      "change archive {0}/{1}: the file is missing (sequence numbers {2} to {3} of tablet {4}); "
      "put it back from a copy, or remove {0}/{1}{5} to accept the loss of its changes",
      directory, file.Print(), file.first_sequence, file.last_sequence, file.tablet_id,
      kMadeSuffix));
}

StatusOr<size_t> ExpireChangeFiles(FileSystem* fs, const std::string& directory,
                                   int64_t before_us) {
  ASSIGN_OR_RETURN(std::vector<ChangeFileName> files, ListChangeFiles(fs, directory));
  std::erase_if(files, [&](const ChangeFileName& file) { return file.newest_us >= before_us; });
  if (files.empty()) return 0;
  // Removes the marks first, durably: after a crash, marks that outlive their files would report
  // the files as lost.
  for (const ChangeFileName& file : files) {
    Status unmarked = fs->Remove(MarkOf(directory, file));
    if (!unmarked.ok() && unmarked.code() != StatusCode::kNotFound) return unmarked;
  }
  RETURN_IF_ERROR(fs->SyncDir(directory));
  for (const ChangeFileName& file : files) {
    RETURN_IF_ERROR(fs->Remove(directory + "/" + file.Print()));
  }
  return files.size();
}

Status WriteChangeFile(FileSystem* fs, const std::string& directory, uint64_t file_id,
                       const RowRange& rows, const std::vector<TailRecord>& records) {
  ChangeFileName name{records.front().head.tablet_id, records.front().head.first_sequence,
                      records.back().head.last_sequence(), 0, file_id};
  for (const TailRecord& record : records) {
    name.newest_us = std::max(name.newest_us, record.head.wall_us);
  }
  std::string path = directory + "/" + name.Print();
  std::string temporary = path + ".tmp";
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, fs->Create(temporary));
  if (Status written = WriteRecords(file.get(), file_id, rows, records); !written.ok()) {
    (void)file->Close();
    (void)fs->Remove(temporary);
    return written;
  }
  // A crash before the next step leaves NAME.tmp, which readers of the archive ignore.
  CRASH_POINT("changes.before_publish");
  RETURN_IF_ERROR(PublishFile(fs, file.get(), temporary, path));
  // A crash here leaves a change file without its mark. Readers read the file all the same, but a
  // later loss of the file is not noticed.
  CRASH_POINT("changes.after_publish");
  // Best effort: without the mark, a later loss of the file is not noticed.
  if (auto mark = fs->Create(MarkOf(directory, name)); mark.ok()) (void)(*mark)->Close();
  return OkStatus();
}

StatusOr<std::unique_ptr<ChangeFileReader>> ChangeFileReader::Open(FileSystem* fs,
                                                                   const std::string& directory,
                                                                   const ChangeFileName& name) {
  std::string path = directory + "/" + name.Print();
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> file, fs->OpenRandom(path));
  std::unique_ptr<ChangeFileReader> opened(
      new ChangeFileReader(std::move(path), std::move(file), SeedOf(name.file_id)));
  ASSIGN_OR_RETURN(std::string_view head, opened->Next());
  Reader reader(head);
  uint32_t version = reader.Fixed32();
  opened->rows_.start = reader.Bytes();
  opened->rows_.limit = reader.Bytes();
  if (reader.ok() && version > kVersion) {
    return FailedPrecondition(
        fmt::format("{} has format version {}; this program knows up to {}; use a newer sippar",
                    opened->path_, version, kVersion));
  }
  if (!reader.AtEnd()) return opened->Damage();
  return opened;
}

Status VerifyChangeFiles(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<ChangeFileName> lost, ListLostChangeFiles(fs, directory));
  if (!lost.empty()) return LostChangeFile(directory, lost.front());
  ASSIGN_OR_RETURN(std::vector<ChangeFileName> files, ListChangeFiles(fs, directory));
  for (const ChangeFileName& file : files) {
    auto reader = ChangeFileReader::Open(fs, directory, file);
    if (reader.status().code() == StatusCode::kNotFound) continue;  // expired after it was listed
    RETURN_IF_ERROR(reader.status());
    for (std::string_view body = "first"; !body.empty();) {
      ASSIGN_OR_RETURN(body, (*reader)->Next());
    }
  }
  return OkStatus();
}

Status ChangeFileReader::Damage() const {
  return DataLoss(
      fmt::format("change archive {} @{}: expected a whole record, found damage; later "
                  "changes of this tablet can be read with a later start time",
                  path_, at_));
}

StatusOr<std::string_view> ChangeFileReader::Next() {
  if (ended_) return std::string_view();
  LogFrame frame = LogFrameAt(bytes_, base_, at_, seed_);
  // Reads on when the buffer ends inside a record: first kReadSize bytes, then, for a larger
  // record, the size that its header gives.
  for (uint64_t size = kReadSize; !frame.valid; size = kLogRecordHeaderSize + size) {
    uint64_t left = file_->size() - at_;
    RETURN_IF_ERROR(file_->Read(at_, std::min(size, left), &bytes_));
    base_ = at_;
    frame = LogFrameAt(bytes_, base_, at_, seed_);
    if (frame.valid) break;
    // An invalid frame is damage, unless the record is larger than what was read.
    if (bytes_.size() < kLogRecordHeaderSize || bytes_.size() == left) return Damage();
    size = GetFixed32(bytes_.data() + 4);
    if (size + kLogRecordHeaderSize <= bytes_.size()) return Damage();
  }
  at_ += frame.size();
  ended_ = frame.body.empty();
  return frame.body;
}

}  // namespace sippar::engine
