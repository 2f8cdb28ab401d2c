// Programs as bytes and as text.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/program/program_coding.h"

namespace sippar::engine {
namespace {

// Servers of the previous sippar version can decode only kFirstVersion. A program is therefore
// encoded in the lowest version that has all that it uses.
constexpr uint8_t kFirstVersion = 2;
constexpr uint8_t kAggregateVersion = 3;  // adds separators and DISTINCT, new kinds of aggregates
constexpr uint8_t kTextVersion = 4;       // adds the TEXT families
// The largest pattern index that a decoded slot may have. The limit only keeps the index within 32
// bits; the checks of a whole program and of a whole update compare the index with the number of
// patterns.
constexpr uint64_t kPatternMax = 100'000;
constexpr std::string_view kSourceNames[] = {"rows", "cells", "stored entries"};

void EncodeName(const NamePattern& name, std::string* out) {
  out->push_back(static_cast<char>(name.kind));
  out->push_back(name.case_insensitive ? 1 : 0);
  PutBytes(out, name.text);
}

NamePattern DecodeName(Reader* reader) {
  NamePattern name;
  uint8_t kind = reader->Byte();
  if (kind > NamePattern::kAny) reader->Fail();
  name.kind = static_cast<NamePattern::Kind>(kind);
  name.case_insensitive = reader->Byte() != 0;
  name.text = reader->Bytes();
  return name;
}

void EncodeAggregate(const AggregateDef& def, uint8_t version, std::string* out) {
  out->push_back(static_cast<char>(def.kind));
  def.argument.Encode(out);
  PutVarint(out, def.limit);
  if (version == kFirstVersion) return;
  PutBytes(out, def.separator);
  out->push_back(def.distinct ? 1 : 0);
}

uint8_t VersionFor(const Program& program) {
  if (!program.families.texts.empty()) return kTextVersion;
  const bool is_new = std::ranges::any_of(program.aggregates, [](const AggregateDef& def) {
    return def.kind > AggregateDef::kApproxCountDistinct || def.distinct || !def.separator.empty();
  });
  return is_new ? kAggregateVersion : kFirstVersion;
}

AggregateDef DecodeAggregate(Reader* reader, uint8_t version) {
  AggregateDef def;
  uint8_t kind = reader->Byte();
  if (kind > AggregateDef::kStringAgg) reader->Fail();
  def.kind = static_cast<AggregateDef::Kind>(kind);
  def.argument = Expression::Decode(reader);
  def.limit = reader->Varint();
  if (version >= kAggregateVersion) {
    def.separator = reader->Bytes();
    def.distinct = reader->Byte() != 0;
  }
  // Memory grows with these limits, so they are checked here too: the program may come from another
  // process.
  const bool approx =
      def.kind == AggregateDef::kApproxQuantiles || def.kind == AggregateDef::kApproxTop;
  if (approx && (def.limit == 0 || def.limit > kApproxItemsMax)) reader->Fail();
  return def;
}

OrderKey DecodeOrderKey(Reader* reader) {
  OrderKey key;
  key.descending = reader->Byte() != 0;
  key.expression = Expression::Decode(reader);
  return key;
}

bool SlotsAreKnown(const Expression& expression, size_t slots) {
  if (expression.kind == Expression::kSlot) return expression.slot < slots;
  for (const Expression& arg : expression.args) {
    if (!SlotsAreKnown(arg, slots)) return false;
  }
  return true;
}

// A run fills its slots either from whole rows (RowSlots::ReadRow) or from one cell (SetCell) or
// entry (SetEntry). Each function leaves the other functions' slots NULL, so a program with several
// kinds of slots would return wrong values instead of an error. All of them fill in the row key.
bool SlotsFit(const Program& program) {
  return std::ranges::all_of(program.slots, [&](const SlotDef& slot) {
    if (IsOfPattern(slot.kind) && slot.pattern >= program.read.columns.size()) return false;
    if (IsOfEntry(slot.kind)) return program.source == Program::kEntries;
    return slot.kind == SlotDef::kRow || IsOfCell(slot.kind) == (program.source != Program::kRows);
  });
}

// True if the slots fit the source and every expression reads only slots that exist. A decoded
// program comes from another process, and the evaluator does not check.
bool IsSound(const Program& program) {
  auto known = [&](const Expression& e) { return SlotsAreKnown(e, program.slots.size()); };
  return SlotsFit(program) && (!program.where || known(*program.where)) &&
         std::ranges::all_of(program.outputs, known) &&
         std::ranges::all_of(program.group_by, known) &&
         std::ranges::all_of(program.aggregates, known, &AggregateDef::argument) &&
         std::ranges::all_of(program.order_by, known, &OrderKey::expression);
}

std::string PrintList(const std::vector<Expression>& expressions) {
  std::string text;
  for (const Expression& e : expressions) text += (text.empty() ? "" : ", ") + e.Print();
  return text;
}

}  // namespace

void EncodeColumnPattern(const ColumnPattern& pattern, std::string* out) {
  EncodeName(pattern.family, out);
  EncodeName(pattern.qualifier, out);
}

ColumnPattern DecodeColumnPattern(Reader* reader) {
  ColumnPattern pattern;
  pattern.family = DecodeName(reader);
  pattern.qualifier = DecodeName(reader);
  return pattern;
}

void EncodeTimeRange(const TimeRange& time, std::string* out) {
  PutSigned(out, time.start_us);
  PutSigned(out, time.limit_us);
}

TimeRange DecodeTimeRange(Reader* reader) {
  TimeRange time;
  time.start_us = reader->Signed();
  time.limit_us = reader->Signed();
  return time;
}

void EncodeSlots(const std::vector<SlotDef>& slots, std::string* out) {
  PutVarint(out, slots.size());
  for (const SlotDef& slot : slots) {
    out->push_back(static_cast<char>(slot.kind));
    PutVarint(out, slot.pattern);
  }
}

std::vector<SlotDef> DecodeSlots(Reader* reader) {
  std::vector<SlotDef> slots;
  size_t count = reader->Count();
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    uint8_t kind = reader->Byte();
    uint64_t pattern = reader->Varint();
    // The numbers of the kinds have gaps (program.h), so one comparison with the last is not
    // enough.
    bool known = kind <= SlotDef::kValue ||
                 (kind >= SlotDef::kNewest && kind <= SlotDef::kMapHistory) ||
                 (kind >= SlotDef::kLet && kind <= SlotDef::kSequence);
    if (!known || pattern > kPatternMax) reader->Fail();
    slots.push_back({static_cast<SlotDef::Kind>(kind), static_cast<uint32_t>(pattern)});
  }
  return slots;
}

void EncodeExpressions(const std::vector<Expression>& expressions, std::string* out) {
  PutVarint(out, expressions.size());
  for (const Expression& e : expressions) e.Encode(out);
}

std::vector<Expression> DecodeExpressions(Reader* reader) {
  std::vector<Expression> expressions;
  size_t count = reader->Count();
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    expressions.push_back(Expression::Decode(reader));
  }
  return expressions;
}

void EncodeOptional(const std::optional<Expression>& expression, std::string* out) {
  out->push_back(expression ? 1 : 0);
  if (expression) expression->Encode(out);
}

std::optional<Expression> DecodeOptional(Reader* reader) {
  if (reader->Byte() == 0) return std::nullopt;
  return Expression::Decode(reader);
}

void EncodeStrings(const std::vector<std::string>& strings, std::string* out) {
  PutVarint(out, strings.size());
  for (const std::string& text : strings) PutBytes(out, text);
}

std::vector<std::string> DecodeStrings(Reader* reader) {
  std::vector<std::string> strings;
  size_t count = reader->Count();
  for (size_t i = 0; i < count && reader->ok(); ++i) strings.emplace_back(reader->Bytes());
  return strings;
}

void EncodeReadSpec(const ReadSpec& read, std::string* out) {
  PutVarint(out, read.rows.ranges().size());
  for (const RowRange& range : read.rows.ranges()) {
    PutBytes(out, range.start);
    PutBytes(out, range.limit);
  }
  PutVarint(out, read.columns.size());
  for (const ColumnPattern& pattern : read.columns) EncodeColumnPattern(pattern, out);
  EncodeTimeRange(read.time, out);
  PutVarint(out, read.versions_per_column);
  PutVarint(out, read.cells_per_family);
  PutVarint(out, read.cells_per_family_offset);
  PutVarint(out, read.cells_per_row);
  PutVarint(out, read.cells_per_row_offset);
  // Flag 8 says whether value_size_max follows: its default is the largest number, which would take
  // a varint of ten bytes. Flags 16 and 32 say the same of versions_offset and value_part. The
  // other limits are always written: their default 0 takes one byte.
  out->push_back(
      static_cast<char>((read.reverse ? 1 : 0) | (read.strip_values ? 2 : 0) |
                        (read.keys_only ? 4 : 0) | (read.value_size_max != kAnyValueSize ? 8 : 0) |
                        (read.versions_offset != 0 ? 16 : 0) | (read.value_part.IsAll() ? 0 : 32)));
  if (read.value_size_max != kAnyValueSize) PutVarint(out, read.value_size_max);
  if (read.versions_offset != 0) PutVarint(out, read.versions_offset);
  if (!read.value_part.IsAll()) {
    PutVarint(out, read.value_part.offset);
    PutVarint(out, read.value_part.size);
  }
}

ReadSpec DecodeReadSpec(Reader* reader) {
  ReadSpec read;
  read.rows = RowSet();
  size_t ranges = reader->Count();
  for (size_t i = 0; i < ranges && reader->ok(); ++i) {
    RowRange range;
    range.start = reader->Bytes();
    range.limit = reader->Bytes();
    read.rows.Add(std::move(range));
  }
  size_t columns = reader->Count();
  for (size_t i = 0; i < columns && reader->ok(); ++i) {
    read.columns.push_back(DecodeColumnPattern(reader));
  }
  read.time = DecodeTimeRange(reader);
  // EncodeReadSpec writes 32 bits. A larger number from another process is truncated, which only
  // changes how many versions that process gets from its read.
  read.versions_per_column = static_cast<uint32_t>(reader->Varint());
  read.cells_per_family = reader->Varint();
  read.cells_per_family_offset = reader->Varint();
  read.cells_per_row = reader->Varint();
  read.cells_per_row_offset = reader->Varint();
  uint8_t flags = reader->Byte();
  read.reverse = (flags & 1) != 0;
  read.strip_values = (flags & 2) != 0;
  read.keys_only = (flags & 4) != 0;
  if ((flags & 8) != 0) read.value_size_max = reader->Varint();
  if ((flags & 16) != 0) read.versions_offset = static_cast<uint32_t>(reader->Varint());
  if ((flags & 32) != 0) {
    read.value_part.offset = reader->Varint();
    read.value_part.size = reader->Varint();
  }
  return read;
}

std::string Program::Encode() const {
  const uint8_t version = VersionFor(*this);
  std::string out(1, static_cast<char>(version));
  EncodeReadSpec(read, &out);
  out.push_back(static_cast<char>(source));
  EncodeSlots(slots, &out);
  EncodeStrings(families.counters, &out);
  if (version >= kTextVersion) EncodeStrings(families.texts, &out);
  EncodeOptional(where, &out);
  EncodeExpressions(outputs, &out);
  out.push_back(aggregate ? 1 : 0);
  EncodeExpressions(group_by, &out);
  PutVarint(&out, aggregates.size());
  for (const AggregateDef& def : aggregates) EncodeAggregate(def, version, &out);
  PutVarint(&out, order_by.size());
  for (const OrderKey& key : order_by) {
    out.push_back(key.descending ? 1 : 0);
    key.expression.Encode(&out);
  }
  PutVarint(&out, limit);
  PutSigned(&out, now_us);
  return out;
}

StatusOr<Program> Program::Decode(std::string_view bytes) {
  // The size is checked first, because it bounds the memory that decoding takes.
  if (bytes.size() > limits::kProgramSizeMax) {
    return InvalidArgument(fmt::format(
        "row program of the statement has {} bytes; the limit is {}; make the statement shorter",
        bytes.size(), limits::kProgramSizeMax));
  }
  Reader reader(bytes);
  uint8_t version = reader.Byte();
  if (version < kFirstVersion || version > kTextVersion) {
    return InvalidArgument(
        fmt::format("row program: it has format version {}, this program knows {} to {}; use the "
                    "same version of sippar for server and client",
                    version, kFirstVersion, kTextVersion));
  }
  Program program;
  program.read = DecodeReadSpec(&reader);
  uint8_t source = reader.Byte();
  if (source > kEntries) reader.Fail();
  program.source = static_cast<Source>(source);
  program.slots = DecodeSlots(&reader);
  program.families.counters = DecodeStrings(&reader);
  if (version >= kTextVersion) program.families.texts = DecodeStrings(&reader);
  program.where = DecodeOptional(&reader);
  program.outputs = DecodeExpressions(&reader);
  program.aggregate = reader.Byte() != 0;
  program.group_by = DecodeExpressions(&reader);
  size_t aggregates = reader.Count();
  for (size_t i = 0; i < aggregates && reader.ok(); ++i) {
    program.aggregates.push_back(DecodeAggregate(&reader, version));
  }
  size_t keys = reader.Count();
  for (size_t i = 0; i < keys && reader.ok(); ++i) {
    program.order_by.push_back(DecodeOrderKey(&reader));
  }
  program.limit = reader.Varint();
  program.now_us = reader.Signed();
  if (!reader.AtEnd() || !IsSound(program)) {
    return InvalidArgument(
        "row program cannot be decoded; use the same version of sippar for server and client");
  }
  return program;
}

std::string Program::Print() const {
  std::string text = fmt::format("source: {}\n", kSourceNames[source]);
  if (where) text += fmt::format("where: {}\n", where->Print());
  if (aggregate) {
    if (!group_by.empty()) text += fmt::format("group by: {}\n", PrintList(group_by));
    std::string list;
    for (const AggregateDef& def : aggregates) {
      list += fmt::format("{}{}({}{})", list.empty() ? "" : ", ", AggregateName(def.kind),
                          def.distinct ? "DISTINCT " : "",
                          def.kind == AggregateDef::kCountRows ? "" : def.argument.Print());
    }
    text += fmt::format("aggregates: {}\n", list);
  } else {
    text += fmt::format("outputs: {}\n", PrintList(outputs));
  }
  for (const OrderKey& key : order_by) {
    text += fmt::format("order by: {}{}\n", key.expression.Print(), key.descending ? " desc" : "");
  }
  if (limit != 0) text += fmt::format("limit: {}\n", limit);
  return text;
}

}  // namespace sippar::engine
