// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_dump.h"

#include <fmt/format.h>

#include "engine/base/escape.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

constexpr size_t kShownMax = 60;  // bytes of a value that are shown

std::string Shown(std::string_view bytes) {
  std::string text = QuotedBytes(bytes.substr(0, kShownMax));
  if (bytes.size() > kShownMax) text += fmt::format(" (first {} of {} B)", kShownMax, bytes.size());
  return text;
}

std::string EntryText(const MutationEntry& entry) {
  std::string column = fmt::format("{}:{}", entry.family, Shown(entry.qualifier));
  switch (entry.kind) {
    case MutationEntry::kDeleteColumn:
      return fmt::format("delete {} from {} to {}", column, entry.time.start_us,
                         entry.time.limit_us);
    case MutationEntry::kDeleteFamily:
      return fmt::format("delete family {}", entry.family);
    case MutationEntry::kDeleteRow:
      return "delete row";
    case MutationEntry::kSet:
    case MutationEntry::kIncrement:
    case MutationEntry::kAppend:
    case MutationEntry::kAdd:
    case MutationEntry::kMerge:
      break;
  }
  return fmt::format("put {} @{} {}", column, entry.timestamp_us, Shown(entry.value));
}

}  // namespace

Status DumpSegment(FileSystem* fs, const std::string& path,
                   const std::function<void(std::string_view)>& print) {
  SegmentId id = ParseSegmentFileName(path.substr(path.rfind('/') + 1));
  if (id == SegmentId{}) {
    return InvalidArgument(
        fmt::format("{}: not the name of a log segment (expected 16 hexadecimal digits, '-', 8 "
                    "hexadecimal digits, '.log')",
                    path));
  }
  ASSIGN_OR_RETURN(SegmentContent head, ReadSegmentHeader(fs, path, id));
  if (head.empty) {
    print(fmt::format("segment {}.{}: empty", id.epoch, id.number));
    return OkStatus();
  }
  print(fmt::format("segment {}.{} previous {}.{} accepted {} B", id.epoch, id.number,
                    head.header.previous.epoch, head.header.previous.number,
                    head.header.previous_length));
  auto visit = [&](uint64_t offset, std::string_view body) -> Status {
    ASSIGN_OR_RETURN(LogRecord record, DecodeLogBody(body));
    print(fmt::format("@{} {} B tablet {} sequence {} time {} row {}", offset, body.size(),
                      record.tablet_id, record.first_sequence, record.wall_us,
                      Shown(record.mutation.row)));
    for (const MutationEntry& entry : record.mutation.entries) print("  " + EntryText(entry));
    return OkStatus();
  };
  ASSIGN_OR_RETURN(SegmentContent content, ReadSegment(fs, path, id, UINT64_MAX, visit));
  print(fmt::format("end @{} of {} B", content.valid_length, content.file_length));
  return OkStatus();
}

}  // namespace sippar::engine
