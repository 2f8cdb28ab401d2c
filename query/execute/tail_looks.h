// Decides what the looks of TAIL at a table without a change stream read, and which of the cells
// that they find are new. A look reads the cells with a time from its start up to the clock.
//
// Cells do not become visible in the order of their times: a write gets its time before its log is
// synced, and each server has its own clock. So a look begins kLookBackUs before the end of the
// look before it, and leaves out the cells that were given already. These are remembered by time
// and hash, at most kRememberedMax of them. If there are more, the oldest are forgotten, and later
// looks read nothing as old as these: no cell is given twice, and a busy table is looked back at
// less far.
//
// Pure; times are microseconds since 1970. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/coding.h"
#include "engine/model/cell.h"
#include "engine/model/row_set.h"

namespace sippar::query {

inline constexpr int64_t kLookBackUs = 5'000'000;
inline constexpr size_t kRememberedMax = 500'000;     // 16 bytes each, in at most four such lists
inline constexpr size_t kRememberedInPosition = 128;  // a position is text that users copy

class TailLooks {
 public:
  // Looks at the cells from `start_us` on.
  explicit TailLooks(int64_t start_us) : start_us_(start_us) {}

  // Begins a look, or continues the one that has not ended. `end_us`: the last time wanted. False:
  // there is nothing to read now.
  bool Begin(int64_t now_us, std::optional<int64_t> end_us);
  // True if no later look would read a time up to `end_us`. Called after Begin or End.
  bool IsOver(std::optional<int64_t> end_us) const;

  // What the open look reads. A look that is continued reads the row of the last cell given again,
  // and IsNew then refuses the cells up to that one.
  engine::TimeRange times() const { return {start_us_, limit_us_}; }
  engine::RowRange rows() const { return {last_.row, ""}; }
  // True if the cell was not given yet. Within a look, the cells come in the order of the table.
  bool IsNew(const engine::CellView& cell);
  // Remembers a cell as given in the open look.
  void Give(const engine::CellView& cell);
  // Ends the open look: it has read all its cells.
  void End();

  // Encodes where a later TAIL continues, as the text that TAIL … FROM takes.
  std::string Position(uint64_t table_id) const;
  // nullopt if `text` is not such a position.
  static std::optional<TailLooks> FromPosition(std::string_view text, uint64_t* table_id);

 private:
  // A cell that gets another value at the same time is another cell, and is given again.
  struct Remembered {
    int64_t timestamp_us = 0;
    uint64_t hash = 0;  // of place and value
    auto operator<=>(const Remembered&) const = default;
  };
  using Cells = std::vector<Remembered>;

  Remembered Hashed(const engine::CellView& cell);
  bool IsPassed(const engine::CellView& cell) const;
  // Removes the oldest cells if there are more than `max`, and with them all others of the same
  // time. Returns the first time that is later than all cells removed, or kTimeMin.
  static int64_t Forget(size_t max, Cells* cells);
  static void PutCells(Cells cells, std::string* out);
  static Cells ReadCells(engine::Reader* reader);

  int64_t start_us_;          // of the open look, else of the next one
  int64_t limit_us_ = 0;      // of the last look begun; exclusive, kTimeMax: no limit
  bool is_open_ = false;      // a look has begun and has not ended
  int64_t next_us_ = 0;       // open look: start of the look after it; later cells are remembered
  engine::Cell last_;         // open look: the last cell given, without its value; row "": none
  bool is_skipping_ = false;  // the look was continued and has not passed last_ yet
  Cells before_;              // cells given in ended looks, sorted
  Cells fresh_;               // cells given in the open look, in any order
  std::string scratch_;
};

}  // namespace sippar::query
