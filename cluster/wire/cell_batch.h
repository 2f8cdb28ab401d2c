// Packs the cells of a read into messages, and unpacks them. Large values are cut into pieces, so
// values of any size are possible. A message is
//   rest of the value that the previous message began | cells
// and a cell is
//   flags | row, family, qualifier, if flagged | time | sequence | bytes left out, if flagged |
//   size of the value | value, or as much of it as fits
// Flags: 1 row, 2 family, 4 qualifier follows (a key without its flag is that of the previous
// cell); 8 the read left the value out, and the cell ends with the number of bytes left out; 16,
// together with 8: the read left out bytes around a part of the value, and the part follows. The
// first cell of a message has all keys, so a reader's views point into one message only.
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
  // Sends one message; false: the reader wants no more. `ends_row`: the last cell of the message is
  // the last of its row. `ends_row` is false after a failed read, and if the message was cut within
  // a row, because a value filled it or the row went on beyond twice the usual size of a message.
  using Send = std::function<bool(std::string bytes, bool ends_row)>;
  explicit CellPacker(Send send);

  // Add packs one cell, Flush sends what is packed. False: `send` has returned false.
  [[nodiscard]] bool Add(const engine::CellView& cell);
  [[nodiscard]] bool Flush(bool ends_row = true);

 private:
  void AddHead(const engine::CellView& cell);

  Send send_;
  std::string bytes_;
  size_t limit_;
  bool is_begun_ = false;  // last_ is a cell of the current message
  engine::Cell last_;      // keys of the last cell, without its value
};

// Not thread safe.
class CellUnpacker {
 public:
  // Begins the next message. Requires: Next() has returned false, or has not been called yet.
  void Take(std::string bytes);
  // Moves to the next cell; false: the next cell needs the next message. kInternal: the message is
  // damaged.
  [[nodiscard]] StatusOr<bool> Next();
  // The cell that Next() moved to, valid until the next call. Requires: Next() has returned true.
  const engine::CellView& cell() const { return cell_; }
  bool is_within_cell() const { return missing_ > 0; }

 private:
  bool ReadHead(uint64_t* value_size);

  std::string bytes_;
  engine::Reader reader_{{}};
  engine::CellView cell_;
  engine::Cell held_;          // copy of a cell whose value spans messages
  uint64_t held_omitted_ = 0;  // CellView::omitted_size of held_
  uint64_t missing_ = 0;       // bytes of held_'s value that have not arrived yet
};

}  // namespace sippar::cluster
