// SPDX-License-Identifier: Apache-2.0
#include "engine/program/top_values.h"

#include <algorithm>

namespace sippar::engine {
namespace {

constexpr int64_t kVersion = 1;
constexpr size_t kItemsOfEntry = 3;  // values per encoded entry: value, count, missed

// The memory of an entry besides its value: its key and the node of the map.
size_t OverheadOf(const std::string& key) { return key.size() + 96; }

bool IsCount(const Value& value) {
  return value.type() == ValueType::kInt64 && value.integer() >= 0;
}

}  // namespace

StatusOr<TopValues::Entry*> TopValues::Find(const Value& value, bool* is_new) {
  key_.clear();
  AppendEqualityKey(value, &key_);
  auto [found, inserted] = entries_.try_emplace(key_);
  *is_new = inserted;
  if (inserted) {
    found->second.value = value;
    RETURN_IF_ERROR(memory_->AddValue(value));
    RETURN_IF_ERROR(memory_->Add(OverheadOf(key_)));
  }
  return &found->second;
}

Status TopValues::Add(const Value& value) {
  bool is_new = false;
  ASSIGN_OR_RETURN(Entry * entry, Find(value, &is_new));
  if (is_new) entry->missed = floor_;
  ++entry->count;
  if (entries_.size() > 2 * capacity_) Purge();
  return OkStatus();
}

// Keeps the `capacity_` entries that may have occurred most often: those with the greatest
// count + missed. Then no removed value can have occurred more than floor_ times. floor_ is at most
// the number of values divided by `capacity_`, for this reason: of the occurrences of an entry, at
// least count + missed - floor_ have not paid for a rise of floor_ yet. A rise by d happens only if
// more than `capacity_` entries have at least d such occurrences, and each of them pays with d.
// Merge adds the floors, the values, and of each value the occurrences that have not paid.
void TopValues::Purge() {
  using Place = std::unordered_map<std::string, Entry>::iterator;
  std::vector<Place> places;
  places.reserve(entries_.size());
  for (auto place = entries_.begin(); place != entries_.end(); ++place) places.push_back(place);
  auto most = [](const Place& place) { return place->second.count + place->second.missed; };
  // Ties are broken by the value: the order of the map must not change the answer.
  auto before = [&](const Place& a, const Place& b) {
    if (most(a) != most(b)) return most(a) > most(b);
    return CompareValues(a->second.value, b->second.value) < 0;
  };
  auto first_removed = places.begin() + static_cast<std::ptrdiff_t>(capacity_);
  std::nth_element(places.begin(), first_removed, places.end(), before);
  floor_ = std::max(floor_, most(*first_removed));
  for (auto place = first_removed; place != places.end(); ++place) {
    memory_->RemoveValue((*place)->second.value);
    memory_->Remove(OverheadOf((*place)->first));
    entries_.erase(*place);
  }
}

Value TopValues::Encode() const {
  Value::Items items;
  items.reserve(entries_.size() * kItemsOfEntry);
  for (const auto& [key, entry] : entries_) {
    items.push_back(entry.value);
    items.push_back(Value::Int64(static_cast<int64_t>(entry.count)));
    items.push_back(Value::Int64(static_cast<int64_t>(entry.missed)));
  }
  return Value::Struct({Value::Int64(kVersion), Value::Int64(static_cast<int64_t>(floor_)),
                        Value::Array(std::move(items))});
}

Status TopValues::Merge(const Value& encoded, bool* known) {
  const Value::Items& parts = encoded.items();
  *known = encoded.type() == ValueType::kStruct && parts.size() == 3 &&
           parts[0] == Value::Int64(kVersion) && IsCount(parts[1]) &&
           parts[2].items().size() % kItemsOfEntry == 0;
  if (!*known) return OkStatus();
  const auto other_floor = static_cast<uint64_t>(parts[1].integer());
  // A value without an entry in the other summary may have occurred there `other_floor` times.
  // The loop below subtracts `other_floor` again for values that have an entry in both summaries.
  for (auto& [key, entry] : entries_) entry.missed += other_floor;
  const Value::Items& items = parts[2].items();
  for (size_t i = 0; i < items.size(); i += kItemsOfEntry) {
    *known = IsCount(items[i + 1]) && IsCount(items[i + 2]);
    if (!*known) return OkStatus();
    bool is_new = false;
    ASSIGN_OR_RETURN(Entry * entry, Find(items[i], &is_new));
    entry->count += static_cast<uint64_t>(items[i + 1].integer());
    const auto missed = static_cast<uint64_t>(items[i + 2].integer());
    entry->missed = (is_new ? floor_ : entry->missed - other_floor) + missed;
  }
  floor_ += other_floor;
  if (entries_.size() > 2 * capacity_) Purge();
  return OkStatus();
}

std::vector<TopValues::Entry> TopValues::Top(size_t n) const {
  std::vector<const Entry*> all;
  for (const auto& [key, entry] : entries_) all.push_back(&entry);
  n = std::min(n, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(),
                    [](const Entry* a, const Entry* b) {
                      if (a->count != b->count) return a->count > b->count;
                      return CompareValues(a->value, b->value) < 0;
                    });
  std::vector<Entry> top;
  for (size_t i = 0; i < n; ++i) top.push_back(*all[i]);
  return top;
}

}  // namespace sippar::engine
