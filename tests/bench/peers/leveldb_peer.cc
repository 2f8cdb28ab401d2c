// LevelDB with the same memtable, block cache and Bloom filter; compresses with Snappy, the only
// method of this build.
// SPDX-License-Identifier: Apache-2.0
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "tests/bench/peers/peer.h"

namespace sippar::bench {
namespace {

leveldb::Slice SliceOf(std::string_view text) { return {text.data(), text.size()}; }

void Check(const leveldb::Status& status) {
  if (!status.ok()) Fail("LevelDB", status.ToString());
}

class LevelDbPeer final : public Peer {
 public:
  explicit LevelDbPeer(const PeerSettings& settings)
      : cache_(leveldb::NewLRUCache(settings.cache_bytes)),
        filter_(leveldb::NewBloomFilterPolicy(10)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = settings.memtable_bytes;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    options.compression = settings.compress ? leveldb::kSnappyCompression : leveldb::kNoCompression;
    leveldb::DB* db = nullptr;
    Check(leveldb::DB::Open(options, settings.directory, &db));
    db_.reset(db);
    write_.sync = settings.sync;
  }

  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(write_, SliceOf(key), SliceOf(value)));
  }

  bool Get(std::string_view key, size_t* value_size) override {
    thread_local std::string value;
    leveldb::Status status = db_->Get({}, SliceOf(key), &value);
    if (status.IsNotFound()) return false;
    Check(status);
    *value_size = value.size();
    return true;
  }

  bool GetAbsentColumn(std::string_view key) override {
    size_t size = 0;
    return Get(std::string(key) + "/f:absent", &size);
  }

  uint64_t Iterate(uint64_t* value_bytes) override {
    std::unique_ptr<leveldb::Iterator> rows(db_->NewIterator({}));
    uint64_t count = 0;
    for (rows->SeekToFirst(); rows->Valid(); rows->Next(), ++count) {
      *value_bytes += rows->value().size();
    }
    Check(rows->status());
    return count;
  }

  uint64_t CountRows() override {
    uint64_t bytes = 0;
    return Iterate(&bytes);
  }

  void Compact() override { db_->CompactRange(nullptr, nullptr); }

 private:
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteOptions write_;
};

}  // namespace

std::unique_ptr<Peer> OpenLevelDb(const PeerSettings& settings) {
  return std::make_unique<LevelDbPeer>(settings);
}

}  // namespace sippar::bench
