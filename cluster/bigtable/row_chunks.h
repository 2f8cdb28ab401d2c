// Cells of rows -> the chunks of ReadRowsResponse, in messages of about kMessageSize. A message
// ends with a row where one row is not larger than that; larger ones are cut, their cells too. Not
// thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cluster/proto/bigtable.pb.h"
#include "engine/read/cell_sink.h"

namespace sippar::cluster {

// Far below the 4 MiB that clients take by default, large enough to share a message's cost.
inline constexpr size_t kMessageSize = 512 << 10;

class RowChunks final : public engine::CellSink {
 public:
  // Sends a message; waits while the reader is slow. The last one may wait for the call's status,
  // to go with it. False: the reader is gone.
  using Writer = std::function<bool(const google::bigtable::v2::ReadRowsResponse&, bool is_last)>;
  // `whole_rows`: no row is cut, however large. The Go client wants that: it takes the end of a
  // message for the end of a row.
  RowChunks(Writer write, bool whole_rows) : write_(std::move(write)), whole_rows_(whole_rows) {}

  void BeginRow(std::string_view row) override;
  void Put(const engine::FilteredCell& cell) override;
  void EndRow() override;
  bool IsSated() const override { return is_gone_; }

  // Sends what has gathered. Requires: between rows.
  void Flush();
  // Tells the reader that it need not ask for rows up to `row` again.
  void SendScanned(const std::string& row);
  // As Flush, and nothing comes after it. `stats`: null when nobody wants them.
  void End(const google::bigtable::v2::RequestStats* stats);

  bool is_gone() const { return is_gone_; }
  int64_t rows() const { return rows_; }    // with cells
  int64_t cells() const { return cells_; }  // given out
  int64_t messages() const { return messages_; }

 private:
  using Chunk = google::bigtable::v2::ReadRowsResponse::CellChunk;
  // A chunk for `cell` with what differs from the one before.
  Chunk* AddChunk(const engine::FilteredCell& cell);
  void MakeRoom();
  void Send(bool is_last = false);

  const Writer write_;
  const bool whole_rows_;
  google::bigtable::v2::ReadRowsResponse response_;
  size_t response_size_ = 0;  // about
  int row_start_ = 0;         // first chunk of the row that is not complete
  size_t complete_size_ = 0;  // about, of the rows before it
  std::string row_;
  std::string family_, qualifier_;  // of the chunk before, in this row
  bool is_first_ = true;            // of the row
  bool is_gone_ = false;
  int64_t rows_ = 0;
  int64_t cells_ = 0;
  int64_t messages_ = 0;
};

}  // namespace sippar::cluster
