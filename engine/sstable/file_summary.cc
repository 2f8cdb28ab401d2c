// Encodes and decodes FileSummary (FORMAT.md "File summary").
// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/file_summary.h"

namespace sippar::engine {

void FileSummary::Encode(std::string* out) const {
  PutVarint(out, file_id);
  PutVarint(out, size_bytes);
  PutVarint(out, raw_bytes);
  PutVarint(out, entries);
  PutVarint(out, tombstones);
  PutVarint(out, rows);
  PutBytes(out, first_key);
  PutBytes(out, last_key);
  PutVarint(out, sequence_min);
  PutVarint(out, sequence_max);
  PutSigned(out, time_min_us);
  PutSigned(out, time_max_us);
  PutVarint(out, families.size());
  for (const auto& [name, bytes] : families) {
    PutBytes(out, name);
    PutVarint(out, bytes.cells);
    PutVarint(out, bytes.raw_bytes);
  }
}

void FileSummary::Decode(Reader* reader) {
  file_id = reader->Varint();
  size_bytes = reader->Varint();
  raw_bytes = reader->Varint();
  entries = reader->Varint();
  tombstones = reader->Varint();
  rows = reader->Varint();
  first_key = reader->Bytes();
  last_key = reader->Bytes();
  sequence_min = reader->Varint();
  sequence_max = reader->Varint();
  time_min_us = reader->Signed();
  time_max_us = reader->Signed();
  families.clear();
  for (size_t left = reader->Count(); left > 0 && reader->ok(); --left) {
    std::string name(reader->Bytes());
    FamilyBytes bytes;
    bytes.cells = reader->Varint();
    bytes.raw_bytes = reader->Varint();
    // Names must ascend: a family that occurs twice is damage.
    if (!families.empty() && name <= families.rbegin()->first) reader->Fail();
    families.emplace_hint(families.end(), std::move(name), bytes);
  }
  if (first_key > last_key || tombstones > entries || rows > entries) reader->Fail();
}

uint64_t StoredBytes(const std::vector<FileSummary>& files) {
  uint64_t bytes = 0;
  for (const FileSummary& file : files) bytes += file.size_bytes;
  return bytes;
}

}  // namespace sippar::engine
