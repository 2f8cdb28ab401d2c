// Row updates and their results as bytes. SPDX-License-Identifier: Apache-2.0
#include "engine/program/program_coding.h"
#include "engine/program/row_update.h"

namespace sippar::engine {
namespace {

constexpr uint8_t kVersion = 1;

void EncodeWrite(const RowWrite& write, std::string* out) {
  out->push_back(static_cast<char>(write.kind));
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
  if (kind > RowWrite::kDeleteRow) reader->Fail();
  write.kind = static_cast<RowWrite::Kind>(kind);
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

bool SlotsAreKnown(const Expression& expression, size_t slots) {
  if (expression.kind == Expression::kSlot) return expression.slot < slots;
  for (const Expression& arg : expression.args) {
    if (!SlotsAreKnown(arg, slots)) return false;
  }
  return true;
}

bool IsSound(const RowUpdate& update) {
  size_t slots = update.slots.size();
  auto known = [slots](const std::optional<Expression>& e) {
    return !e || SlotsAreKnown(*e, slots);
  };
  bool sound = known(update.condition);
  for (const SlotDef& slot : update.slots) {
    if (slot.kind == SlotDef::kLet) {
      sound = sound && slot.pattern < update.lets.size();
    } else {
      bool of_cell = slot.kind >= SlotDef::kFamily && slot.kind <= SlotDef::kValue;
      bool no_column = slot.kind >= SlotDef::kNewest && slot.pattern >= update.read.columns.size();
      sound = sound && !of_cell && !no_column;
    }
  }
  for (const Expression& let : update.lets) sound = sound && known(let);
  for (const Expression& e : update.returning) sound = sound && known(e);
  for (const RowFailure& failure : update.failures) {
    sound = sound && known(failure.guard) && known(failure.message);
  }
  for (const RowWrite& write : update.writes) {
    sound = sound && known(write.value) && known(write.timestamp) && known(write.guard);
  }
  return sound;
}

}  // namespace

std::string RowUpdate::Encode() const {
  std::string out(1, static_cast<char>(kVersion));
  PutBytes(&out, row);
  EncodeReadSpec(read, &out);
  EncodeSlots(slots, &out);
  EncodeStrings(counter_families, &out);
  out.push_back(only_if_exists ? 1 : 0);
  EncodeOptional(condition, &out);
  EncodeExpressions(lets, &out);
  PutVarint(&out, failures.size());
  for (const RowFailure& failure : failures) {
    EncodeOptional(failure.guard, &out);
    failure.message.Encode(&out);
  }
  PutVarint(&out, writes.size());
  for (const RowWrite& write : writes) EncodeWrite(write, &out);
  EncodeExpressions(returning, &out);
  PutSigned(&out, now_us);
  request.Encode(&out);
  return out;
}

StatusOr<RowUpdate> RowUpdate::Decode(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.Byte() != kVersion) return InvalidArgument("row update of an unknown version");
  RowUpdate update;
  update.row = reader.Bytes();
  update.read = DecodeReadSpec(&reader);
  update.slots = DecodeSlots(&reader);
  update.counter_families = DecodeStrings(&reader);
  update.only_if_exists = reader.Byte() != 0;
  update.condition = DecodeOptional(&reader);
  update.lets = DecodeExpressions(&reader);
  size_t failures = reader.Count();
  for (size_t i = 0; i < failures && reader.ok(); ++i) {
    RowFailure failure;
    failure.guard = DecodeOptional(&reader);
    failure.message = Expression::Decode(&reader);
    update.failures.push_back(std::move(failure));
  }
  size_t writes = reader.Count();
  for (size_t i = 0; i < writes && reader.ok(); ++i) update.writes.push_back(DecodeWrite(&reader));
  update.returning = DecodeExpressions(&reader);
  update.now_us = reader.Signed();
  update.request = RequestId::Decode(&reader);
  if (!reader.AtEnd() || !IsSound(update)) return InvalidArgument("row update is damaged");
  return update;
}

std::string RowUpdateResult::Encode() const {
  std::string out(1, static_cast<char>(kVersion));
  out.push_back(static_cast<char>((existed ? 1 : 0) | (applied ? 2 : 0) | (row_deleted ? 4 : 0)));
  PutVarint(&out, cells_set);
  PutVarint(&out, columns_deleted);
  PutVarint(&out, cells_deleted);
  EncodeRow(lets, &out);
  EncodeRow(returning, &out);
  return out;
}

StatusOr<RowUpdateResult> RowUpdateResult::Decode(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.Byte() != kVersion) return InvalidArgument("result of an unknown version");
  RowUpdateResult result;
  uint8_t flags = reader.Byte();
  result.existed = (flags & 1) != 0;
  result.applied = (flags & 2) != 0;
  result.row_deleted = (flags & 4) != 0;
  result.cells_set = reader.Varint();
  result.columns_deleted = reader.Varint();
  result.cells_deleted = reader.Varint();
  result.lets = DecodeRow(&reader);
  result.returning = DecodeRow(&reader);
  if (!reader.AtEnd()) return InvalidArgument("result of a row update is damaged");
  return result;
}

}  // namespace sippar::engine
