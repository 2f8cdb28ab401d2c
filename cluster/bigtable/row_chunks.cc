// A full message is sent only when the next chunk comes. So the last chunk of a row is still in the
// message when the row ends, and its commit flag can be set.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/row_chunks.h"

#include <vector>

namespace sippar::cluster {
namespace {

constexpr size_t kChunkOverhead = 24;  // bytes of a chunk's tags, lengths and time on the wire

}  // namespace

void RowChunks::BeginRow(std::string_view row) {
  row_ = row;
  is_first_ = true;
  row_start_ = response_.chunks_size();
  complete_size_ = response_size_;
}

// If the message is full, sends the complete rows and keeps the chunks of the unfinished row. If
// there is no complete row, sends these chunks, unless rows must stay whole.
void RowChunks::MakeRoom() {
  if (response_size_ < kMessageSize) return;
  if (row_start_ == 0) {
    if (!whole_rows_) Send();
    return;
  }
  std::vector<Chunk*> begun(static_cast<size_t>(response_.chunks_size() - row_start_));
  size_t begun_size = response_size_ - complete_size_;
  response_.mutable_chunks()->ExtractSubrange(row_start_, static_cast<int>(begun.size()),
                                              begun.data());
  Send();
  for (Chunk* chunk : begun) response_.mutable_chunks()->AddAllocated(chunk);
  response_size_ = begun_size;
}

RowChunks::Chunk* RowChunks::AddChunk(const engine::FilteredCell& filtered) {
  const engine::CellView& cell = filtered.cell;
  Chunk* chunk = response_.add_chunks();
  response_size_ += kChunkOverhead;
  bool new_family = is_first_ || cell.family != family_;
  if (is_first_) chunk->set_row_key(row_), response_size_ += row_.size();
  if (new_family) {
    family_ = cell.family;
    chunk->mutable_family_name()->set_value(family_);
    response_size_ += family_.size();
  }
  if (new_family || cell.qualifier != qualifier_) {
    qualifier_ = cell.qualifier;
    chunk->mutable_qualifier()->set_value(qualifier_);
    response_size_ += qualifier_.size();
  }
  chunk->set_timestamp_micros(cell.timestamp_us);
  if (!filtered.label.empty()) chunk->add_labels(std::string(filtered.label));
  is_first_ = false;
  return chunk;
}

void RowChunks::Put(const engine::FilteredCell& filtered) {
  MakeRoom();
  std::string_view value = filtered.cell.value;
  auto size = static_cast<int32_t>(value.size());
  Chunk* chunk = AddChunk(filtered);
  size_t piece = whole_rows_ ? value.size() : kMessageSize;
  while (value.size() > piece) {
    // Each piece except the last carries the size of the whole value, which tells the client that
    // more pieces follow.
    chunk->set_value_size(size);
    chunk->set_value(value.data(), piece);
    value.remove_prefix(piece);
    Send();
    chunk = response_.add_chunks();
  }
  chunk->set_value(value.data(), value.size());
  response_size_ += value.size();
  ++cells_;
}

void RowChunks::EndRow() {
  if (is_first_) return;  // the filter has left nothing of the row
  response_.mutable_chunks(response_.chunks_size() - 1)->set_commit_row(true);
  ++rows_;
}

void RowChunks::Flush() {
  if (response_.chunks_size() > 0) Send();
}

void RowChunks::SendScanned(const std::string& row) {
  Flush();
  response_.set_last_scanned_row_key(row);
  Send();
}

void RowChunks::End(const google::bigtable::v2::RequestStats* stats) {
  if (stats != nullptr) {
    Flush();
    *response_.mutable_request_stats() = *stats;
  }
  if (stats != nullptr || response_.chunks_size() > 0) Send(/*is_last=*/true);
}

void RowChunks::Send(bool is_last) {
  if (!is_gone_ && !write_(response_, is_last)) is_gone_ = true;
  ++messages_;
  response_.Clear();
  response_size_ = 0;
  row_start_ = 0;
  complete_size_ = 0;
}

}  // namespace sippar::cluster
