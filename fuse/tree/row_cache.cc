// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/row_cache.h"

#include <algorithm>
#include <tuple>

#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {
namespace {

std::string CacheKey(uint64_t table_id, const ReadView& view, std::string_view row) {
  Node node;
  node.kind = NodeKind::kRow;
  node.as_of = view.as_of;
  node.table_id = table_id;
  node.row = row;
  std::string key;
  EncodeNode(node, &key);
  return key;
}

size_t SizeOf(const RowColumn& column) {
  return sizeof(RowColumn) + column.family.size() + column.qualifier.size() +
         (column.value.has_value() ? column.value->size() : 0);
}

RowColumn ColumnOf(const cluster::CellView& cell, size_t room) {
  RowColumn column;
  column.family = cell.family;
  column.qualifier = cell.qualifier;
  column.timestamp_us = cell.timestamp_us;
  column.sequence = cell.sequence;
  column.size_bytes = ValueSize(cell);
  // Leaves out a value that does not fit. Its name and size are kept, so stat and listings need no
  // read.
  if (cell.omitted_size == 0 && cell.value.size() <= room) column.value.emplace(cell.value);
  return column;
}

}  // namespace

const RowColumn* RowSnapshot::Find(std::string_view family, std::string_view qualifier) const {
  auto at = std::lower_bound(columns.begin(), columns.end(), std::tie(family, qualifier),
                             [](const RowColumn& column, const auto& wanted) {
                               return std::tuple<std::string_view, std::string_view>(
                                          column.family, column.qualifier) < wanted;
                             });
  if (at == columns.end() || at->family != family || at->qualifier != qualifier) return nullptr;
  return &*at;
}

size_t RowSnapshot::FirstOf(std::string_view family,
                            const std::optional<std::string>& after) const {
  auto at = std::partition_point(columns.begin(), columns.end(), [&](const RowColumn& column) {
    if (column.family != family) return column.family < family;
    return after.has_value() && column.qualifier <= *after;
  });
  return static_cast<size_t>(at - columns.begin());
}

StatusOr<RowPtr> RowCache::Get(uint64_t table_id, const ReadView& view, std::string_view row,
                               const cluster::CallOptions& call) {
  std::string key = CacheKey(table_id, view, row);
  if (RowPtr cached = FindFresh(key); cached != nullptr) return cached;
  ASSIGN_OR_RETURN(RowPtr loaded, Load(view, row, call));
  Insert(key, loaded);
  return loaded;
}

StatusOr<RowPtr> RowCache::Load(const ReadView& view, std::string_view row,
                                const cluster::CallOptions& call) {
  reads_.fetch_add(1, std::memory_order_relaxed);
  auto snapshot = std::make_shared<RowSnapshot>();
  // The time is taken before the read, so that the row never seems younger than it is.
  snapshot->loaded_at_ns = clock_->MonotonicNanos();
  snapshot->size_bytes = sizeof(RowSnapshot) + row.size();
  cluster::ReadSpec spec = RowSpec(view, row);
  spec.value_size_max = kCachedValueSizeMax;
  ASSIGN_OR_RETURN(auto stream, data_->Read(view.table, spec, call));
  size_t names_size = 0;
  for (; stream->Valid(); stream->Next()) {
    const cluster::CellView& cell = stream->cell();
    names_size += sizeof(RowColumn) + cell.family.size() + cell.qualifier.size();
    if (snapshot->columns.size() == kCachedRowColumnsMax || names_size > kCachedRowSizeMax) {
      // The columns read so far are dropped, because a part of a row would be taken for the whole
      // row.
      snapshot->columns.clear();
      snapshot->is_wide = true;
      snapshot->size_bytes = sizeof(RowSnapshot) + row.size();
      return RowPtr(std::move(snapshot));
    }
    size_t room = kCachedRowSizeMax - std::min(kCachedRowSizeMax, snapshot->size_bytes);
    snapshot->columns.push_back(ColumnOf(cell, room));
    snapshot->size_bytes += SizeOf(snapshot->columns.back());
  }
  RETURN_IF_ERROR(stream->status());
  return RowPtr(std::move(snapshot));
}

RowPtr RowCache::FindFresh(const std::string& key) {
  int64_t now_ns = clock_->MonotonicNanos();
  engine::MutexLock lock(&mutex_);
  auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  auto item = found->second;
  // A row stays marked as wide longer than its content could be cached: the mark only selects how
  // to read, and counting thousands of columns again each second would be costly.
  int64_t age_us_max = item->second->is_wide ? kWideRowMemoryUs : freshness_us_;
  if (now_ns - item->second->loaded_at_ns >= age_us_max * 1000) {
    Erase(item);
    return nullptr;
  }
  items_.splice(items_.begin(), items_, item);
  return item->second;
}

RowPtr RowCache::Peek(uint64_t table_id, const ReadView& view, std::string_view row) {
  std::string key = CacheKey(table_id, view, row);
  engine::MutexLock lock(&mutex_);
  auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second->second;
}

void RowCache::Forget(uint64_t table_id, const ReadView& view, std::string_view row) {
  std::string key = CacheKey(table_id, view, row);
  engine::MutexLock lock(&mutex_);
  auto found = by_key_.find(key);
  if (found != by_key_.end()) Erase(found->second);
}

void RowCache::Insert(const std::string& key, const RowPtr& row) {
  engine::MutexLock lock(&mutex_);
  auto found = by_key_.find(key);
  if (found != by_key_.end()) Erase(found->second);
  items_.emplace_front(key, row);
  // The map's key is a view of the string in the list node, which never moves.
  by_key_.emplace(items_.front().first, items_.begin());
  size_bytes_ += row->size_bytes + key.size();
  while (size_bytes_ > kRowCacheSizeMax) Erase(std::prev(items_.end()));
}

void RowCache::Erase(std::list<Item>::iterator item) {
  size_bytes_ -= item->second->size_bytes + item->first.size();
  by_key_.erase(item->first);
  items_.erase(item);
}

}  // namespace sippar::fuse
