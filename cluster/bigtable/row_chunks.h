// Packs cells into the chunks of ReadRowsResponse, in messages of about kMessageSize. Messages hold
// whole rows, unless a row is larger than a message and may be cut: then the row is cut, and its
// cells if needed.
// Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cluster/proto/bigtable.pb.h"
#include "engine/read/cell_sink.h"

namespace sippar::cluster {

// Far below the 4 MiB that gRPC clients accept by default, and large enough to make the fixed cost
// of a message small.
inline constexpr size_t kMessageSize = 512 << 10;

class RowChunks final : public engine::CellSink {
 public:
  // Sends one message, and blocks while the reader is slow. With `is_last` it may delay the message
  // to send it together with the call's status. False: the reader is gone.
  using Writer = std::function<bool(const google::bigtable::v2::ReadRowsResponse&, bool is_last)>;
  // `whole_rows`: no row is cut, however large it is. The Go client needs this, because it takes
  // the end of a message for the end of a row.
  RowChunks(Writer write, bool whole_rows) : write_(std::move(write)), whole_rows_(whole_rows) {}

  void BeginRow(std::string_view row) override;
  void Put(const engine::FilteredCell& cell) override;
  void EndRow() override;
  bool IsSated() const override { return is_gone_; }

  // Sends the gathered chunks. Requires: no row is open.
  void Flush();
  // Tells the reader that the scan has passed `row`: a retry need not ask for rows up to it.
  void SendScanned(const std::string& row);
  // Sends the gathered chunks and then `stats`, which is null if the request did not ask for
  // statistics. Must be the last call.
  void End(const google::bigtable::v2::RequestStats* stats);

  bool is_gone() const { return is_gone_; }
  int64_t rows() const { return rows_; }    // rows with cells
  int64_t cells() const { return cells_; }  // cells put into chunks
  int64_t messages() const { return messages_; }

 private:
  using Chunk = google::bigtable::v2::ReadRowsResponse::CellChunk;
  // Adds a chunk for `cell`. The row's first chunk has the row key, family and qualifier; a later
  // one has the qualifier only if the column changes, and the family only if that changes, too.
  Chunk* AddChunk(const engine::FilteredCell& cell);
  void MakeRoom();
  void Send(bool is_last = false);

  const Writer write_;
  const bool whole_rows_;
  google::bigtable::v2::ReadRowsResponse response_;
  size_t response_size_ = 0;  // approximate bytes of response_
  int row_start_ = 0;         // index of the first chunk of the open row
  size_t complete_size_ = 0;  // approximate bytes of the chunks before row_start_
  std::string row_;
  std::string family_, qualifier_;  // keys of the previous chunk of this row
  bool is_first_ = true;            // the row has no chunk yet
  bool is_gone_ = false;
  int64_t rows_ = 0;
  int64_t cells_ = 0;
  int64_t messages_ = 0;
};

}  // namespace sippar::cluster
