// The record format that the writer and the readers of the commit log share (FORMAT.md "Commit
// log").
//
// A segment is a header record, then mutation records, each:
//   0   4  magic 0x53724c67
//   4   4  body length
//   8   8  durable length: bytes of the segment known to be synced when this was written
//   16  8  XXH3 of the body, seeded with segment, offset and durable length
//   24  .. body
// Damage below the durable length of any later record is a loss of acknowledged data. Other damage
// comes from a crash during the sync of a group of records, whose pages reach the disk in any
// order. A record with an empty body marks the clean end of the segment: everything before it was
// synced, so damage there is a loss, too. The checksum covers the segment's epoch and number and
// the record's offset, so a record that was copied to another place or segment is invalid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell_key.h"
#include "engine/model/mutation.h"

namespace sippar::engine {

inline constexpr uint32_t kLogMagic = 0x53724c67;
inline constexpr size_t kLogRecordHeaderSize = 24;
inline constexpr uint32_t kLogFormatVersion = 3;  // version 2 had no request ids

// Identifies a segment. Ids are ordered by creation.
struct SegmentId {
  uint64_t epoch = 0;   // epoch of the server that created the segment; no epoch is used twice
  uint64_t number = 0;  // 1, 2, ... within the epoch
  auto operator<=>(const SegmentId&) const = default;
};

// The part of the checksum seed that is the same for all records of a segment.
uint64_t SegmentSeed(SegmentId id);

// The first record of a segment. Bytes of `previous` after `previous_length`, its accepted length,
// were never acknowledged and are not replayed.
struct SegmentHeader {
  SegmentId id;
  SegmentId previous;  // {0,0}: none
  uint64_t previous_length = 0;
};
std::string EncodeSegmentHeader(const SegmentHeader& header);
[[nodiscard]] StatusOr<SegmentHeader> DecodeSegmentHeader(std::string_view body);
uint64_t SegmentHeaderSize();  // size of the header record: the offset of the first mutation record

// One row mutation of one tablet, resolved: only kSet and deletes, with all timestamps known. Entry
// i has the sequence number first_sequence + i.
struct LogRecord {
  uint64_t tablet_id = 0;
  uint64_t first_sequence = 0;
  int64_t wall_us = 0;  // time of the server's clock when the mutation arrived
  RowMutation mutation;
  std::string answer;  // the answer to mutation.request, if the mutation has one
};
// An upper bound of the size of the mutation's body, to reserve memory once.
size_t LogBodySizeMax(const RowMutation& mutation);
// Appends the body without its first 8 bytes, the sequence number, which the leader fills in.
void AppendLogBody(std::string* out, uint64_t tablet_id, int64_t wall_us,
                   const RowMutation& mutation);
// Appends a request id and its answer to a body from AppendLogBody. A body without them belongs to
// a mutation without a request id.
void AppendLogAnswer(std::string* out, const RequestId& request, std::string_view answer);
[[nodiscard]] StatusOr<LogRecord> DecodeLogBody(std::string_view body);

// The part of a record, without its entries, from which a reader decides whether it wants the
// record.
struct LogRecordHead {
  uint64_t tablet_id = 0;
  uint64_t first_sequence = 0;
  uint64_t entry_count = 0;  // at least 1
  int64_t wall_us = 0;
  std::string_view row;  // points into the body

  uint64_t last_sequence() const { return first_sequence + entry_count - 1; }
};
[[nodiscard]] StatusOr<LogRecordHead> DecodeLogHead(std::string_view body);

// The place of a record, and how many bytes were durable when it was written.
struct LogPosition {
  uint64_t seed = 0;  // the segment's seed
  uint64_t offset = 0;
  uint64_t durable_length = 0;
};
// The record at `offset` of a file, if there is a valid one.
struct LogFrame {
  bool valid = false;
  std::string_view body;
  uint64_t durable_length = 0;

  uint64_t size() const { return kLogRecordHeaderSize + body.size(); }
};
// Looks for a record at `offset`; `bytes` are the file's bytes from `base` on.
LogFrame LogFrameAt(std::string_view bytes, uint64_t base, uint64_t offset, uint64_t seed);

// The checksum of a record at `position`.
uint64_t LogRecordChecksum(std::string_view body, const LogPosition& position);
// Frames `body` and appends it to *out.
void AppendLogRecord(std::string* out, std::string_view body, const LogPosition& position);

// Encodes the entries of one resolved mutation as stored entries and calls add(family, key, value,
// sequence) for each; family is "" for a row tombstone.
template <typename Add>
void ForEachEntry(const RowMutation& mutation, uint64_t first_sequence, int64_t wall_us, Add add) {
  uint64_t sequence = first_sequence;
  const std::string& row = mutation.row;
  for (const MutationEntry& entry : mutation.entries) {
    std::string_view family = entry.family;
    switch (entry.kind) {
      case MutationEntry::kDeleteColumn:
        add(family, EncodeColumnTombstone(row, family, entry.qualifier, sequence),
            EncodeColumnDelete({entry.time, wall_us}), sequence);
        break;
      case MutationEntry::kDeleteFamily:
        add(family, EncodeFamilyTombstone(row, family, sequence), std::string_view(), sequence);
        break;
      case MutationEntry::kDeleteRow:
        add(std::string_view(), EncodeRowTombstone(row, sequence), std::string_view(), sequence);
        break;
      case MutationEntry::kSet:
      case MutationEntry::kIncrement:
      case MutationEntry::kAppend:
      case MutationEntry::kAdd:
      case MutationEntry::kMerge:
        add(family, EncodeCellKey(row, family, entry.qualifier, entry.timestamp_us, sequence),
            std::string_view(entry.value), sequence);
        break;
    }
    ++sequence;
  }
}

}  // namespace sippar::engine
