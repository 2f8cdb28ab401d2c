// The messages of streams over cluster/net: the request, parts, and what comes with the end. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cluster/api/row_codec.h"
#include "cluster/wire/stream_end.h"

namespace sippar::cluster {

// Requests. `To` is the table's name, or the tablet's address.
template <class To>
struct ReadRequest {
  To to;
  Lent<ReadSpec> read;

  static constexpr int kFields = 2;
};

template <class To>
struct RunRequest {
  To to;
  std::optional<RowRange> tablet_range;  // of a run on a table: the range of one of its tablets
  Lent<engine::Program> program;

  static constexpr int kFields = 3;
};

template <class To>
struct ChangesCall {
  To to;
  ChangesRequest wanted;

  static constexpr int kFields = 2;
};

// A part: bytes, then one byte with what its reader has to know about them. For cells: the last
// cell is the last of its row. For a piece of a batch of rows: the batch goes on in the next part.
// The byte comes last so that a reader takes it off without a copy of the rest.
struct Part {
  std::string bytes;
  bool is_marked = false;
};

std::string EncodePart(Part part);
// kInternal: the bytes are no part, though no checksum failed.
[[nodiscard]] StatusOr<Part> DecodePart(std::string bytes);

// The answer with which a stream ends. What is left to send at the end comes with it: a read of a
// few cells has no other message.
struct LastPart {
  std::string part;  // EncodePart, or empty
  StreamEnd end;

  static constexpr int kFields = 2;
};

}  // namespace sippar::cluster
