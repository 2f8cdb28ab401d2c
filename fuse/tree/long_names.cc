// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/long_names.h"

#include <algorithm>
#include <charconv>

#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {
namespace {

constexpr size_t kRunOverhead = 160;    // estimated bytes of a map node and a pointer
constexpr size_t kGroupOverhead = 512;  // estimate per group, without the two copies of its key
// Limit of unsorted entries, which a search compares one by one.
constexpr size_t kUnsortedMax = 1'024;
constexpr size_t kProgressMax = 64;       // limit of stored searches that ran out of time
constexpr size_t kRecentBytes = 2 << 20;  // limit of recent_: bytes of scopes, names and keys
// Limit of key bytes per run, which keeps runs of huge keys short.
constexpr size_t kRunBytes = 256 << 10;

uint32_t HexNumber(std::string_view digits) {
  uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

// The key of a group: the directory and the head, which is the name without its hash.
std::string GroupKey(const std::string& scope, std::string_view name) {
  return scope + std::string(name.substr(0, name.size() - kLongHashSize));
}

}  // namespace

LongNames::Group* LongNames::FindGroup(const std::string& scope, std::string_view name, bool make) {
  std::string key = GroupKey(scope, name);
  auto found = groups_.find(key);
  if (found == groups_.end()) {
    if (!make) return nullptr;
    found = groups_.try_emplace(key).first;
    used_.push_front(key);
    found->second.used = used_.begin();
    found->second.size_bytes = kGroupOverhead + 2 * key.size();
    size_bytes_ += found->second.size_bytes;
  }
  used_.splice(used_.begin(), used_, found->second.used);
  return &found->second;
}

// Drops the least recently used groups until there is room. Returns false if only `group` is left:
// its new names are then not indexed, and only a search finds them.
bool LongNames::MakeRoom(const Group* group) {
  while (size_bytes_ >= memory_bytes_) {
    auto last = groups_.find(used_.back());
    if (&last->second == group) return false;
    size_bytes_ -= last->second.size_bytes;
    groups_.erase(last);
    used_.pop_back();
  }
  return true;
}

// Returns the run for `key`; starts a new run if the run before the key is full.
uint32_t LongNames::RunOf(Group* group, std::string_view key, size_t run_keys) {
  auto at = group->runs.upper_bound(key);
  if (at != group->runs.begin()) {
    Run& run = std::prev(at)->second;
    if (run.keys < run_keys && run.key_bytes < kRunBytes) {
      ++run.keys;
      run.key_bytes += key.size();
      return run.index;
    }
    // The full run begins with exactly this key. Two runs cannot begin at the same key, so the key
    // goes into the full run.
    if (std::prev(at)->first == key) return run.index;
  }
  auto index = static_cast<uint32_t>(group->first_keys.size());
  at = group->runs.emplace_hint(at, std::string(key), Run{index, 1, key.size()});
  group->first_keys.push_back(&at->first);
  group->size_bytes += key.size() + kRunOverhead;
  size_bytes_ += key.size() + kRunOverhead;
  return index;
}

engine::RowRange LongNames::RangeOf(const Group& group, uint32_t run) {
  const std::string& first = *group.first_keys[run];
  auto next = group.runs.upper_bound(first);
  return {first, next == group.runs.end() ? std::string() : next->first};
}

std::vector<uint32_t> LongNames::RunsOf(Group* group, const Entry& wanted) {
  // Sorting waits until kUnsortedMax entries have been added: a listing searches before each entry
  // that it adds, so merging each time would take quadratic time.
  if (group->entries.size() - group->sorted > kUnsortedMax) {
    auto middle = group->entries.begin() + static_cast<ptrdiff_t>(group->sorted);
    std::sort(middle, group->entries.end());
    std::inplace_merge(group->entries.begin(), middle, group->entries.end());
    group->sorted = group->entries.size();
  }
  std::vector<uint32_t> runs;
  auto take = [&](const Entry& entry) {
    bool is_same = entry.hash_high == wanted.hash_high && entry.hash_low == wanted.hash_low;
    if (is_same) runs.push_back(entry.run);
    return is_same;
  };
  auto unsorted = group->entries.begin() + static_cast<ptrdiff_t>(group->sorted);
  auto at = std::lower_bound(group->entries.begin(), unsorted, wanted);
  while (at != unsorted && take(*at)) ++at;
  std::for_each(unsorted, group->entries.end(), take);
  return runs;
}

void LongNames::Note(const std::string& scope, std::string_view name, std::string_view key,
                     size_t run_keys) {
  std::string_view hash = name.substr(name.size() - kLongHashSize);
  Entry entry{HexNumber(hash.substr(0, 8)), HexNumber(hash.substr(8, 8)), 0};
  engine::MutexLock lock(&mutex_);
  Group* group = FindGroup(scope, name, true);
  for (uint32_t run : RunsOf(group, entry)) {
    if (RangeOf(*group, run).Contains(key)) return;  // this key is indexed already
  }
  if (!MakeRoom(group)) return;
  entry.run = RunOf(group, key, run_keys);
  size_t before = group->entries.capacity();
  group->entries.push_back(entry);
  // Counts the growth of the vector instead of the entry, because its capacity is what occupies
  // memory.
  size_t more = (group->entries.capacity() - before) * sizeof(Entry);
  group->size_bytes += more;
  size_bytes_ += more;
}

std::vector<engine::RowRange> LongNames::Find(const std::string& scope, std::string_view name) {
  std::string_view hash = name.substr(name.size() - kLongHashSize);
  Entry wanted{HexNumber(hash.substr(0, 8)), HexNumber(hash.substr(8, 8)), 0};
  engine::MutexLock lock(&mutex_);
  Group* group = FindGroup(scope, name, false);
  std::vector<engine::RowRange> ranges;
  if (group == nullptr) return ranges;
  for (uint32_t run : RunsOf(group, wanted)) ranges.push_back(RangeOf(*group, run));
  return ranges;
}

void LongNames::Remember(const std::string& scope, std::string_view name, std::string_view key) {
  engine::MutexLock lock(&mutex_);
  // Drops all entries at once: they serve a single pass over a directory, so it would not help to
  // keep the most recently used entries.
  if (recent_bytes_ > kRecentBytes) {
    recent_.clear();
    recent_bytes_ = 0;
  }
  if (!recent_.try_emplace(scope + std::string(name), key).second) return;
  recent_bytes_ += scope.size() + name.size() + key.size() + kRunOverhead;
}

std::optional<std::string> LongNames::Recall(const std::string& scope, std::string_view name) {
  engine::MutexLock lock(&mutex_);
  auto found = recent_.find(scope + std::string(name));
  if (found == recent_.end()) return std::nullopt;
  return found->second;
}

void LongNames::NoteFound(const std::string& scope, std::string_view name, std::string_view key) {
  engine::MutexLock lock(&mutex_);
  FindGroup(scope, name, true)->last_found.assign(key);
}

std::optional<std::string> LongNames::LastFound(const std::string& scope, std::string_view name) {
  engine::MutexLock lock(&mutex_);
  Group* group = FindGroup(scope, name, false);
  if (group == nullptr || group->last_found.empty()) return std::nullopt;
  return group->last_found;
}

void LongNames::NoteProgress(const std::string& scope, std::string_view name,
                             std::string_view key) {
  engine::MutexLock lock(&mutex_);
  if (progress_.size() >= kProgressMax) progress_.clear();
  if (key.empty()) {
    progress_.erase(scope + std::string(name));
  } else {
    progress_[scope + std::string(name)] = key;
  }
}

std::string LongNames::Progress(const std::string& scope, std::string_view name) {
  engine::MutexLock lock(&mutex_);
  auto found = progress_.find(scope + std::string(name));
  return found == progress_.end() ? std::string() : found->second;
}

size_t LongNames::size_bytes() {
  engine::MutexLock lock(&mutex_);
  return size_bytes_;
}

}  // namespace sippar::fuse
