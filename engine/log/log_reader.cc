// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/coding.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

Status Damage(const std::string& path, uint64_t bad, std::string_view why) {
  return DataLoss(fmt::format(
      "log segment {} @{}: expected a whole record, found damage ({}); put it back from a copy",
      path, bad, why));
}

// No whole record begins at `bad`: decides whether this is the torn group of a crash or damage in
// synced bytes.
Status CheckTail(const std::string& path, std::string_view file, uint64_t bad, uint64_t seed) {
  // Values may look like records. The limit prevents quadratic time for a file that was built to
  // look like records everywhere.
  uint64_t bytes_hashed_max = 8 * file.size() + (64 << 20);
  uint64_t bytes_hashed = 0;
  char magic[4];
  std::memcpy(magic, &kLogMagic, 4);
  size_t at = bad;
  while ((at = file.find(std::string_view(magic, 4), at)) != std::string_view::npos) {
    LogFrame frame = LogFrameAt(file, 0, at, seed);
    if (frame.valid && frame.durable_length > bad) {
      return Damage(path, bad,
                    fmt::format("the record @{} says that {} bytes were synced, so a crash while "
                                "the end was written does not explain it",
                                at, frame.durable_length));
    }
    bytes_hashed += frame.body.size();
    if (bytes_hashed > bytes_hashed_max) {
      return Damage(
          path, bad,
          "so much of what follows looks like records that it cannot be told whether a crash "
          "cut the end off");
    }
    at += frame.valid ? frame.size() : 1;
  }
  return OkStatus();
}

}  // namespace

StatusOr<SegmentContent> ReadSegmentHeader(FileSystem* fs, const std::string& path, SegmentId id) {
  const uint64_t head_size = SegmentHeaderSize();
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> file, fs->OpenRandom(path));
  std::string head;
  if (file->size() >= head_size) RETURN_IF_ERROR(file->Read(0, head_size, &head));
  LogFrame frame = LogFrameAt(head, 0, 0, SegmentSeed(id));
  if (frame.valid) {
    auto header = DecodeSegmentHeader(frame.body);
    if (header.ok() && header->id == id) {
      SegmentContent content;
      content.header = *header;
      content.file_length = file->size();
      return content;
    }
  }
  return ReadSegment(fs, path, id, UINT64_MAX,
                     [](uint64_t, std::string_view) { return OkStatus(); });
}

StatusOr<bool> HoldsRecords(FileSystem* fs, const std::string& path, SegmentId id,
                            uint64_t* torn_bytes) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> file, fs->OpenRandom(path));
  const uint64_t head_size = SegmentHeaderSize();
  std::string record;
  if (file->size() >= head_size + kLogRecordHeaderSize) {
    RETURN_IF_ERROR(file->Read(head_size, kLogRecordHeaderSize, &record));
    uint64_t size = kLogRecordHeaderSize + GetFixed32(record.data() + 4);
    if (size <= file->size() - head_size) RETURN_IF_ERROR(file->Read(head_size, size, &record));
    if (LogFrameAt(record, head_size, head_size, SegmentSeed(id)).valid) return true;
  }
  // There is no record, a torn group, or damage; only a read of the whole segment distinguishes
  // these cases.
  ASSIGN_OR_RETURN(
      SegmentContent content,
      ReadSegment(fs, path, id, UINT64_MAX, [](uint64_t, std::string_view) { return OkStatus(); }));
  *torn_bytes += content.torn_bytes;
  return false;
}

StatusOr<SegmentContent> ReadSegment(
    FileSystem* fs, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit) {
  ASSIGN_OR_RETURN(std::string file, ReadStubbornly([&] { return ReadFile(fs, path); }));
  return ScanSegment(file, path, id, accepted_length, visit);
}

Status CheckReaches(const std::string& path, uint64_t valid_length, uint64_t synced_length) {
  if (valid_length >= synced_length) return OkStatus();
  return DataLoss(fmt::format(
      "log segment {} @{}: the whole records end at this offset, but {} bytes were synced; put it "
      "back from a copy",
      path, valid_length, synced_length));
}

StatusOr<SegmentContent> ScanSegment(
    std::string_view file, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit) {
  SegmentContent content;
  content.file_length = file.size();
  uint64_t seed = SegmentSeed(id);
  uint64_t offset = 0;
  // Records that may not have been synced. Each record says how many bytes were durable when it was
  // written, so in a log that syncs, only the records that were written last are in this list.
  std::vector<std::pair<uint64_t, std::string_view>> in_doubt;
  while (offset < file.size() && offset < accepted_length) {
    LogFrame frame = LogFrameAt(file, 0, offset, seed);
    if (!frame.valid) break;
    if (offset == 0) {
      auto header = DecodeSegmentHeader(frame.body);
      if (!header.ok()) return Annotate(header.status(), "log segment " + path);
      content.header = *std::move(header);
      if (content.header.id != id) {
        return DataLoss(
            fmt::format("log segment {}: its header is that of segment {}; put it back from a copy",
                        path, SegmentFileName(content.header.id)));
      }
    } else if (!frame.body.empty()) {  // an empty body is the mark of a clean end
      RETURN_IF_ERROR(
          Annotate(visit(offset, frame.body), fmt::format("log segment {} @{}", path, offset)));
    }
    if (frame.durable_length > content.durable_length) {
      content.durable_length = frame.durable_length;
      std::erase_if(in_doubt, [&](const auto& at) { return at.first < frame.durable_length; });
    }
    if (offset > 0 && !frame.body.empty()) in_doubt.emplace_back(offset, frame.body);
    offset += frame.size();
  }
  content.valid_length = offset;
  content.empty = offset == 0;
  if (accepted_length != UINT64_MAX) {
    RETURN_IF_ERROR(CheckReaches(path, offset, accepted_length));
    return content;
  }
  RETURN_IF_ERROR(CheckTail(path, file, offset, seed));
  size_t end = file.find_last_not_of('\0') + 1;
  content.torn_bytes = std::max<uint64_t>(end, offset) - offset;
  for (const auto& [at, body] : in_doubt) content.in_doubt.emplace_back(body);
  return content;
}

}  // namespace sippar::engine
