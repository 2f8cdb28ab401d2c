// Fills the slots of a program over stored entries.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/program/row_slots.h"

namespace sippar::engine {
namespace {

Value BoundOf(int64_t time_us, int64_t none) {
  return time_us == none ? Value::Null() : Value::Int64(time_us);
}

}  // namespace

void RowSlots::SetEntry(const CellView& cell, const StoredEntry& entry) {
  SetCell(cell);
  const bool deletes = entry.kind != EntryKind::kCell;
  for (size_t i = 0; i < slots_.size(); ++i) {
    Value& value = values_[i];
    switch (slots_[i].kind) {
      case SlotDef::kOp:
        value.AssignBytes(ValueType::kText, deletes ? "DELETE" : "SET");
        break;
      case SlotDef::kVisible:
        value = Value::Bool(entry.is_visible);
        break;
      case SlotDef::kTimeFrom:
        value = BoundOf(entry.time.start_us, kTimeMin);
        break;
      case SlotDef::kTimeTo:
        value = BoundOf(entry.time.limit_us, kTimeMax);
        break;
      case SlotDef::kSequence:
        value = Value::Int64(static_cast<int64_t>(cell.sequence));
        break;
      default:
        break;
    }
  }
  if (deletes) SetDelete(cell, entry);
}

// Corrects the parts of the cell, which SetCell has set as if the delete were a version.
void RowSlots::SetDelete(const CellView& cell, const StoredEntry& entry) {
  const bool of_row = entry.kind == EntryKind::kRowTombstone;
  const bool of_column = entry.kind == EntryKind::kColumnTombstone;
  const bool of_version = of_column && IsOneVersion(entry.time);
  for (size_t i = 0; i < slots_.size(); ++i) {
    Value& value = values_[i];
    switch (slots_[i].kind) {
      case SlotDef::kFamily:
        if (of_row) value.AssignNull();
        break;
      case SlotDef::kQualifier:
        if (!of_column) value.AssignNull();
        break;
      case SlotDef::kColumn:
        if (!of_column) value = Value::Text(of_row ? "*:*" : fmt::format("{}:*", cell.family));
        break;
      case SlotDef::kTimestamp:
        value = of_version ? Value::Int64(entry.time.start_us) : Value::Null();
        break;
      case SlotDef::kValue:
        value.AssignNull();
        break;
      default:
        break;
    }
  }
}

}  // namespace sippar::engine
