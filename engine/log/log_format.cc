// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_format.h"

#include <fmt/format.h>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {

uint64_t SegmentSeed(SegmentId id) { return (id.epoch << 32) ^ (id.number << 1) ^ kLogMagic; }

std::string EncodeSegmentHeader(const SegmentHeader& header) {
  std::string body;
  PutFixed32(&body, kLogFormatVersion);
  PutFixed64(&body, header.id.epoch);
  PutFixed64(&body, header.id.number);
  PutFixed64(&body, header.previous.epoch);
  PutFixed64(&body, header.previous.number);
  PutFixed64(&body, header.previous_length);
  return body;
}

uint64_t SegmentHeaderSize() { return kLogRecordHeaderSize + EncodeSegmentHeader({}).size(); }

StatusOr<SegmentHeader> DecodeSegmentHeader(std::string_view body) {
  Reader reader(body);
  uint32_t version = reader.Fixed32();
  SegmentHeader header;
  header.id.epoch = reader.Fixed64();
  header.id.number = reader.Fixed64();
  header.previous.epoch = reader.Fixed64();
  header.previous.number = reader.Fixed64();
  header.previous_length = reader.Fixed64();
  if (reader.ok() && version > kLogFormatVersion) {
    return FailedPrecondition(
        fmt::format("log format version {} is newer than this program's {}; use a newer sippar",
                    version, kLogFormatVersion));
  }
  if (!reader.AtEnd())
    return DataLoss(
        "the segment's header cannot be decoded, though its checksum is right; use the sippar that "
        "wrote it");
  return header;
}

size_t LogBodySizeMax(const RowMutation& mutation) {
  // 64 bytes bound the fixed numbers and lengths of a body, 48 bytes those of an entry: each takes
  // 8 bytes, or at most 10 as a varint.
  size_t size = mutation.row.size() + 64;
  for (const MutationEntry& entry : mutation.entries) {
    size += entry.family.size() + entry.qualifier.size() + entry.value.size() + 48;
  }
  return size;
}

void AppendLogBody(std::string* out, uint64_t tablet_id, int64_t wall_us,
                   const RowMutation& mutation) {
  PutVarint(out, tablet_id);
  PutSigned(out, wall_us);
  PutBytes(out, mutation.row);
  PutVarint(out, mutation.entries.size());
  for (const MutationEntry& entry : mutation.entries) {
    out->push_back(static_cast<char>(entry.kind));
    if (entry.kind == MutationEntry::kDeleteRow) continue;
    PutBytes(out, entry.family);
    if (entry.kind == MutationEntry::kDeleteFamily) continue;
    PutBytes(out, entry.qualifier);
    if (entry.kind == MutationEntry::kDeleteColumn) {
      PutSigned(out, entry.time.start_us);
      PutSigned(out, entry.time.limit_us);
    } else {
      PutSigned(out, entry.timestamp_us);
      PutBytes(out, entry.value);
    }
  }
}

void AppendLogAnswer(std::string* out, const RequestId& request, std::string_view answer) {
  request.Encode(out);
  PutBytes(out, answer);
}

StatusOr<LogRecord> DecodeLogBody(std::string_view body) {
  Reader reader(body);
  LogRecord record;
  record.first_sequence = reader.Fixed64();
  record.tablet_id = reader.Varint();
  record.wall_us = reader.Signed();
  record.mutation.row = reader.Bytes();
  size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    MutationEntry& entry = record.mutation.entries.emplace_back();
    uint8_t kind = reader.Byte();
    if (kind > MutationEntry::kDeleteRow)
      return DataLoss(
          fmt::format("log record has an entry of unknown kind {} (known: 0 to {}); use the sippar "
                      "that wrote it",
                      kind, static_cast<int>(MutationEntry::kDeleteRow)));
    entry.kind = static_cast<MutationEntry::Kind>(kind);
    if (entry.kind == MutationEntry::kDeleteRow) continue;
    entry.family = reader.Bytes();
    if (entry.kind == MutationEntry::kDeleteFamily) continue;
    entry.qualifier = reader.Bytes();
    if (entry.kind == MutationEntry::kDeleteColumn) {
      entry.time.start_us = reader.Signed();
      entry.time.limit_us = reader.Signed();
    } else {
      entry.timestamp_us = reader.Signed();
      entry.value = reader.Bytes();
    }
  }
  // Records without a request id, and all records before format version 3, end here.
  if (reader.ok() && !reader.AtEnd()) {
    record.mutation.request = RequestId::Decode(&reader);
    record.answer = reader.Bytes();
    if (record.mutation.request.IsNone()) reader.Fail();
  }
  if (!reader.AtEnd()) {
    return DataLoss(
        "log record cannot be decoded, though its checksum is right; use the sippar that wrote it");
  }
  return record;
}

uint64_t LogRecordChecksum(std::string_view body, const LogPosition& position) {
  // The factor spreads the bits of the durable length, so that the XOR with the offset does not
  // cancel them.
  uint64_t durable = position.durable_length * 0x9e3779b97f4a7c15u;
  return Checksum(body, position.seed ^ position.offset ^ durable);
}

LogFrame LogFrameAt(std::string_view bytes, uint64_t base, uint64_t offset, uint64_t seed) {
  uint64_t at = offset - base;
  if (at + kLogRecordHeaderSize > bytes.size()) return {};
  const char* p = bytes.data() + at;
  if (GetFixed32(p) != kLogMagic) return {};
  uint64_t length = GetFixed32(p + 4);
  // Compares the length with the bytes that exist before it uses the length.
  if (length > bytes.size() - at - kLogRecordHeaderSize) return {};
  uint64_t durable_length = GetFixed64(p + 8);
  // The durable length of a record never exceeds the record's offset, so this field is damaged.
  if (durable_length > offset) return {};
  std::string_view body = bytes.substr(at + kLogRecordHeaderSize, length);
  bool valid = LogRecordChecksum(body, {seed, offset, durable_length}) == GetFixed64(p + 16);
  return {valid, body, durable_length};
}

StatusOr<LogRecordHead> DecodeLogHead(std::string_view body) {
  Reader reader(body);
  LogRecordHead head;
  head.first_sequence = reader.Fixed64();
  head.tablet_id = reader.Varint();
  head.wall_us = reader.Signed();
  head.row = reader.Bytes();
  head.entry_count = reader.Count();
  if (!reader.ok() || head.entry_count == 0) {
    return DataLoss(
        "log record cannot be decoded, though its checksum is right; use the sippar that wrote it");
  }
  return head;
}

void AppendLogRecord(std::string* out, std::string_view body, const LogPosition& position) {
  PutFixed32(out, kLogMagic);
  PutFixed32(out, static_cast<uint32_t>(body.size()));
  PutFixed64(out, position.durable_length);
  PutFixed64(out, LogRecordChecksum(body, position));
  out->append(body);
}

}  // namespace sippar::engine
