// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail_looks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/checksum.h"
#include "query/plan/token_text.h"

namespace sippar::query {
namespace {

using engine::CellView;
using engine::kTimeMax;
using engine::kTimeMin;

constexpr uint8_t kVersion = 2;  // 1 is a position in the changes of a stream (tail_position.cc)

// The limit of a range of times that ends with `time_us`.
int64_t LimitOf(int64_t time_us) { return time_us == kTimeMax ? kTimeMax : time_us + 1; }

}  // namespace

bool TailLooks::Begin(int64_t now_us, std::optional<int64_t> end_us) {
  const int64_t limit_us = LimitOf(end_us ? std::min(now_us, *end_us) : now_us);
  if (is_open_) {
    is_skipping_ = !last_.row.empty();
    // The look began without this end, or with a later one. If it were cut short here, the cells
    // between the two ends would be lost for a TAIL that continues later.
    return !end_us || limit_us_ <= LimitOf(*end_us);
  }
  limit_us_ = limit_us;
  if (start_us_ >= limit_us) return false;
  is_open_ = true;
  next_us_ = std::max(start_us_, limit_us - kLookBackUs);
  return true;
}

bool TailLooks::IsOver(std::optional<int64_t> end_us) const {
  if (!end_us) return false;
  return is_open_ ? limit_us_ > LimitOf(*end_us) : limit_us_ > *end_us;
}

bool TailLooks::IsNew(const CellView& cell) {
  if (is_skipping_) {
    if (IsPassed(cell)) return false;
    is_skipping_ = false;
  }
  return before_.empty() || !std::binary_search(before_.begin(), before_.end(), Hashed(cell));
}

bool TailLooks::IsPassed(const CellView& cell) const {
  const auto column = std::tie(cell.row, cell.family, cell.qualifier);
  const CellView last = last_.view();
  const auto last_column = std::tie(last.row, last.family, last.qualifier);
  return column == last_column ? cell.timestamp_us >= last.timestamp_us : column < last_column;
}

void TailLooks::Give(const CellView& cell) {
  last_.row = cell.row;
  last_.family = cell.family;
  last_.qualifier = cell.qualifier;
  last_.timestamp_us = cell.timestamp_us;
  if (cell.timestamp_us < next_us_) return;
  fresh_.push_back(Hashed(cell));
  // Forgets half of them, because a search for the oldest cell after each new one would be slow.
  if (fresh_.size() > kRememberedMax) {
    next_us_ = std::max(next_us_, Forget(kRememberedMax / 2, &fresh_));
  }
}

void TailLooks::End() {
  is_open_ = false;
  is_skipping_ = false;
  last_ = {};
  start_us_ = next_us_;
  before_.insert(before_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  std::erase_if(before_, [&](const Remembered& cell) { return cell.timestamp_us < start_us_; });
  start_us_ = std::max(start_us_, Forget(kRememberedMax, &before_));
  std::sort(before_.begin(), before_.end());
}

TailLooks::Remembered TailLooks::Hashed(const CellView& cell) {
  scratch_.clear();
  engine::PutBytes(&scratch_, cell.row);
  engine::PutBytes(&scratch_, cell.family);
  engine::PutBytes(&scratch_, cell.qualifier);
  return {cell.timestamp_us, engine::Checksum(cell.value, engine::Hash(scratch_))};
}

int64_t TailLooks::Forget(size_t max, Cells* cells) {
  if (cells->size() <= max) return kTimeMin;
  const auto newest_removed = cells->begin() + static_cast<ptrdiff_t>(cells->size() - max - 1);
  std::nth_element(cells->begin(), newest_removed, cells->end());
  const int64_t time_us = newest_removed->timestamp_us;
  std::erase_if(*cells, [&](const Remembered& cell) { return cell.timestamp_us <= time_us; });
  return LimitOf(time_us);
}

void TailLooks::PutCells(Cells cells, std::string* out) {
  std::sort(cells.begin(), cells.end());
  engine::PutVarint(out, cells.size());
  uint64_t before_us = 0;  // unsigned: differences of times may overflow
  for (const Remembered& cell : cells) {
    const auto time_us = static_cast<uint64_t>(cell.timestamp_us);
    engine::PutVarint(out, time_us - std::exchange(before_us, time_us));
    engine::PutFixed64(out, cell.hash);
  }
}

TailLooks::Cells TailLooks::ReadCells(engine::Reader* reader) {
  Cells cells;
  uint64_t time_us = 0;
  const size_t count = reader->Count();
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    time_us += reader->Varint();
    cells.push_back({static_cast<int64_t>(time_us), reader->Fixed64()});
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

std::string TailLooks::Position(uint64_t table_id) const {
  Cells before = before_;
  Cells fresh = fresh_;
  const int64_t forgotten_us = Forget(kRememberedInPosition, &before);
  const int64_t start_us = std::max(start_us_, forgotten_us);
  std::string bytes(1, static_cast<char>(kVersion));
  engine::PutVarint(&bytes, table_id);
  engine::PutSigned(&bytes, start_us);
  PutCells(std::move(before), &bytes);
  bytes.push_back(is_open_ ? 1 : 0);
  if (is_open_) {
    const int64_t next_us = std::max({start_us, next_us_, Forget(kRememberedInPosition, &fresh)});
    engine::PutSigned(&bytes, limit_us_);
    engine::PutSigned(&bytes, next_us);
    engine::PutBytes(&bytes, last_.row);
    engine::PutBytes(&bytes, last_.family);
    engine::PutBytes(&bytes, last_.qualifier);
    engine::PutSigned(&bytes, last_.timestamp_us);
    PutCells(std::move(fresh), &bytes);
  }
  return ToTokenText(std::move(bytes));
}

std::optional<TailLooks> TailLooks::FromPosition(std::string_view text, uint64_t* table_id) {
  std::string bytes;
  if (!FromTokenText(text, &bytes)) return std::nullopt;
  engine::Reader reader(bytes);
  if (reader.Byte() != kVersion) return std::nullopt;
  *table_id = reader.Varint();
  TailLooks looks(reader.Signed());
  looks.before_ = ReadCells(&reader);
  looks.is_open_ = reader.Byte() == 1;
  if (looks.is_open_) {
    looks.limit_us_ = reader.Signed();
    looks.next_us_ = reader.Signed();
    looks.last_.row = reader.Bytes();
    looks.last_.family = reader.Bytes();
    looks.last_.qualifier = reader.Bytes();
    looks.last_.timestamp_us = reader.Signed();
    looks.fresh_ = ReadCells(&reader);
  }
  if (!reader.AtEnd()) return std::nullopt;
  return looks;
}

}  // namespace sippar::query
