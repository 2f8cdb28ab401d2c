// SPDX-License-Identifier: Apache-2.0
#include "engine/memtable/skip_list.h"

#include <cstring>
#include <new>

namespace sippar::engine {

struct SkipList::Node {
  uint32_t key_size;
  uint32_t value_size;
  int32_t height;
  std::atomic<Node*> next[1];  // `height` links, then the bytes of key and value

  const char* data() const {
    return reinterpret_cast<const char*>(&next[0]) +
           static_cast<size_t>(height) * sizeof(std::atomic<Node*>);
  }
  char* data() { return const_cast<char*>(static_cast<const Node*>(this)->data()); }
  std::atomic<Node*>* link(int level) { return &next[0] + level; }
  const std::atomic<Node*>* link(int level) const { return &next[0] + level; }
};

// Finds where `key` belongs in one level, starting at `node`. Prefetches the memory of the next two
// steps during each comparison: a search in a full memtable spends its time waiting for memory.
SkipList::Place SkipList::FindPlace(Node* node, int level, std::string_view key) {
  while (true) {
    Node* next = node->link(level)->load(std::memory_order_acquire);
    if (level > 0) __builtin_prefetch(node->link(level - 1)->load(std::memory_order_relaxed));
    if (next == nullptr) return {node, nullptr};
    __builtin_prefetch(next->link(level)->load(std::memory_order_relaxed));
    if (Key(next) >= key) return {node, next};
    node = next;
  }
}

SkipList::SkipList(Arena* arena) : arena_(arena), head_(NewNode("", "", kHeightMax)) {
  for (Node*& node : last_path_) node = head_;
}

SkipList::Node* SkipList::NewNode(std::string_view key, std::string_view value, int height) {
  size_t size = offsetof(Node, next) + static_cast<size_t>(height) * sizeof(std::atomic<Node*>) +
                key.size() + value.size();
  Node* node = new (arena_->Allocate(size)) Node;
  node->key_size = static_cast<uint32_t>(key.size());
  node->value_size = static_cast<uint32_t>(value.size());
  node->height = height;
  for (int level = 0; level < height; ++level) new (node->link(level)) std::atomic<Node*>(nullptr);
  char* data = node->data();
  if (!key.empty()) std::memcpy(data, key.data(), key.size());
  if (!value.empty()) std::memcpy(data + key.size(), value.data(), value.size());
  return node;
}

int SkipList::RandomHeight() {
  int height = 1;
  uint64_t bits = random_.Next();
  while (height < kHeightMax && (bits & 3) == 0) {
    ++height;
    bits >>= 2;
  }
  return height;
}

void SkipList::Insert(std::string_view key, std::string_view value) {
  Node* before[kHeightMax];
  int top = height_.load(std::memory_order_relaxed);
  auto is_before = [&](const Node* node) { return node != head_ ? Key(node) < key : true; };
  // Fast path: `key` belongs directly after the last insert.
  Node* hint = last_path_[0];
  Node* behind = hint->link(0)->load(std::memory_order_relaxed);
  bool sequential = hint != head_ && is_before(hint) && (behind == nullptr || key < Key(behind));
  if (sequential) {
    for (int level = 0; level < top; ++level) {
      before[level] = FindPlace(last_path_[level], level, key).before;
    }
  } else {
    Node* node = head_;
    for (int level = top - 1; level >= 0; --level) {
      node = FindPlace(node, level, key).before;
      before[level] = node;
    }
  }
  int height = RandomHeight();
  for (int level = top; level < height; ++level) before[level] = head_;
  if (height > top) height_.store(height, std::memory_order_relaxed);
  // Links are set from the bottom up: a reader that finds the node in a higher level finds it in
  // all lower ones.
  Node* fresh = NewNode(key, value, height);
  for (int level = 0; level < height; ++level) {
    fresh->link(level)->store(before[level]->link(level)->load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
    before[level]->link(level)->store(fresh, std::memory_order_release);
  }
  int path_top = height > top ? height : top;
  for (int level = 0; level < path_top; ++level) {
    last_path_[level] = level < height ? fresh : before[level];
  }
}

const SkipList::Node* SkipList::First() const {
  return head_->link(0)->load(std::memory_order_acquire);
}

const SkipList::Node* SkipList::FirstAtOrAfter(std::string_view key) const {
  Place place{head_, nullptr};
  for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    place = FindPlace(place.before, level, key);
  }
  // Does not follow the link of place.before again: the writer may have inserted a lower key there.
  return place.behind;
}

const SkipList::Node* SkipList::LastBefore(std::string_view key) const {
  Node* node = head_;
  for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    if (!key.empty()) {
      node = FindPlace(node, level, key).before;
      continue;
    }
    while (Node* next = node->link(level)->load(std::memory_order_acquire)) node = next;
  }
  return node == head_ ? nullptr : node;
}

const SkipList::Node* SkipList::Next(const Node* node) {
  return node->link(0)->load(std::memory_order_acquire);
}

std::string_view SkipList::Key(const Node* node) { return {node->data(), node->key_size}; }

std::string_view SkipList::Value(const Node* node) {
  return {node->data() + node->key_size, node->value_size};
}

}  // namespace sippar::engine
