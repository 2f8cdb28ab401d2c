// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/cell_batch.h"

#include <algorithm>
#include <utility>

namespace sippar::cluster {
namespace {

constexpr uint8_t kRow = 1;
constexpr uint8_t kFamily = 2;
constexpr uint8_t kQualifier = 4;
constexpr uint8_t kLeftOut = 8;  // bytes of the value were left out; their number follows
constexpr uint8_t kPart = 16;    // some were not left out; they follow, after their number

constexpr size_t kMessageSize = 1 << 20;
// The first message is small, so that a reader of a few cells does not wait for a full one. Each
// further message is four times larger, up to kMessageSize.
constexpr size_t kFirstMessageSize = 16 << 10;
// Values up to this size are never cut: a reader's view of them needs no copy.
constexpr size_t kWholeValueMax = 64 << 10;

Status Damaged() {
  return Internal(
      "the server's answer cannot be decoded (the cells of a read); use the same version of sippar "
      "for server and client");
}

}  // namespace

CellPacker::CellPacker(Send send) : send_(std::move(send)), limit_(kFirstMessageSize) {}

void CellPacker::AddHead(const engine::CellView& cell) {
  bool new_row = !is_begun_ || last_.row != cell.row;
  bool new_family = new_row || last_.family != cell.family;
  bool new_qualifier = new_family || last_.qualifier != cell.qualifier;
  const bool is_left_out = cell.omitted_size > 0;
  const bool is_part = is_left_out && !cell.value.empty();
  // Reserves no space for the first message, which is small, and the only one of most reads.
  if (!is_begun_ && limit_ > kFirstMessageSize) bytes_.reserve(limit_ + limit_ / 8);
  is_begun_ = true;
  bytes_.push_back(static_cast<char>((new_row ? kRow : 0) | (new_family ? kFamily : 0) |
                                     (new_qualifier ? kQualifier : 0) |
                                     (is_left_out ? kLeftOut : 0) | (is_part ? kPart : 0)));
  if (new_row) engine::PutBytes(&bytes_, last_.row.assign(cell.row));
  if (new_family) engine::PutBytes(&bytes_, last_.family.assign(cell.family));
  if (new_qualifier) engine::PutBytes(&bytes_, last_.qualifier.assign(cell.qualifier));
  engine::PutSigned(&bytes_, cell.timestamp_us);
  engine::PutVarint(&bytes_, cell.sequence);
  if (is_left_out) engine::PutVarint(&bytes_, cell.omitted_size);
  if (!is_left_out || is_part) engine::PutVarint(&bytes_, cell.value.size());
}

bool CellPacker::Add(const engine::CellView& cell) {
  // A full message waits for the end of the row, but grows to at most twice its size. If the stream
  // breaks off after a whole row, the reader need not read that row again.
  bool ends_row = last_.row != cell.row;
  if (bytes_.size() >= limit_ && (ends_row || bytes_.size() >= 2 * limit_) && !Flush(ends_row)) {
    return false;
  }
  AddHead(cell);
  std::string_view rest = cell.value;
  // The last piece of a value is not cut, so a message may exceed its limit by the size of this
  // piece, at most kWholeValueMax bytes.
  while (rest.size() > kWholeValueMax) {
    size_t room = limit_ - std::min(limit_, bytes_.size());
    bytes_.append(rest.substr(0, room));
    rest.remove_prefix(std::min(room, rest.size()));
    if (bytes_.size() >= limit_ && !Flush(/*ends_row=*/false)) return false;
  }
  bytes_.append(rest);
  return true;
}

bool CellPacker::Flush(bool ends_row) {
  if (bytes_.empty()) return true;
  is_begun_ = false;
  limit_ = std::min(limit_ * 4, kMessageSize);
  return send_(std::exchange(bytes_, {}), ends_row);
}

void CellUnpacker::Take(std::string bytes) {
  bytes_ = std::move(bytes);
  reader_ = engine::Reader(bytes_);
  // The old keys are views into the old message. A damaged message may lack keys, and would leave
  // these views dangling.
  cell_ = {};
}

bool CellUnpacker::ReadHead(uint64_t* value_size) {
  uint8_t flags = reader_.Byte();
  if ((flags & kRow) != 0) cell_.row = reader_.Bytes();
  if ((flags & kFamily) != 0) cell_.family = reader_.Bytes();
  if ((flags & kQualifier) != 0) cell_.qualifier = reader_.Bytes();
  cell_.timestamp_us = reader_.Signed();
  cell_.sequence = reader_.Varint();
  const bool is_left_out = (flags & kLeftOut) != 0;
  cell_.omitted_size = is_left_out ? reader_.Varint() : 0;
  *value_size = !is_left_out || (flags & kPart) != 0 ? reader_.Varint() : 0;
  return reader_.ok();
}

StatusOr<bool> CellUnpacker::Next() {
  if (missing_ > 0) {
    std::string_view part = reader_.Raw(std::min<uint64_t>(missing_, reader_.left()));
    held_.value.append(part);
    missing_ -= part.size();
    cell_ = held_.view();
    cell_.omitted_size = held_omitted_;
    return missing_ == 0;
  }
  if (reader_.AtEnd()) return false;
  uint64_t size = 0;
  if (!ReadHead(&size)) return Damaged();
  std::string_view value = reader_.Raw(std::min<uint64_t>(size, reader_.left()));
  cell_.value = value;
  if (value.size() == size) return true;
  held_ = engine::Cell(cell_);
  held_omitted_ = cell_.omitted_size;
  missing_ = size - value.size();
  return false;
}

}  // namespace sippar::cluster
