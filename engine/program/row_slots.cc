// SPDX-License-Identifier: Apache-2.0
#include "engine/program/row_slots.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::engine {

RowSlots::RowSlots(const std::vector<SlotDef>& slots, const TypedFamilies& families)
    : slots_(slots), families_(families), states_(slots.size()), values_(slots.size()) {}

StatusOr<std::unique_ptr<RowSlots>> RowSlots::Make(const std::vector<SlotDef>& slots,
                                                   const std::vector<ColumnPattern>& columns,
                                                   const TypedFamilies& families) {
  std::unique_ptr<RowSlots> result(new RowSlots(slots, families));
  // Patterns from index `used` on belong to no slot. They are read so that the result includes rows
  // without any of the wanted columns (query/README.md, "Which rows exist"), or so that an update
  // sees the columns that it deletes.
  size_t used = 0;
  bool families_known = true;
  for (uint32_t i = 0; i < slots.size(); ++i) {
    if (!IsOfPattern(slots[i].kind)) continue;
    if (slots[i].pattern >= columns.size())
      return InvalidArgument(fmt::format(
          "row program: it uses column {}, but has only {} columns; use the same version of "
          "sippar for server and client",
          slots[i].pattern + 1, columns.size()));
    result->needs_cells_ = true;
    used = std::max<size_t>(used, slots[i].pattern + 1);
    if (result->patterns_.size() < used) result->patterns_.resize(used);
    const NamePattern& family = columns[slots[i].pattern].family;
    result->patterns_[slots[i].pattern].slots.push_back(i);
    result->patterns_[slots[i].pattern].family_is_exact = family.kind == NamePattern::kExact;
    // A pattern without an exact family may match a family after all the named families. So if one
    // pattern is of this kind, every row must be read to its end.
    families_known = families_known && family.kind == NamePattern::kExact;
    if (families_known) result->last_family_ = std::max(result->last_family_, family.text);
  }
  if (!families_known) result->last_family_.clear();
  if (result->needs_cells_) {
    ASSIGN_OR_RETURN(
        result->matcher_,
        ColumnMatcher::Compile({columns.begin(), columns.begin() + static_cast<ptrdiff_t>(used)}));
  }
  return result;
}

void RowSlots::AssignValue(const CellView& cell, Value* out) const {
  // A counter has 8 bytes, and writes of another length are refused, but a read without values
  // (STRIP VALUES) returns it empty. Bytes that are not a counter are shown as they are.
  const bool is_number = family_type_ == ValueType::kInt64;
  if (is_number && cell.value.size() == 8) {
    out->AssignInteger(ValueType::kInt64, static_cast<int64_t>(GetBig64(cell.value.data())));
  } else {
    out->AssignBytes(is_number ? ValueType::kBytes : family_type_, cell.value);
  }
}

Value RowSlots::ValueOf(const CellView& cell) const {
  Value value;
  AssignValue(cell, &value);
  return value;
}

void RowSlots::StartRow(std::string_view row) {
  row_.assign(row);
  for (size_t i = 0; i < slots_.size(); ++i) {
    SlotState& state = states_[i];
    switch (slots_[i].kind) {
      case SlotDef::kRow:
        values_[i].AssignBytes(ValueType::kText, row);
        break;
      case SlotDef::kVersionCount:
        values_[i].AssignInteger(ValueType::kInt64, 0);
        break;
      // SetLets sets the value of a LET, which does not come from the row. The value must stay,
      // because a later statement of an update may read the row again (row_update.cc,
      // BeginStatement).
      case SlotDef::kLet:
        break;
      case SlotDef::kFamily:
      case SlotDef::kQualifier:
      case SlotDef::kColumn:
      case SlotDef::kTimestamp:
      case SlotDef::kValue:
      case SlotDef::kNewest:
      case SlotDef::kNewestTime:
      case SlotDef::kHistory:
      case SlotDef::kMap:
      case SlotDef::kMapHistory:
      case SlotDef::kOp:
      case SlotDef::kVisible:
      case SlotDef::kTimeFrom:
      case SlotDef::kTimeTo:
      case SlotDef::kSequence:
        values_[i].AssignNull();
        state.items.clear();
        state.history.clear();
        break;
    }
    state.taken = false;
  }
}

void RowSlots::FinishRow() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    SlotState& state = states_[i];
    switch (slots_[i].kind) {
      case SlotDef::kHistory:
        if (state.taken) values_[i] = Value::Array(std::move(state.items));
        break;
      case SlotDef::kMapHistory:
        FinishEntry(&state);
        [[fallthrough]];
      case SlotDef::kMap:
        values_[i] = Value::Map(std::move(state.items));
        break;
      default:
        continue;
    }
    // The vector was moved from; its content is unspecified until it is assigned.
    state.items = {};
  }
}

void RowSlots::FinishEntry(SlotState* state) {
  if (state->history.empty()) return;
  state->items.push_back(Value::Array(std::move(state->history)));
  state->history = {};
}

void RowSlots::EnterColumn(const CellView& cell) {
  // Neighbouring rows mostly have the same columns, so this column may have the same name as the
  // last column of the row before.
  const bool same_family = name_count_ > 0 && cell.family == family_;
  if (same_family && cell.qualifier == qualifier_) return;
  if (!same_family) family_type_ = families_.TypeOf(cell.family);
  family_.assign(cell.family);
  qualifier_.assign(cell.qualifier);
  ++name_count_;
  matches_.clear();
  matcher_->MatchIndexes(cell.family, cell.qualifier, &matches_);
}

void RowSlots::TakeIntoMap(const SlotDef& def, SlotState* state, const CellView& cell,
                           bool family_is_exact, bool first_version) {
  if (first_version) {
    // A new column begins, so the versions of the column before it are complete.
    FinishEntry(state);
    std::string name(cell.qualifier);
    if (!family_is_exact) name = fmt::format("{}:{}", cell.family, cell.qualifier);
    state->items.push_back(Value::Text(std::move(name)));
    if (def.kind == SlotDef::kMap) state->items.push_back(ValueOf(cell));
  }
  if (def.kind == SlotDef::kMapHistory) {
    state->history.push_back(Value::Struct({Value::Int64(cell.timestamp_us), ValueOf(cell)}));
  }
}

void RowSlots::Take(const CellView& cell, bool first_version) {
  for (int match : matches_) {
    for (uint32_t i : patterns_[static_cast<size_t>(match)].slots) {
      SlotState& state = states_[i];
      bool newest = !state.taken;
      switch (slots_[i].kind) {
        case SlotDef::kNewest:
          if (newest) AssignValue(cell, &values_[i]);
          break;
        case SlotDef::kNewestTime:
          if (newest) values_[i].AssignInteger(ValueType::kInt64, cell.timestamp_us);
          break;
        case SlotDef::kVersionCount:
          values_[i].AssignInteger(ValueType::kInt64, values_[i].integer() + 1);
          break;
        case SlotDef::kHistory:
          state.items.push_back(Value::Struct({Value::Int64(cell.timestamp_us), ValueOf(cell)}));
          break;
        case SlotDef::kMap:
        case SlotDef::kMapHistory:
          TakeIntoMap(slots_[i], &state, cell,
                      patterns_[static_cast<size_t>(match)].family_is_exact, first_version);
          break;
        // The values of these slots do not come from the cells of a pattern.
        case SlotDef::kRow:
        case SlotDef::kFamily:
        case SlotDef::kQualifier:
        case SlotDef::kColumn:
        case SlotDef::kTimestamp:
        case SlotDef::kValue:
        case SlotDef::kLet:
        case SlotDef::kOp:
        case SlotDef::kVisible:
        case SlotDef::kTimeFrom:
        case SlotDef::kTimeTo:
        case SlotDef::kSequence:
          break;
      }
      // Every kind of slot records its newest cell, even the kinds that take all cells: an error
      // names this cell (PlaceOf), and `taken` tells FinishRow that a history has an entry.
      if (newest) {
        state.taken = true;
        state.timestamp_us = cell.timestamp_us;
        if (state.name_count == name_count_) continue;
        state.name_count = name_count_;
        state.family.assign(cell.family);
        state.qualifier.assign(cell.qualifier);
      }
    }
  }
}

uint64_t RowSlots::ReadRow(CellStream* cells) {
  StartRow(cells->cell().row);
  if (!needs_cells_) {
    cells->NextRow();
    return 1;
  }
  uint64_t count = 0;
  bool first = true;
  while (cells->Valid()) {
    const CellView& cell = cells->cell();
    if (cell.row != row_) break;
    if (!last_family_.empty() && cell.family > last_family_) {
      // Families come in order, so no slot needs the rest of the row.
      cells->NextRow();
      break;
    }
    bool first_version = first || cell.family != family_ || cell.qualifier != qualifier_;
    // Patterns are matched once for a column, not for each of its versions.
    if (first_version) EnterColumn(cell);
    first = false;
    if (!matches_.empty()) Take(cell, first_version);
    ++count;
    cells->Next();
  }
  FinishRow();
  return count;
}

void RowSlots::SetEmptyRow(std::string_view row) {
  StartRow(row);
  FinishRow();
}

void RowSlots::SetCell(const CellView& cell) {
  if (cell.family != family_) {
    family_.assign(cell.family);
    family_type_ = families_.TypeOf(cell.family);
  }
  row_.assign(cell.row);
  qualifier_.assign(cell.qualifier);
  for (size_t i = 0; i < slots_.size(); ++i) {
    Value& value = values_[i];
    switch (slots_[i].kind) {
      case SlotDef::kRow:
        value.AssignBytes(ValueType::kText, cell.row);
        break;
      case SlotDef::kFamily:
        value.AssignBytes(ValueType::kText, cell.family);
        break;
      case SlotDef::kQualifier:
        value.AssignBytes(ValueType::kText, cell.qualifier);
        break;
      case SlotDef::kColumn:
        value.AssignBytes(ValueType::kText, fmt::format("{}:{}", cell.family, cell.qualifier));
        break;
      case SlotDef::kTimestamp:
        value = Value::Int64(cell.timestamp_us);
        break;
      case SlotDef::kValue:
        AssignValue(cell, &value);
        // PlaceOf reads only the time from this state; it takes the column from family_ and
        // qualifier_.
        states_[i].timestamp_us = cell.timestamp_us;
        break;
      default:
        break;
    }
  }
}

void RowSlots::SetLets(const Row& lets) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].kind == SlotDef::kLet && slots_[i].pattern < lets.size()) {
      values_[i] = lets[slots_[i].pattern];
    }
  }
}

std::string RowSlots::PlaceOf(uint32_t slot) const {
  std::string place = fmt::format("in row '{}'", PrintEscaped(row_));
  const SlotState& state = states_[slot];
  if (slots_[slot].kind == SlotDef::kValue) {
    return fmt::format("{}, column {}:{}, time {}", place, family_, PrintEscaped(qualifier_),
                       state.timestamp_us);
  }
  if (IsOfPattern(slots_[slot].kind) && state.taken) {
    return fmt::format("{}, column {}:{}, time {}", place, state.family,
                       PrintEscaped(state.qualifier), state.timestamp_us);
  }
  return place;
}

}  // namespace sippar::engine
