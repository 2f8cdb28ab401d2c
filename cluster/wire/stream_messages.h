// The messages of streams over cluster/net: the request, the parts, and the last message. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cluster/api/row_codec.h"
#include "cluster/wire/stream_end.h"

namespace sippar::cluster {

// The requests of streams. `To` is the name of a table, or the address of a tablet.
template <class To>
struct ReadRequest {
  To to;
  Lent<ReadSpec> read;

  static constexpr int kFields = 2;
};

template <class To>
struct RunRequest {
  To to;
  std::optional<RowRange> tablet_range;  // if `to` is a table: the range of one of its tablets
  Lent<engine::Program> program;

  static constexpr int kFields = 3;
};

template <class To>
struct ChangesCall {
  To to;
  ChangesRequest wanted;

  static constexpr int kFields = 2;
};

// A part: bytes, then a mark of one byte. In a part of cells, the mark says that the last cell is
// the last of its row; in a piece of a batch of rows, that the batch goes on in the next part. The
// mark is the last byte, so that a reader removes it without copying the others.
struct Part {
  std::string bytes;
  bool is_marked = false;
};

std::string EncodePart(Part part);
// kInternal: the bytes are not a part, although their checksum is right.
[[nodiscard]] StatusOr<Part> DecodePart(std::string bytes);

// The last message of a stream. It also has the last part, so a read of a few cells needs no other
// message.
struct LastPart {
  std::string part;  // result of EncodePart, or empty
  StreamEnd end;

  static constexpr int kFields = 2;
};

}  // namespace sippar::cluster
