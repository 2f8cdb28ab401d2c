// Reading log segments. SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_reader.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

struct Frame {
  bool valid = false;
  std::string_view body;
};

Frame FrameAt(std::string_view file, uint64_t offset, uint64_t seed) {
  if (offset + kLogRecordHeaderSize > file.size()) return {};
  const char* p = file.data() + offset;
  if (GetFixed32(p) != kLogMagic) return {};
  uint64_t length = GetFixed32(p + 4);
  if (length > file.size() - offset - kLogRecordHeaderSize) return {};
  std::string_view body = file.substr(offset + kLogRecordHeaderSize, length);
  return {Checksum(body, seed ^ offset) == GetFixed64(p + 8), body};
}

// Offset of a valid record at or behind `start`; npos when there is none.
size_t FindValidRecord(std::string_view file, size_t start, uint64_t seed) {
  char magic[4];
  std::memcpy(magic, &kLogMagic, 4);
  while ((start = file.find(std::string_view(magic, 4), start)) != std::string_view::npos) {
    if (FrameAt(file, start, seed).valid) return start;
    ++start;
  }
  return std::string_view::npos;
}

Status MiddleDamage(const std::string& path, uint64_t bad, uint64_t good) {
  return DataLoss(
      fmt::format("log segment {} @{}: expected a whole record, found damage; valid records follow "
                  "@{}, so this is no torn tail and nothing is skipped",
                  path, bad, good));
}

}  // namespace

StatusOr<SegmentContent> ReadSegmentHeader(FileSystem* fs, const std::string& path, SegmentId id) {
  size_t head_size = kLogRecordHeaderSize + EncodeSegmentHeader({}).size();
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> file, fs->OpenRandom(path));
  std::string head;
  if (file->size() >= head_size) RETURN_IF_ERROR(file->Read(0, head_size, &head));
  Frame frame = FrameAt(head, 0, SegmentSeed(id));
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

StatusOr<SegmentContent> ReadSegment(
    FileSystem* fs, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit) {
  ASSIGN_OR_RETURN(std::string file, ReadFile(fs, path));
  SegmentContent content;
  content.file_length = file.size();
  uint64_t seed = SegmentSeed(id);
  uint64_t offset = 0;
  while (offset < file.size() && offset < accepted_length) {
    Frame frame = FrameAt(file, offset, seed);
    if (!frame.valid) break;
    if (offset == 0) {
      ASSIGN_OR_RETURN(content.header, DecodeSegmentHeader(frame.body));
      if (content.header.id != id) {
        return DataLoss(fmt::format("log segment {} says it is {}.{}", path,
                                    content.header.id.epoch, content.header.id.number));
      }
    } else if (!frame.body.empty()) {  // an empty body is the mark of a clean end
      RETURN_IF_ERROR(
          Annotate(visit(offset, frame.body), fmt::format("log segment {} @{}", path, offset)));
    }
    offset += kLogRecordHeaderSize + frame.body.size();
  }
  content.valid_length = offset;
  content.empty = offset == 0;
  if (accepted_length != UINT64_MAX) {
    if (offset < accepted_length) {
      return DataLoss(
          fmt::format("log segment {} @{}: {} bytes were synced, whole records end here", path,
                      offset, accepted_length));
    }
    return content;
  }
  size_t good = FindValidRecord(file, offset, seed);
  if (good != std::string_view::npos) return MiddleDamage(path, offset, good);
  return content;
}

}  // namespace sippar::engine
