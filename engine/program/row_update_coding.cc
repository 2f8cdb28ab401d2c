// Row updates and their results as bytes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/program/program_coding.h"
#include "engine/program/row_update.h"

namespace sippar::engine {
namespace {

// The version byte tells the current layouts apart: an operation stores rules or a check in place
// of slots and expressions, and only an update of a table with TEXT families stores their names.
// Decode refuses every other version.
constexpr uint8_t kVersion = 2;
constexpr uint8_t kOperationVersion = 3;  // version byte of an update that is an operation
constexpr uint8_t kTextVersion = 4;       // an update with TEXT families

void EncodeWrite(const RowWrite& write, std::string* out) {
  out->push_back(static_cast<char>(write.kind));
  PutVarint(out, write.statement);
  PutBytes(out, write.family);
  PutBytes(out, write.qualifier);
  write.value.Encode(out);
  EncodeOptional(write.timestamp, out);
  EncodeColumnPattern(write.pattern, out);
  PutVarint(out, write.times.size());
  for (const TimeRange& time : write.times) EncodeTimeRange(time, out);
  EncodeOptional(write.guard, out);
}

RowWrite DecodeWrite(Reader* reader) {
  RowWrite write;
  uint8_t kind = reader->Byte();
  if (kind > RowWrite::kFail) reader->Fail();
  write.kind = static_cast<RowWrite::Kind>(kind);
  write.statement = static_cast<uint32_t>(reader->Varint());
  write.family = reader->Bytes();
  write.qualifier = reader->Bytes();
  write.value = Expression::Decode(reader);
  write.timestamp = DecodeOptional(reader);
  write.pattern = DecodeColumnPattern(reader);
  size_t times = reader->Count();
  for (size_t i = 0; i < times && reader->ok(); ++i) write.times.push_back(DecodeTimeRange(reader));
  write.guard = DecodeOptional(reader);
  return write;
}

void EncodeRow(const Row& row, std::string* out) {
  PutVarint(out, row.size());
  for (const Value& value : row) value.Encode(out);
}

Row DecodeRow(Reader* reader) {
  Row row;
  size_t count = reader->Count();
  for (size_t i = 0; i < count && reader->ok(); ++i) row.push_back(Value::Decode(reader));
  return row;
}

void EncodeCell(const Cell& cell, std::string* out) {
  PutBytes(out, cell.family);
  PutBytes(out, cell.qualifier);
  PutSigned(out, cell.timestamp_us);
  PutBytes(out, cell.value);
}

Cell DecodeCell(Reader* reader) {
  Cell cell;
  cell.family = reader->Bytes();
  cell.qualifier = reader->Bytes();
  cell.timestamp_us = reader->Signed();
  cell.value = reader->Bytes();
  return cell;
}

std::string EncodeOperation(const RowUpdate& update) {
  std::string out(1, static_cast<char>(kOperationVersion));
  PutBytes(&out, update.row);
  EncodeReadSpec(update.read, &out);
  update.request.Encode(&out);
  PutVarint(&out, update.rules.size());
  for (const ModifyRule& rule : update.rules) rule.Encode(&out);
  if (update.check) update.check->Encode(&out);
  return out;
}

StatusOr<RowUpdate> DecodeOperation(Reader reader) {
  RowUpdate update;
  update.row = reader.Bytes();
  update.read = DecodeReadSpec(&reader);
  update.request = RequestId::Decode(&reader);
  size_t rules = reader.Count();
  for (size_t i = 0; i < rules && reader.ok(); ++i) {
    update.rules.push_back(ModifyRule::Decode(&reader));
  }
  if (update.rules.empty()) update.check = CheckedMutation::Decode(&reader);
  if (!reader.AtEnd()) {
    return InvalidArgument(
        "row operation cannot be decoded; use the same version of sippar for server and client");
  }
  // The filter comes from a client and is checked before it is compiled.
  if (update.check) RETURN_IF_ERROR(update.check->predicate.Validate());
  return update;
}

bool SlotsAreKnown(const Expression& expression, size_t slots) {
  if (expression.kind == Expression::kSlot) return expression.slot < slots;
  for (const Expression& arg : expression.args) {
    if (!SlotsAreKnown(arg, slots)) return false;
  }
  return true;
}

// True if an update can have these slots and every expression reads only slots that exist. An
// update comes from another process, and the evaluator does not check slots.
bool IsSound(const RowUpdate& update) {
  size_t slots = update.slots.size();
  auto known = [slots](const std::optional<Expression>& e) {
    return !e || SlotsAreKnown(*e, slots);
  };
  bool sound = known(update.condition);
  auto is_let = [](const RowWrite& write) { return write.kind == RowWrite::kLet; };
  auto lets = std::count_if(update.writes.begin(), update.writes.end(), is_let);
  for (const SlotDef& slot : update.slots) {
    if (slot.kind == SlotDef::kLet) {
      sound = sound && slot.pattern < static_cast<size_t>(lets);
    } else {
      bool no_column = IsOfPattern(slot.kind) && slot.pattern >= update.read.columns.size();
      sound = sound && !IsOfCell(slot.kind) && !no_column;
    }
  }
  for (const Expression& e : update.returning) sound = sound && known(e);
  for (const RowWrite& write : update.writes) {
    sound = sound && known(write.value) && known(write.timestamp) && known(write.guard);
  }
  return sound;
}

}  // namespace

std::string RowUpdate::Encode() const {
  if (IsOperation()) return EncodeOperation(*this);
  const bool has_texts = !families.texts.empty();
  std::string out(1, static_cast<char>(has_texts ? kTextVersion : kVersion));
  PutBytes(&out, row);
  EncodeReadSpec(read, &out);
  EncodeSlots(slots, &out);
  EncodeStrings(families.counters, &out);
  if (has_texts) EncodeStrings(families.texts, &out);
  out.push_back(only_if_exists ? 1 : 0);
  EncodeOptional(condition, &out);
  PutVarint(&out, writes.size());
  for (const RowWrite& write : writes) EncodeWrite(write, &out);
  EncodeExpressions(returning, &out);
  PutSigned(&out, now_us);
  request.Encode(&out);
  return out;
}

StatusOr<RowUpdate> RowUpdate::Decode(std::string_view bytes) {
  Reader reader(bytes);
  uint8_t version = reader.Byte();
  if (version == kOperationVersion) return DecodeOperation(reader);
  if (version != kVersion && version != kTextVersion) {
    return InvalidArgument(
        fmt::format("row update: it has format version {}, this program knows {} to {}; use the "
                    "same version of sippar for server and client",
                    version, kVersion, kTextVersion));
  }
  RowUpdate update;
  update.row = reader.Bytes();
  update.read = DecodeReadSpec(&reader);
  update.slots = DecodeSlots(&reader);
  update.families.counters = DecodeStrings(&reader);
  if (version == kTextVersion) update.families.texts = DecodeStrings(&reader);
  update.only_if_exists = reader.Byte() != 0;
  update.condition = DecodeOptional(&reader);
  size_t writes = reader.Count();
  for (size_t i = 0; i < writes && reader.ok(); ++i) update.writes.push_back(DecodeWrite(&reader));
  update.returning = DecodeExpressions(&reader);
  update.now_us = reader.Signed();
  update.request = RequestId::Decode(&reader);
  if (!reader.AtEnd() || !IsSound(update)) {
    return InvalidArgument(
        "row update cannot be decoded; use the same version of sippar for server and client");
  }
  return update;
}

std::string RowUpdateResult::Encode() const {
  std::string out(1, static_cast<char>(kVersion));
  out.push_back(static_cast<char>((existed ? 1 : 0) | (applied ? 2 : 0) | (row_deleted ? 4 : 0) |
                                  (matched ? 8 : 0)));
  PutVarint(&out, cells_set);
  PutVarint(&out, columns_deleted);
  PutVarint(&out, cells_deleted);
  EncodeRow(lets, &out);
  EncodeRow(returning, &out);
  // Only an operation returns cells. The bytes of every other result end here, without a count.
  if (cells.empty()) return out;
  PutVarint(&out, cells.size());
  for (const Cell& cell : cells) EncodeCell(cell, &out);
  return out;
}

StatusOr<RowUpdateResult> RowUpdateResult::Decode(std::string_view bytes) {
  Reader reader(bytes);
  uint8_t version = reader.Byte();
  if (version != kVersion) {
    return InvalidArgument(
        fmt::format("result of a row update: it has format version {}, this program knows only {}; "
                    "use the sippar that made it",
                    version, kVersion));
  }
  RowUpdateResult result;
  uint8_t flags = reader.Byte();
  result.existed = (flags & 1) != 0;
  result.applied = (flags & 2) != 0;
  result.row_deleted = (flags & 4) != 0;
  result.matched = (flags & 8) != 0;
  result.cells_set = reader.Varint();
  result.columns_deleted = reader.Varint();
  result.cells_deleted = reader.Varint();
  result.lets = DecodeRow(&reader);
  result.returning = DecodeRow(&reader);
  size_t cells = reader.left() == 0 ? 0 : reader.Count();
  for (size_t i = 0; i < cells && reader.ok(); ++i) result.cells.push_back(DecodeCell(&reader));
  if (!reader.AtEnd()) {
    return InvalidArgument("result of a row update cannot be decoded; use the sippar that made it");
  }
  return result;
}

}  // namespace sippar::engine
