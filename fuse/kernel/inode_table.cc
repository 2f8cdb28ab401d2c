// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/inode_table.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/checksum.h"

namespace sippar::fuse {
namespace {

// The size of the index is a power of two, so that a mask replaces the modulo.
constexpr size_t kIndexSizeMin = 1'024;

uint32_t HashOf(const std::string& key) { return static_cast<uint32_t>(engine::Hash(key)); }

}  // namespace

InodeTable::InodeTable(const Entry& root) {
  uint64_t node_id = Acquire(root);
  CHECK(node_id == kRootNodeId);
}

uint64_t InodeTable::NodeIdOf(size_t slot_index) const {
  // Slot 0 with generation 0 gives 1, the root's number in the protocol.
  return uint64_t{slots_[slot_index].generation} << 32 | (slot_index + 1);
}

InodeTable::Slot* InodeTable::FindSlot(uint64_t node_id) {
  uint64_t slot_index = (node_id & 0xffffffff) - 1;
  if (slot_index >= slots_.size()) return nullptr;
  Slot& slot = slots_[slot_index];
  return slot.key.empty() || slot.generation != node_id >> 32 ? nullptr : &slot;
}

size_t InodeTable::Probe(const std::string& key, uint32_t hash) const {
  size_t mask = index_.size() - 1;
  size_t at = hash & mask;
  for (; index_[at] != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[index_[at] - 1];
    if (slot.hash == hash && slot.key == key) break;
  }
  return at;
}

void InodeTable::GrowIndex() {
  index_.assign(std::max(kIndexSizeMin, index_.size() * 2), 0);
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].key.empty()) continue;
    index_[Probe(slots_[i].key, slots_[i].hash)] = static_cast<uint32_t>(i + 1);
  }
}

size_t InodeTable::NewSlot() {
  size_t slot_index = slots_.size();
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    slot_index = free_.back();
    free_.pop_back();
  }
  // All slots share one counter, so a number is reused only after 2^32 others. With a counter per
  // slot, a busy slot would reuse a number sooner.
  slots_[slot_index].generation = next_generation_++;
  return slot_index;
}

uint64_t InodeTable::Acquire(const Entry& entry) {
  engine::MutexLock lock(&mutex_);
  // The index is at most half full, which keeps probe sequences short.
  if ((count_ + 1) * 2 > index_.size()) GrowIndex();
  EncodeNode(entry.node, &key_);
  uint32_t hash = HashOf(key_);
  size_t at = Probe(key_, hash);
  if (index_[at] == 0) {
    size_t slot_index = NewSlot();
    Slot& slot = slots_[slot_index];
    slot.key = key_;
    slot.hash = hash;
    index_[at] = static_cast<uint32_t>(slot_index + 1);
    ++count_;
  }
  Slot& slot = slots_[index_[at] - 1];
  slot.size_bytes = entry.attributes.size_bytes;
  slot.changed_at_us = entry.attributes.changed_at_us;
  ++slot.lookups;
  slot.is_used = true;
  return NodeIdOf(index_[at] - 1);
}

std::optional<InodeTable::Inode> InodeTable::Find(uint64_t node_id) {
  engine::MutexLock lock(&mutex_);
  Slot* slot = FindSlot(node_id);
  if (slot == nullptr) return std::nullopt;
  slot->is_used = true;
  return Inode{DecodeNode(slot->key), {slot->size_bytes, slot->changed_at_us}};
}

uint64_t InodeTable::NumberOf(const Node& node) {
  engine::MutexLock lock(&mutex_);
  EncodeNode(node, &key_);
  const uint32_t found = index_[Probe(key_, HashOf(key_))];
  return found == 0 ? 0 : NodeIdOf(found - 1);
}

void InodeTable::Forget(uint64_t node_id, uint64_t lookups) {
  if (node_id == kRootNodeId) return;
  engine::MutexLock lock(&mutex_);
  Slot* slot = FindSlot(node_id);
  if (slot == nullptr) return;
  // Subtracts at most the present count, because a wrong number from the kernel must not make the
  // count wrap around.
  slot->lookups -= std::min(slot->lookups, lookups);
  if (slot->lookups > 0) return;
  size_t slot_index = (node_id & 0xffffffff) - 1;
  EraseFromIndex(slot_index);
  std::string().swap(slot->key);
  free_.push_back(static_cast<uint32_t>(slot_index));
  // A deque cannot free slots in its middle, so memory is freed only when only the root remains.
  if (--count_ > 1 || slots_.size() < kIndexSizeMin) return;
  slots_.resize(1);  // the root is slot 0
  slots_.shrink_to_fit();
  std::vector<uint32_t>().swap(free_);
  std::vector<uint32_t>().swap(index_);
  GrowIndex();
}

// Linear probing without tombstones: entries after the hole move into it, unless that puts them
// before their home position. This keeps lookups fast after many deletions.
void InodeTable::EraseFromIndex(size_t slot_index) {
  size_t mask = index_.size() - 1;
  size_t hole = Probe(slots_[slot_index].key, slots_[slot_index].hash);
  CHECK(index_[hole] == slot_index + 1);
  for (size_t at = (hole + 1) & mask; index_[at] != 0; at = (at + 1) & mask) {
    size_t home = slots_[index_[at] - 1].hash & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    index_[hole] = index_[at];
    hole = at;
  }
  index_[hole] = 0;
}

std::vector<InodeTable::RowPlace> InodeTable::IdleRows(size_t count) {
  std::vector<RowPlace> rows;
  engine::MutexLock lock(&mutex_);
  for (size_t steps = slots_.size(); steps > 0 && rows.size() < count; --steps) {
    if (++next_idle_ >= slots_.size()) next_idle_ = 0;
    Slot& slot = slots_[next_idle_];
    if (slot.key.empty() || std::exchange(slot.is_used, false)) continue;
    Node node = DecodeNode(slot.key);
    if (node.kind != NodeKind::kRow) continue;
    Node table;
    table.kind = NodeKind::kTable;
    table.as_of = node.as_of;
    table.table_id = node.table_id;
    table.selection = std::move(node.selection);
    EncodeNode(table, &key_);
    // Leaves out a row if the kernel has forgotten the node of its table, because a notification
    // names a row by the number of that node.
    uint32_t found = index_[Probe(key_, HashOf(key_))];
    if (found != 0) rows.push_back({NodeIdOf(found - 1), std::move(node.row)});
  }
  return rows;
}

uint64_t InodeTable::size() {
  engine::MutexLock lock(&mutex_);
  return count_;
}

}  // namespace sippar::fuse
