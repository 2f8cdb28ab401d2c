// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/block_cursor.h"

#include <algorithm>
#include <bit>

#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

struct EntryHeader {
  uint64_t shared = 0;
  uint64_t unshared = 0;
  uint64_t value_size = 0;
};

// Parses an entry's header. Returns the address after it; nullptr when it, or the bytes it
// announces, do not fit before `limit`.
inline const char* ParseHeader(const char* p, const char* limit, EntryHeader* header) {
  auto byte = [p](int i) { return static_cast<uint8_t>(p[i]); };
  if (limit - p >= 3 && (byte(0) | byte(1) | byte(2)) < 0x80) {
    *header = {byte(0), byte(1), byte(2)};
    p += 3;
  } else {
    p = GetVarint(p, limit, &header->shared);
    if (p != nullptr) p = GetVarint(p, limit, &header->unshared);
    if (p != nullptr) p = GetVarint(p, limit, &header->value_size);
    if (p == nullptr) return nullptr;
  }
  auto left = static_cast<uint64_t>(limit - p);
  if (header->unshared > left || header->value_size > left - header->unshared) return nullptr;
  return p;
}

uint64_t VarintSize(uint64_t value) {
  return (static_cast<uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

// The first eight bytes of `text` as a number with the same order.
uint64_t HeadOf(std::string_view text) {
  if (text.size() >= 8) return GetBig64(text.data());
  char padded[8] = {};
  text.copy(padded, text.size());
  return GetBig64(padded);
}

}  // namespace

std::optional<uint64_t> LoneValueSize(uint64_t key_size, uint64_t raw_size) {
  constexpr uint64_t kRestarts = 8;  // bytes of one restart offset and of the restart count
  uint64_t rest = 1 + VarintSize(key_size) + key_size + kRestarts;
  for (uint64_t width = 1; width <= 5 && rest + width <= raw_size; ++width) {
    uint64_t value_size = raw_size - rest - width;
    if (VarintSize(value_size) == width) return value_size;
  }
  return std::nullopt;
}

RestartHeads MakeRestartHeads(std::string_view bytes) {
  BlockCursor cursor;
  cursor.Init(bytes);
  if (cursor.restarts() < 3) return {};  // a search takes only one step anyway
  cursor.SeekToRestart(cursor.restarts() - 1);
  std::string last(cursor.key());
  cursor.SeekToRestart(0);
  RestartHeads made;
  std::string_view first = cursor.key();
  auto end = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  made.prefix.assign(first.begin(), end.first);
  made.heads.reserve(cursor.restarts());
  made.offsets.reserve(cursor.restarts() + 1);
  for (uint32_t i = 0; i < cursor.restarts(); ++i) {
    cursor.SeekToRestart(i);
    if (!cursor.Valid() || !cursor.key().starts_with(made.prefix)) return {};
    made.heads.push_back(HeadOf(cursor.key().substr(made.prefix.size())));
    made.offsets.push_back(cursor.RestartOffset(i));
  }
  made.offsets.push_back(cursor.entries_size());
  return made;
}

// Takes the number of restarts and the end of the entries from the search keys, not from the block:
// reading the last bytes of the block would be a cache miss.
void BlockCursor::Init(const Block& block) {
  if (block.heads().heads.empty()) return Init(block.bytes());
  heads_ = &block.heads();
  entry_ = nullptr;
  damaged_ = false;
  begin_ = block.bytes().data();
  restarts_ = begin_ + heads_->offsets.back();
  restart_count_ = static_cast<uint32_t>(heads_->heads.size());
}

void BlockCursor::Init(std::string_view bytes) {
  entry_ = nullptr;
  damaged_ = false;
  heads_ = nullptr;
  restart_count_ = 0;
  begin_ = restarts_ = bytes.data();
  if (bytes.size() < 4) return SetDamaged();
  uint32_t count = GetFixed32(bytes.data() + bytes.size() - 4);
  if (count == 0 || count > bytes.size() / 4 - 1) return SetDamaged();
  restarts_ = bytes.data() + bytes.size() - 4 - size_t{count} * 4;
  restart_count_ = count;
}

void BlockCursor::SetDamaged() {
  entry_ = nullptr;
  damaged_ = true;
}

inline void BlockCursor::TakeKey(size_t shared, std::string_view suffix) {
  if (shared == 0) {
    key_ = suffix;
    return;
  }
  // The previous key is in the buffer or still in the block. Only a key in the block must be
  // copied.
  if (key_.data() == key_buffer_.data()) {
    key_buffer_.resize(shared);
  } else {
    key_buffer_.assign(key_.data(), shared);
  }
  key_buffer_.append(suffix);
  key_ = key_buffer_;
}

inline void BlockCursor::Parse(const char* entry) {
  if (entry == restarts_) {
    entry_ = nullptr;
    return;
  }
  EntryHeader header;
  const char* suffix = ParseHeader(entry, restarts_, &header);
  if (suffix == nullptr || header.shared > key_.size()) return SetDamaged();
  TakeKey(header.shared, {suffix, header.unshared});
  value_ = {suffix + header.unshared, header.value_size};
  entry_ = entry;
  next_ = suffix + header.unshared + header.value_size;
}

void BlockCursor::Next() { Parse(next_); }

void BlockCursor::StandOnLone(std::string_view key) {
  heads_ = nullptr;
  damaged_ = false;
  restart_count_ = 0;
  begin_ = restarts_ = next_ = entry_ = key.data();  // so that Next() finds the end
  key_ = key;
  value_ = {};
}

uint32_t BlockCursor::RestartOffset(uint32_t index) const {
  return heads_ != nullptr ? heads_->offsets[index] : GetFixed32(restarts_ + size_t{index} * 4);
}

const char* BlockCursor::RestartEntry(uint32_t index) {
  uint32_t offset = RestartOffset(index);
  if (offset >= static_cast<size_t>(restarts_ - begin_)) {
    SetDamaged();
    return nullptr;
  }
  return begin_ + offset;
}

void BlockCursor::SeekToRestart(uint32_t index) {
  key_ = {};
  const char* entry = RestartEntry(index);
  if (entry != nullptr) Parse(entry);
}

void BlockCursor::NarrowByHeads(std::string_view target, uint32_t* low, uint32_t* high) const {
  const std::vector<uint64_t>& heads = heads_->heads;
  int order = target.substr(0, heads_->prefix.size()).compare(heads_->prefix);
  if (order < 0) *high = 0;
  if (order > 0) *low = *high;
  if (order != 0) return;
  uint64_t head = HeadOf(target.substr(heads_->prefix.size()));
  auto [first, last] = std::equal_range(heads.begin(), heads.end(), head);
  __builtin_prefetch(begin_ + heads_->offsets[static_cast<size_t>(first - heads.begin())]);
  *low = static_cast<uint32_t>(std::max<ptrdiff_t>(first - heads.begin(), 1) - 1);
  *high = static_cast<uint32_t>(std::max<ptrdiff_t>(last - heads.begin(), 1) - 1);
}

uint32_t BlockCursor::RestartBefore(std::string_view target) {
  uint32_t low = 0;
  uint32_t high = restart_count_ - 1;
  if (heads_ != nullptr) NarrowByHeads(target, &low, &high);
  while (low < high) {
    uint32_t middle = low + (high - low + 1) / 2;
    SeekToRestart(middle);
    if (!Valid()) {
      SetDamaged();
      return 0;
    }
    if (key_ < target) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void BlockCursor::SeekToFirst() {
  if (!damaged_) SeekToRestart(0);
}

void BlockCursor::SeekToLast() {
  if (damaged_) return;
  SeekToRestart(restart_count_ - 1);
  while (Valid() && next_ != restarts_) Parse(next_);
}

void BlockCursor::Seek(std::string_view target) {
  if (damaged_) return;
  uint32_t restart = RestartBefore(target);
  if (damaged_) return;
  SeekToRestart(restart);
  while (Valid() && key_ < target) Parse(next_);
}

void BlockCursor::SeekBefore(std::string_view target) {
  if (damaged_) return;
  uint32_t restart = RestartBefore(target);
  if (damaged_) return;
  SeekToRestart(restart);
  // Entries cannot be read backward, as their keys build on each other: counts the entries below
  // the target, then walks from the restart again to the last of them.
  size_t before = 0;  // entries < target, counted from the restart
  for (; Valid() && key_ < target; Parse(next_)) ++before;
  if (damaged_) return;
  entry_ = nullptr;
  if (before == 0) return;
  SeekToRestart(restart);
  while (Valid() && --before > 0) Parse(next_);
}

}  // namespace sippar::engine
