// SPDX-License-Identifier: Apache-2.0
#include "engine/memtable/memtable.h"

#include <algorithm>

namespace sippar::engine {
namespace {

class MemtableIterator final : public EntryIterator {
 public:
  explicit MemtableIterator(const SkipList* list) : list_(list) {}
  bool Valid() const override { return node_ != nullptr; }
  void Seek(std::string_view key) override {
    node_ = key.empty() ? list_->First() : list_->FirstAtOrAfter(key);
  }
  void Next() override { node_ = SkipList::Next(node_); }
  void SeekBefore(std::string_view key) override { node_ = list_->LastBefore(key); }
  std::string_view key() const override { return SkipList::Key(node_); }
  std::string_view value() const override { return SkipList::Value(node_); }
  Status status() const override { return OkStatus(); }

 private:
  const SkipList* list_;
  const SkipList::Node* node_ = nullptr;
};

}  // namespace

void Memtable::Add(std::string_view key, std::string_view value, uint64_t sequence) {
  list_.Insert(key, value);
  // There is only one writer, so a load and a store suffice, without an atomic increment; readers
  // only load.
  entries_.store(entries() + 1, std::memory_order_relaxed);
  raw_bytes_.store(raw_bytes() + key.size() + value.size(), std::memory_order_relaxed);
  if (sequence > sequence_max()) sequence_max_.store(sequence, std::memory_order_relaxed);
}

std::unique_ptr<EntryIterator> Memtable::NewIterator() const {
  return std::make_unique<MemtableIterator>(&list_);
}

std::string Memtable::Sample(size_t size_max) const {
  constexpr size_t kPieceSize = 8 << 10;
  std::string sample;
  uint64_t pieces = std::max<uint64_t>(1, size_max / kPieceSize);
  uint64_t distance = std::max<uint64_t>(kPieceSize, raw_bytes() / pieces);
  uint64_t position = 0;
  uint64_t next_piece = 0;
  size_t piece_left = 0;
  for (auto* node = list_.First(); node != nullptr; node = SkipList::Next(node)) {
    for (std::string_view part : {SkipList::Key(node), SkipList::Value(node)}) {
      uint64_t start = position;
      position += part.size();
      while (!part.empty() && sample.size() < size_max) {
        if (piece_left == 0) {
          if (next_piece >= position) break;
          if (next_piece > start) part.remove_prefix(next_piece - start), start = next_piece;
          piece_left = kPieceSize;
          next_piece += distance;
        }
        size_t taken = std::min({piece_left, part.size(), size_max - sample.size()});
        sample.append(part.substr(0, taken));
        part.remove_prefix(taken);
        start += taken;
        piece_left -= taken;
      }
    }
  }
  return sample;
}

}  // namespace sippar::engine
