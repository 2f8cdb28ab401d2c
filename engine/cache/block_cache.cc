// Implements the cache as a segmented LRU in shards.
// SPDX-License-Identifier: Apache-2.0
#include "engine/cache/block_cache.h"

#include <algorithm>
#include <list>
#include <unordered_map>

#include "engine/base/check.h"
#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

constexpr size_t kShardsMax = 16;
constexpr uint64_t kShardSizeMin = 8 << 20;  // so that a shard holds a block of some MiB
// Limit of the protected list, in percent of the capacity. New blocks, however many, evict only
// blocks on probation.
constexpr uint64_t kProtectedPercent = 80;

struct BlockKey {
  uint64_t file_id;
  uint64_t offset;
  bool operator==(const BlockKey&) const = default;
};

// The last step of splitmix64. Shard and bucket are chosen by different bits of the result.
uint64_t Mix(uint64_t file_id, uint64_t offset) {
  uint64_t z = file_id * 0x9e3779b97f4a7c15u + offset;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct BlockKeyHash {
  size_t operator()(const BlockKey& key) const { return Mix(key.file_id, key.offset); }
};

size_t ShardCount(uint64_t capacity_bytes) {
  return static_cast<size_t>(std::clamp<uint64_t>(capacity_bytes / kShardSizeMin, 1, kShardsMax));
}

}  // namespace

class BlockCache::Shard {
 public:
  explicit Shard(uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  std::shared_ptr<const Block> Find(const BlockKey& key, CacheUse use) {
    MutexLock lock(&mutex_);
    auto found = nodes_.find(key);
    if (found == nodes_.end()) {
      ++stats_.misses;
      return nullptr;
    }
    ++stats_.hits;
    if (use == CacheUse::kPoint) Touch(found->second);
    return found->second->block;
  }

  void Insert(const BlockKey& key, std::shared_ptr<const Block> block, CacheUse use) {
    std::list<Node> gone;  // destroyed after the lock is released
    MutexLock lock(&mutex_);
    // A block larger than this shard would evict all other blocks on probation and then itself.
    if (block->charge() > capacity_bytes_) return;
    // The key is present only if another thread missed the same block at the same time and inserted
    // it first (SstableReader::ReadBlock). The new block replaces that block and begins on
    // probation. This seldom matters: the old block was mostly too new to be protected, and if it
    // was protected, the next use protects the new block.
    auto found = nodes_.find(key);
    if (found != nodes_.end()) Take(found->second, &gone);
    probation_bytes_ += block->charge();
    auto at = use == CacheUse::kPoint ? probation_.begin() : probation_.end();
    nodes_[key] = probation_.insert(at, Node{key, std::move(block), false});
    Evict(&gone);
  }

  void SetCapacity(uint64_t capacity_bytes) {
    std::list<Node> gone;
    MutexLock lock(&mutex_);
    capacity_bytes_ = capacity_bytes;
    Evict(&gone);
  }

  // Walks all blocks of the shard with its lock held: some 500 blocks of 64 KiB if the whole cache
  // has 512 MiB. Called once per file, when the file is deleted (FileRegistry::Remove). A list of
  // blocks per file would make this walk shorter but every Insert slower.
  void EraseFile(uint64_t file_id) {
    std::list<Node> gone;
    MutexLock lock(&mutex_);
    for (std::list<Node>* list : {&probation_, &protected_}) {
      for (auto node = list->begin(); node != list->end();) {
        auto next = std::next(node);
        if (node->key.file_id == file_id) Take(node, &gone);
        node = next;
      }
    }
  }

  void AddTo(Stats* total) {
    MutexLock lock(&mutex_);
    total->hits += stats_.hits;
    total->misses += stats_.misses;
    total->evictions += stats_.evictions;
    total->blocks += nodes_.size();
    total->bytes += probation_bytes_ + protected_bytes_;
  }

 private:
  struct Node {
    BlockKey key;
    std::shared_ptr<const Block> block;
    bool is_protected;
  };
  using Position = std::list<Node>::iterator;

  void Touch(Position node) REQUIRES(mutex_) {
    if (node->is_protected) {
      protected_.splice(protected_.begin(), protected_, node);
      return;
    }
    node->is_protected = true;
    probation_bytes_ -= node->block->charge();
    protected_bytes_ += node->block->charge();
    protected_.splice(protected_.begin(), probation_, node);
    // Blocks that the protected list has no room for return to the warm end of probation. The block
    // that was just used stays even if it alone exceeds the limit; otherwise a block of that size
    // could never be protected.
    while (protected_bytes_ > capacity_bytes_ / 100 * kProtectedPercent && protected_.size() > 1) {
      Position coldest = std::prev(protected_.end());
      coldest->is_protected = false;
      protected_bytes_ -= coldest->block->charge();
      probation_bytes_ += coldest->block->charge();
      probation_.splice(probation_.begin(), protected_, coldest);
    }
  }

  void Evict(std::list<Node>* gone) REQUIRES(mutex_) {
    while (probation_bytes_ + protected_bytes_ > capacity_bytes_) {
      std::list<Node>& victims = probation_.empty() ? protected_ : probation_;
      Take(std::prev(victims.end()), gone);
      ++stats_.evictions;
    }
  }

  void Take(Position node, std::list<Node>* gone) REQUIRES(mutex_) {
    nodes_.erase(node->key);
    (node->is_protected ? protected_bytes_ : probation_bytes_) -= node->block->charge();
    gone->splice(gone->end(), node->is_protected ? protected_ : probation_, node);
  }

  Mutex mutex_;
  uint64_t capacity_bytes_ GUARDED_BY(mutex_);
  std::list<Node> probation_ GUARDED_BY(mutex_);  // warmest first
  std::list<Node> protected_ GUARDED_BY(mutex_);
  uint64_t probation_bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t protected_bytes_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<BlockKey, Position, BlockKeyHash> nodes_ GUARDED_BY(mutex_);
  Stats stats_ GUARDED_BY(mutex_);
};

BlockCache::BlockCache(uint64_t capacity_bytes, uint64_t pinned_bytes)
    : capacity_bytes_(capacity_bytes), pins_(pinned_bytes) {
  // The number of shards never changes: a change would move most blocks to other shards, and Find
  // reads shards_ without a lock. TabletHost creates its cache with the largest capacity that the
  // cache will have, so no shard ever gets a larger capacity than here.
  size_t count = ShardCount(capacity_bytes);
  for (size_t i = 0; i < count; ++i) {
    shards_.push_back(std::make_unique<Shard>(capacity_bytes / count));
  }
}

BlockCache::~BlockCache() = default;

void BlockCache::SetCapacity(uint64_t capacity_bytes) {
  if (capacity_bytes_.load() == capacity_bytes) return;  // the most frequent case takes no lock
  MutexLock lock(&resize_mutex_);
  capacity_bytes_ = capacity_bytes;
  for (auto& shard : shards_) shard->SetCapacity(capacity_bytes / shards_.size());
}

BlockCache::Shard& BlockCache::ShardOf(uint64_t file_id, uint64_t offset) const {
  return *shards_[(Mix(file_id, offset) >> 48) % shards_.size()];
}

std::shared_ptr<const Block> BlockCache::Find(uint64_t file_id, uint64_t offset, CacheUse use) {
  return ShardOf(file_id, offset).Find({file_id, offset}, use);
}

void BlockCache::Insert(uint64_t file_id, uint64_t offset, std::shared_ptr<const Block> block,
                        CacheUse use) {
  CHECK(block != nullptr);
  ShardOf(file_id, offset).Insert({file_id, offset}, std::move(block), use);
}

void BlockCache::EraseFile(uint64_t file_id) {
  for (auto& shard : shards_) shard->EraseFile(file_id);
}

BlockCache::Stats BlockCache::stats() const {
  Stats total;
  for (const auto& shard : shards_) shard->AddTo(&total);
  total.pinned_bytes = pins_.used_bytes();
  total.pins_refused = pins_.refused();
  return total;
}

}  // namespace sippar::engine
