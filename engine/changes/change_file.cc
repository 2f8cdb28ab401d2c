// Files of the change archive. SPDX-License-Identifier: Apache-2.0
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

// Apart from the segments of a log.
uint64_t SeedOf(uint64_t file_id) { return file_id ^ 0x6368616e67657321; }

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
  RETURN_IF_ERROR(out.Add(""));  // the end
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
  for (const std::string& name : *names) {  // sorted, and so are the numbers in them
    auto parsed = ChangeFileName::Parse(name);
    if (parsed.has_value()) files.push_back(*parsed);
  }
  return files;
}

StatusOr<size_t> ExpireChangeFiles(FileSystem* fs, const std::string& directory,
                                   int64_t before_us) {
  ASSIGN_OR_RETURN(std::vector<ChangeFileName> files, ListChangeFiles(fs, directory));
  size_t removed = 0;
  for (const ChangeFileName& file : files) {
    if (file.newest_us >= before_us) continue;
    RETURN_IF_ERROR(fs->Remove(directory + "/" + file.Print()));
    ++removed;
  }
  return removed;
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
  CRASH_POINT("changes.before_publish");
  RETURN_IF_ERROR(PublishFile(fs, file.get(), temporary, path));
  CRASH_POINT("changes.after_publish");
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
    return FailedPrecondition(fmt::format("{} has format version {}; this program knows up to {}",
                                          opened->path_, version, kVersion));
  }
  if (!reader.AtEnd()) return opened->Damage();
  return opened;
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
  for (uint64_t size = kReadSize; !frame.valid; size = kLogRecordHeaderSize + size) {
    uint64_t left = file_->size() - at_;
    RETURN_IF_ERROR(file_->Read(at_, std::min(size, left), &bytes_));
    base_ = at_;
    frame = LogFrameAt(bytes_, base_, at_, seed_);
    if (frame.valid) break;
    // Damage, unless the record is larger than what was read.
    if (bytes_.size() < kLogRecordHeaderSize || bytes_.size() == left) return Damage();
    size = GetFixed32(bytes_.data() + 4);
    if (size + kLogRecordHeaderSize <= bytes_.size()) return Damage();
  }
  at_ += frame.size();
  ended_ = frame.body.empty();
  return frame.body;
}

}  // namespace sippar::engine
