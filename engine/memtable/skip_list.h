// An ordered list of (key, value) byte strings that readers never lock (Pugh 1990; layout as in
// LevelDB). One writer at a time, any number of concurrent readers; nothing is ever removed. A
// release store of the link to a node publishes the node, so a reader sees all of it or nothing.
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

  // Copies key and value. Requires that no equal key is present.
  void Insert(std::string_view key, std::string_view value);

  struct Node;
  const Node* First() const;
  const Node* FirstAtOrAfter(std::string_view key) const;  // nullptr at the end
  // The last node with a key below `key`, or the last node of all for ""; nullptr: there is none.
  const Node* LastBefore(std::string_view key) const;
  static const Node* Next(const Node* node);
  static std::string_view Key(const Node* node);
  static std::string_view Value(const Node* node);

 private:
  // Enough for 4^14 entries: a quarter of the nodes of each level are in the next level too.
  static constexpr int kHeightMax = 14;

  struct Place {
    Node* before;  // the last node with a key below the searched one
    Node* behind;  // the node after `before`, nullptr at the end
  };
  static Place FindPlace(Node* node, int level, std::string_view key);
  Node* NewNode(std::string_view key, std::string_view value, int height);
  int RandomHeight();

  Arena* arena_;
  Node* head_;
  std::atomic<int> height_{1};
  Random random_{0x5ea1};
  // The path of the previous insert: sequential writers find their place without a search.
  Node* last_path_[kHeightMax];
};

}  // namespace sippar::engine
