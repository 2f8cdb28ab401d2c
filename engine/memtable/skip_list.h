// Ordered list of (key, value) byte strings that readers never lock (Pugh 1990; the layout follows
// LevelDB). One writer at a time, any number of readers beside it; nothing is ever removed. A node
// is published by a release store of the link below it, so a reader sees it whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/base/random.h"
#include "engine/memtable/arena.h"

namespace sippar::engine {

class SkipList {
 public:
  explicit SkipList(Arena* arena);
  SkipList(const SkipList&) = delete;
  SkipList& operator=(const SkipList&) = delete;

  // Copies both. Requires: no equal key is present.
  void Insert(std::string_view key, std::string_view value);

  struct Node;
  const Node* First() const;
  const Node* FirstAtOrAfter(std::string_view key) const;  // nullptr at the end
  const Node* LastBefore(std::string_view key) const;      // "" = last of all; nullptr when none
  static const Node* Next(const Node* node);
  static std::string_view Key(const Node* node);
  static std::string_view Value(const Node* node);

 private:
  static constexpr int kHeightMax = 14;  // 4^14 entries

  struct Place {
    Node* before;  // the last node whose key is below
    Node* behind;  // the next one, nullptr at the end
  };
  static Place FindPlace(Node* node, int level, std::string_view key);
  Node* NewNode(std::string_view key, std::string_view value, int height);
  int RandomHeight();

  Arena* arena_;
  Node* head_;
  std::atomic<int> height_{1};
  Random random_{0x5ea1};
  // Where the previous insert went: sequential writers find their place without a search.
  Node* last_path_[kHeightMax];
};

}  // namespace sippar::engine
