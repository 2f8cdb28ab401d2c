// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_sort.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"
#include "engine/log/record_file.h"

namespace sippar::engine {
namespace {

constexpr uint32_t kSortedVersion = 1;
constexpr uint64_t kFooterSize = kLogRecordHeaderSize + 8;

// Differs from the segment's own seed, so that neither file's records are valid in the other.
uint64_t SortedSeed(SegmentId id) { return ~SegmentSeed(id); }

std::string SortedPath(const std::string& directory, SegmentId id) {
  std::string name = SegmentFileName(id);
  return directory + "/" + name.substr(0, name.rfind('.')) + ".sorted";
}

// The first record: id, length and checksum of the sealed segment that the file is sorted from.
std::string EncodeSource(const SealedSegment& segment) {
  std::string body;
  PutFixed32(&body, kSortedVersion);
  PutFixed64(&body, segment.id.epoch);
  PutFixed64(&body, segment.id.number);
  PutFixed64(&body, segment.length);
  PutFixed64(&body, segment.checksum);
  return body;
}

std::string EncodeIndex(const std::map<uint64_t, LogSlice>& slices) {
  std::string body;
  PutVarint(&body, slices.size());
  for (const auto& [tablet, slice] : slices) {
    PutVarint(&body, tablet);
    PutVarint(&body, slice.extents[0].offset);
    PutVarint(&body, slice.extents[0].length);
    PutVarint(&body, slice.last_sequence);
  }
  return body;
}

StatusOr<std::map<uint64_t, LogSlice>> DecodeIndex(std::string_view body) {
  Reader reader(body);
  std::map<uint64_t, LogSlice> slices;
  size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    uint64_t tablet = reader.Varint();
    LogExtent extent;
    extent.offset = reader.Varint();
    extent.length = reader.Varint();
    slices[tablet] = {{extent}, reader.Varint()};
  }
  if (!reader.AtEnd()) return DataLoss("the index of the sorted log cannot be decoded");
  return slices;
}

struct TabletRecord {
  LogRecordHead head;
  std::string_view body;
};

// The records of each tablet in the order of the log; bodies point into `file`.
StatusOr<std::map<uint64_t, std::vector<TabletRecord>>> ByTablet(std::string_view file,
                                                                 const std::string& path,
                                                                 const SealedSegment& segment) {
  std::map<uint64_t, std::vector<TabletRecord>> records;
  auto visit = [&](uint64_t, std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    records[head.tablet_id].push_back({head, body});
    return OkStatus();
  };
  RETURN_IF_ERROR(ScanSegment(file, path, segment.id, segment.length, visit).status());
  return records;
}

Status WriteSorted(const SealedSegment& segment,
                   const std::map<uint64_t, std::vector<TabletRecord>>& records, AppendFile* file) {
  RecordFile out(file, SortedSeed(segment.id));
  RETURN_IF_ERROR(out.Add(EncodeSource(segment)));
  std::map<uint64_t, LogSlice> slices;
  for (const auto& [tablet, of_tablet] : records) {
    for (const TabletRecord& record : of_tablet) {
      AddToSlice(&slices[tablet], out.offset(), record.body, record.head);
      RETURN_IF_ERROR(out.Add(record.body));
    }
  }
  uint64_t index_offset = out.offset();
  RETURN_IF_ERROR(out.Add(EncodeIndex(slices)));
  std::string footer;
  PutFixed64(&footer, index_offset);
  RETURN_IF_ERROR(out.Add(footer));
  return out.Flush();
}

Status Damage(const std::string& path, uint64_t offset, std::string_view what) {
  return DataLoss(fmt::format("sorted log {} @{}: expected {}, found damage", path, offset, what));
}

// Reads the record that fills [offset, limit).
StatusOr<std::string> ReadRecord(const LogPart& part, uint64_t offset, uint64_t limit,
                                 std::string_view what) {
  if (limit > part.file->size() || offset > limit) return Damage(part.path, offset, what);
  std::string bytes;
  RETURN_IF_ERROR(part.file->Read(offset, limit - offset, &bytes));
  LogFrame frame = LogFrameAt(bytes, offset, offset, part.seed);
  if (!frame.valid || frame.size() != bytes.size()) return Damage(part.path, offset, what);
  return std::string(frame.body);
}

}  // namespace

Status SortSegment(FileSystem* fs, const std::string& directory, const SealedSegment& segment,
                   uint64_t attempt) {
  std::string path = SortedPath(directory, segment.id);
  ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
  // The process that wrote an existing file may have died before it synced the directory.
  if (exists) return fs->SyncDir(directory);
  std::string source = directory + "/" + SegmentFileName(segment.id);
  ASSIGN_OR_RETURN(std::string bytes, ReadSealedSegment(fs, directory, segment));
  ASSIGN_OR_RETURN(auto records, ByTablet(bytes, source, segment));
  std::string temporary = fmt::format("{}.{:x}.tmp", path, attempt);
  Status removed = fs->Remove(temporary);  // left by an attempt that crashed here
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, fs->Create(temporary));
  CRASH_POINT("sort.before_write");
  if (Status written = WriteSorted(segment, records, file.get()); !written.ok()) {
    (void)file->Close();
    (void)fs->Remove(temporary);
    return Annotate(written, "sort " + source);
  }
  CRASH_POINT("sort.before_publish");
  Status published = PublishFile(fs, file.get(), temporary, path);
  CRASH_POINT("sort.after_publish");
  // Another server's file has the same bytes, so it is just as good.
  return published.code() == StatusCode::kAlreadyExists ? OkStatus() : published;
}

StatusOr<LogPart> OpenSortedPart(FileSystem* fs, const std::string& directory,
                                 const SealedSegment& segment) {
  LogPart part;
  part.path = SortedPath(directory, segment.id);
  part.seed = SortedSeed(segment.id);
  part.sorted = true;
  ASSIGN_OR_RETURN(part.file, fs->OpenRandom(part.path));
  uint64_t size = part.file->size();
  uint64_t source_limit = kLogRecordHeaderSize + EncodeSource(segment).size();
  ASSIGN_OR_RETURN(std::string source, ReadRecord(part, 0, source_limit, "the source"));
  // A file left by another recovery must describe the same sealed bytes.
  if (source != EncodeSource(segment)) {
    return DataLoss(fmt::format(
        "sorted log {} @0: it was made from another segment than the sealed one", part.path));
  }
  if (size < source_limit + kFooterSize) return Damage(part.path, source_limit, "an index");
  ASSIGN_OR_RETURN(std::string footer, ReadRecord(part, size - kFooterSize, size, "the footer"));
  uint64_t index_offset = GetFixed64(footer.data());
  ASSIGN_OR_RETURN(std::string index,
                   ReadRecord(part, index_offset, size - kFooterSize, "the index"));
  auto slices = DecodeIndex(index);
  RETURN_IF_ERROR(Annotate(slices.status(), part.path));
  part.slices = std::move(*slices);
  return part;
}

StatusOr<LogPart> OpenUnsortedPart(FileSystem* fs, const std::string& directory,
                                   const SealedSegment& segment) {
  LogPart part;
  part.path = directory + "/" + SegmentFileName(segment.id);
  part.seed = SegmentSeed(segment.id);
  ASSIGN_OR_RETURN(std::string bytes, ReadSealedSegment(fs, directory, segment));
  auto visit = [&](uint64_t offset, std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    AddToSlice(&part.slices[head.tablet_id], offset, body, head);
    return OkStatus();
  };
  RETURN_IF_ERROR(ScanSegment(bytes, part.path, segment.id, segment.length, visit).status());
  ASSIGN_OR_RETURN(part.file, fs->OpenRandom(part.path));
  return part;
}

}  // namespace sippar::engine
