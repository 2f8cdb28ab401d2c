// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kReadSize = 1 << 20;

Status ReadExtent(const LogPart& part, const LogExtent& extent,
                  const std::function<Status(std::string_view)>& visit) {
  uint64_t limit = extent.offset + extent.length;
  uint64_t read_size = kReadSize;
  std::string bytes;
  for (uint64_t at = extent.offset; at < limit;) {
    RETURN_IF_ERROR(part.file->Read(at, std::min(read_size, limit - at), &bytes));
    uint64_t begin = at;
    for (LogFrame frame = LogFrameAt(bytes, begin, at, part.seed); frame.valid;
         frame = LogFrameAt(bytes, begin, at, part.seed)) {
      RETURN_IF_ERROR(Annotate(visit(frame.body), fmt::format("log {} @{}", part.path, at)));
      at += frame.size();
    }
    if (at > begin) {
      read_size = kReadSize;
      continue;
    }
    // This is damage, unless the record is larger than the bytes that were read.
    uint64_t needed =
        bytes.size() < 8 ? 0 : kLogRecordHeaderSize + uint64_t{GetFixed32(bytes.data() + 4)};
    if (needed <= bytes.size() || needed > limit - at) {
      return DataLoss(
          fmt::format("log {} @{}: expected a whole record, found damage; put it back from a copy",
                      part.path, at));
    }
    read_size = needed;
  }
  return OkStatus();
}

}  // namespace

void AddToSlice(LogSlice* slice, uint64_t offset, std::string_view body,
                const LogRecordHead& head) {
  uint64_t length = kLogRecordHeaderSize + body.size();
  std::vector<LogExtent>& extents = slice->extents;
  if (!extents.empty() && extents.back().offset + extents.back().length == offset) {
    extents.back().length += length;
  } else {
    extents.push_back({offset, length});
  }
  slice->last_sequence = head.first_sequence + head.entry_count - 1;
}

Status ReadSlice(const LogPart& part, const LogSlice& slice,
                 const std::function<Status(std::string_view body)>& visit) {
  for (const LogExtent& extent : slice.extents) {
    RETURN_IF_ERROR(ReadExtent(part, extent, visit));
  }
  return OkStatus();
}

}  // namespace sippar::engine
