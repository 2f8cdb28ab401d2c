// Row operations and mutation entries as bytes.
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "engine/base/limits.h"
#include "engine/program/program_coding.h"
#include "engine/program/row_operation.h"

namespace sippar::engine {
namespace {

void EncodeEntries(const std::vector<MutationEntry>& entries, std::string* out) {
  PutVarint(out, entries.size());
  for (const MutationEntry& entry : entries) EncodeEntry(entry, out);
}

std::vector<MutationEntry> DecodeEntries(Reader* reader) {
  std::vector<MutationEntry> entries;
  size_t count = reader->Count();
  // An entry in memory is about a hundred times larger than the byte it may be decoded from, so a
  // short message could otherwise make the decoder allocate much memory.
  if (count > limits::kMutationEntriesMax) reader->Fail();
  for (size_t i = 0; i < count && reader->ok(); ++i) entries.push_back(DecodeEntry(reader));
  return entries;
}

void EncodeFilter(const RowFilter& filter, std::string* out) {
  out->push_back(static_cast<char>(filter.kind));
  PutVarint(out, filter.filters.size());
  for (const RowFilter& part : filter.filters) EncodeFilter(part, out);
  PutBytes(out, filter.text);
  PutBytes(out, filter.range.start);
  out->push_back(filter.range.limit ? 1 : 0);
  if (filter.range.limit) PutBytes(out, *filter.range.limit);
  EncodeTimeRange(filter.time, out);
  PutFixed64(out, std::bit_cast<uint64_t>(filter.probability));
  PutVarint(out, filter.count);
}

RowFilter DecodeFilter(Reader* reader, size_t depth) {
  uint8_t kind = reader->Byte();
  if (kind > RowFilter::kValueBitmask || depth > kFilterDepthMax) reader->Fail();
  RowFilter filter = RowFilter::Of(static_cast<RowFilter::Kind>(kind));
  size_t parts = reader->Count();
  for (size_t i = 0; i < parts && reader->ok(); ++i) {
    filter.filters.push_back(DecodeFilter(reader, depth + 1));
  }
  filter.text = reader->Bytes();
  filter.range.start = reader->Bytes();
  if (reader->Byte() != 0) filter.range.limit = reader->Bytes();
  filter.time = DecodeTimeRange(reader);
  filter.probability = std::bit_cast<double>(reader->Fixed64());
  filter.count = static_cast<uint32_t>(reader->Varint());
  return filter;
}

}  // namespace

void EncodeEntry(const MutationEntry& entry, std::string* out) {
  out->push_back(static_cast<char>(entry.kind));
  if (entry.kind == MutationEntry::kDeleteRow) return;
  PutBytes(out, entry.family);
  if (entry.kind == MutationEntry::kDeleteFamily) return;
  PutBytes(out, entry.qualifier);
  if (entry.kind == MutationEntry::kDeleteColumn) {
    PutSigned(out, entry.time.start_us);
    PutSigned(out, entry.time.limit_us);
    return;
  }
  PutSigned(out, entry.timestamp_us);
  if (entry.kind == MutationEntry::kIncrement) {
    PutSigned(out, entry.delta);
  } else {
    PutBytes(out, entry.value);
  }
}

MutationEntry DecodeEntry(Reader* reader) {
  MutationEntry entry;
  uint8_t kind = reader->Byte();
  if (kind > MutationEntry::kMerge) reader->Fail();
  entry.kind = static_cast<MutationEntry::Kind>(kind);
  if (entry.kind == MutationEntry::kDeleteRow) return entry;
  entry.family = reader->Bytes();
  if (entry.kind == MutationEntry::kDeleteFamily) return entry;
  entry.qualifier = reader->Bytes();
  if (entry.kind == MutationEntry::kDeleteColumn) {
    entry.time.start_us = reader->Signed();
    entry.time.limit_us = reader->Signed();
    return entry;
  }
  entry.timestamp_us = reader->Signed();
  if (entry.kind == MutationEntry::kIncrement) {
    entry.delta = reader->Signed();
  } else {
    entry.value = reader->Bytes();
  }
  return entry;
}

void CheckedMutation::Encode(std::string* out) const {
  EncodeFilter(predicate, out);
  PutFixed64(out, seed);
  EncodeEntries(on_true, out);
  EncodeEntries(on_false, out);
}

CheckedMutation CheckedMutation::Decode(Reader* reader) {
  CheckedMutation check;
  check.predicate = DecodeFilter(reader, 0);
  check.seed = reader->Fixed64();
  check.on_true = DecodeEntries(reader);
  check.on_false = DecodeEntries(reader);
  return check;
}

void ModifyRule::Encode(std::string* out) const {
  PutBytes(out, family);
  PutBytes(out, qualifier);
  out->push_back(append ? 1 : 0);
  if (append) {
    PutBytes(out, *append);
  } else {
    PutSigned(out, increment);
  }
}

ModifyRule ModifyRule::Decode(Reader* reader) {
  ModifyRule rule;
  rule.family = reader->Bytes();
  rule.qualifier = reader->Bytes();
  if (reader->Byte() != 0) {
    rule.append = reader->Bytes();
  } else {
    rule.increment = reader->Signed();
  }
  return rule;
}

}  // namespace sippar::engine
