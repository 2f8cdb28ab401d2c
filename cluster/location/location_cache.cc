// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/location_cache.h"

namespace sippar::cluster {

bool LocationCache::Before::operator()(const Key& a, const Key& b) const {
  if (a.table_id != b.table_id) return a.table_id < b.table_id;
  return !a.limit.empty() && (b.limit.empty() || a.limit < b.limit);
}

bool LocationCache::Before::operator()(const Row& a, const Key& b) const {
  if (a.table_id != b.table_id) return a.table_id < b.table_id;
  return b.limit.empty() || a.row < b.limit;
}

bool LocationCache::Before::operator()(const Key& a, const Limit& b) const {
  if (a.table_id != b.table_id) return a.table_id < b.table_id;
  return !a.limit.empty() && (b.limit.empty() || a.limit < b.limit);
}

LocationPtr LocationCache::FindBefore(uint64_t table_id, std::string_view limit) const {
  auto found = tablets_.lower_bound(Limit{table_id, limit});
  if (found == tablets_.end() || found->first.table_id != table_id) return nullptr;
  return limit.empty() || found->second->range.start < limit ? found->second : nullptr;
}

LocationPtr LocationCache::Find(uint64_t table_id, std::string_view row) const {
  auto found = tablets_.upper_bound(Row{table_id, row});
  if (found == tablets_.end() || found->first.table_id != table_id) return nullptr;
  return row >= found->second->range.start ? found->second : nullptr;
}

void LocationCache::Insert(LocationPtr location) {
  const TabletLocation& fresh = *location;
  auto next = tablets_.upper_bound(Row{fresh.table_id, fresh.range.start});
  auto overlaps = [&](const TabletLocation& old) {
    return old.table_id == fresh.table_id &&
           (fresh.range.limit.empty() || old.range.start < fresh.range.limit);
  };
  while (next != tablets_.end() && overlaps(*next->second)) next = tablets_.erase(next);
  tablets_.emplace_hint(next, Key{fresh.table_id, fresh.range.limit}, std::move(location));
  // Evicts entries in key order, and after the last key begins again at the first one. It does not
  // look for the least recently used entry, so Find need not record uses and changes nothing.
  while (tablets_.size() > capacity_) {
    auto victim = tablets_.upper_bound(hand_);
    if (victim == tablets_.end()) victim = tablets_.begin();
    hand_ = victim->first;
    tablets_.erase(victim);
  }
}

void LocationCache::Invalidate(const TabletLocation& seen) {
  auto found = tablets_.find(Key{seen.table_id, seen.range.limit});
  if (found == tablets_.end()) return;
  const TabletAddress& known = found->second->address;
  if (known.tablet_id == seen.address.tablet_id &&
      known.tablet_epoch == seen.address.tablet_epoch) {
    tablets_.erase(found);
  }
}

}  // namespace sippar::cluster
