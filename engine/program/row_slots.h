// Fills a program's slots from the cells of one row, or from one cell or stored entry. Used by
// run_program and row_update. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/cell_iterator.h"
#include "engine/model/column_pattern.h"
#include "engine/model/stored_entry.h"
#include "engine/program/evaluate.h"
#include "engine/program/program.h"

namespace sippar::engine {

class RowSlots final : public SlotPlaces {
 public:
  // `slots`, `columns` and `families` outlive the result.
  [[nodiscard]] static StatusOr<std::unique_ptr<RowSlots>> Make(
      const std::vector<SlotDef>& slots, const std::vector<ColumnPattern>& columns,
      const TypedFamilies& families);

  // True if a slot needs cells; otherwise ReadRow only takes the row's key.
  bool needs_cells() const { return needs_cells_; }
  // Reads the current row of `cells` (requires: Valid) and moves to the next row. Returns the
  // number of cells read.
  uint64_t ReadRow(CellStream* cells);
  // Sets the slots as for a row without cells.
  void SetEmptyRow(std::string_view row);
  // Sets the slots from one cell, for Program::kCells.
  void SetCell(const CellView& cell);
  // Sets the slots from one stored entry, for Program::kEntries.
  void SetEntry(const CellView& cell, const StoredEntry& entry);
  void SetLets(const Row& lets);

  const Row& values() const { return values_; }
  const std::string& row() const { return row_; }
  std::string PlaceOf(uint32_t slot) const override;

 private:
  struct PatternState {
    std::vector<uint32_t> slots;
    bool family_is_exact = false;
  };
  struct SlotState {
    std::string family;  // column of the newest cell taken, for PlaceOf
    std::string qualifier;
    uint64_t name_count = 0;  // name_count_ when `family` and `qualifier` were set; 0: never set
    int64_t timestamp_us = 0;
    bool taken = false;
    Value::Items items;    // items of the map or history being collected
    Value::Items history;  // history of the map's current entry
  };

  RowSlots(const std::vector<SlotDef>& slots, const TypedFamilies& families);
  void StartRow(std::string_view row);
  void SetDelete(const CellView& cell, const StoredEntry& entry);
  void FinishRow();
  void EnterColumn(const CellView& cell);
  void Take(const CellView& cell, bool first_version);
  void TakeIntoMap(const SlotDef& def, SlotState* state, const CellView& cell, bool family_is_exact,
                   bool first_version);
  void FinishEntry(SlotState* state);
  Value ValueOf(const CellView& cell) const;
  void AssignValue(const CellView& cell, Value* out) const;

  const std::vector<SlotDef>& slots_;
  const TypedFamilies& families_;
  std::unique_ptr<ColumnMatcher> matcher_;  // null if no slot needs cells
  std::vector<PatternState> patterns_;
  std::string last_family_;  // the last family that a slot needs; "": unknown
  std::vector<SlotState> states_;
  Row values_;
  std::string row_;
  std::string family_, qualifier_;             // name of the current column
  uint64_t name_count_ = 0;                    // how often EnterColumn has set the name
  ValueType family_type_ = ValueType::kBytes;  // of the values of family_
  std::vector<int> matches_;
  bool needs_cells_ = false;
};

}  // namespace sippar::engine
