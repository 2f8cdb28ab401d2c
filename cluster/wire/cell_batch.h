// Cells of a read as messages: packed until a message is full, values of any size cut into pieces.
// Each message is
//   rest of the value that the message before began | cells
//   cell: flags (1 row, 2 family, 4 qualifier follow; else as the cell before; 8 the read left the
//         value out) | those | time | sequence | size of the value | value, or what of it fits
// and its first cell has all keys, so that a reader's views point into one message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/coding.h"
#include "engine/base/status.h"
#include "engine/model/cell.h"

namespace sippar::cluster {

// Not thread safe.
class CellPacker {
 public:
  // Takes a message's bytes; false: nobody wants more. `ends_row`: its last cell is the last of its
  // row, as it is unless the row is larger than a message.
  using Send = std::function<bool(std::string bytes, bool ends_row)>;
  explicit CellPacker(Send send);

  // False when `send` said so.
  [[nodiscard]] bool Add(const engine::CellView& cell);
  [[nodiscard]] bool Flush(bool ends_row = true);

 private:
  void AddHead(const engine::CellView& cell);

  Send send_;
  std::string bytes_;
  size_t limit_;
  bool is_begun_ = false;  // a cell of this message is in last_…
  engine::Cell last_;      // keys only
};

// Not thread safe.
class CellUnpacker {
 public:
  // The next message; only when Next() was false.
  void Take(std::string bytes);
  // To the next cell; false: it needs the next message. kDataLoss.
  [[nodiscard]] StatusOr<bool> Next();
  // Lives until the next call. Requires: Next() was true.
  const engine::CellView& cell() const { return cell_; }
  bool is_within_cell() const { return missing_ > 0; }

 private:
  bool ReadHead();

  std::string bytes_;
  engine::Reader reader_{{}};
  engine::CellView cell_;
  engine::Cell held_;     // of a cell that began in an earlier message
  uint64_t missing_ = 0;  // bytes of its value
};

}  // namespace sippar::cluster
