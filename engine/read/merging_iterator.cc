// SPDX-License-Identifier: Apache-2.0
#include "engine/read/merging_iterator.h"

#include <utility>

namespace sippar::engine {
namespace {

class MergingIterator final : public EntryIterator {
 public:
  explicit MergingIterator(std::vector<std::unique_ptr<EntryIterator>> sources)
      : sources_(std::move(sources)) {
    heap_.reserve(sources_.size());
  }

  bool Valid() const override { return !heap_.empty() && status_.ok(); }
  std::string_view key() const override { return heap_[0].key; }
  std::string_view value() const override { return heap_[0].source->value(); }
  uint64_t value_size() const override { return heap_[0].source->value_size(); }
  Status status() const override { return status_; }

  void Seek(std::string_view key) override {
    // Copied first: `key` may point into a source that is about to move.
    target_.assign(key);
    heap_.clear();
    for (auto& source : sources_) {
      source->Seek(target_);
      if (!Take(source.get())) return;
    }
    for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown(i);
  }

  void Next() override {
    Entry& top = heap_[0];
    top.source->Next();
    if (top.source->Valid()) [[likely]] {
      top.key = top.source->key();
    } else {
      if (!top.source->status().ok()) {
        Fail(top.source->status());
        return;
      }
      std::swap(heap_[0], heap_.back());
      heap_.pop_back();
    }
    SiftDown(0);
  }

  void SeekBefore(std::string_view key) override {
    target_.assign(key);
    heap_.clear();
    Entry best{};
    for (auto& source : sources_) {
      source->SeekBefore(target_);
      if (!source->status().ok()) {
        Fail(source->status());
        return;
      }
      if (!source->Valid()) continue;
      if (best.source == nullptr || source->key() > best.key) best = {source->key(), source.get()};
    }
    // Only the found entry is in the heap, as the other sources are not positioned. Callers Seek to
    // the start of its row before they call Next.
    if (best.source != nullptr) heap_.push_back(best);
  }

 private:
  struct Entry {
    std::string_view key;
    EntryIterator* source = nullptr;
  };

  void Fail(const Status& status) {
    status_ = status;
    heap_.clear();
  }

  bool Take(EntryIterator* source) {
    if (source->Valid()) {
      heap_.push_back({source->key(), source});
    } else if (!source->status().ok()) {
      Fail(source->status());
      return false;
    }
    return true;
  }

  void SiftDown(size_t i) {
    size_t size = heap_.size();
    while (true) {
      size_t child = 2 * i + 1;
      if (child >= size) return;
      if (child + 1 < size && heap_[child + 1].key < heap_[child].key) ++child;
      if (heap_[i].key <= heap_[child].key) return;
      std::swap(heap_[i], heap_[child]);
      i = child;
    }
  }

  std::vector<std::unique_ptr<EntryIterator>> sources_;
  std::vector<Entry> heap_;
  std::string target_;
  Status status_;
};

}  // namespace

std::unique_ptr<EntryIterator> NewMergingIterator(
    std::vector<std::unique_ptr<EntryIterator>> sources) {
  if (sources.size() == 1) return std::move(sources[0]);
  return std::make_unique<MergingIterator>(std::move(sources));
}

}  // namespace sippar::engine
