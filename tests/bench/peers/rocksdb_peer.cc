// RocksDB as its tuning guide recommends: four memtables of 64 MiB, a block cache, Bloom filters of
// 10 bits, LZ4 when compressing.
// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "tests/bench/peers/peer.h"

namespace sippar::bench {
namespace {

rocksdb::Slice SliceOf(std::string_view text) { return {text.data(), text.size()}; }

void Check(const rocksdb::Status& status) {
  if (!status.ok()) Fail("RocksDB", status.ToString());
}

class RocksDbPeer final : public Peer {
 public:
  RocksDbPeer(const PeerSettings& settings, rocksdb::DB* db) : db_(db) {
    write_.sync = settings.sync;
  }

  void Put(std::string_view key, std::string_view value) override {
    Check(db_->Put(write_, SliceOf(key), SliceOf(value)));
  }

  bool Get(std::string_view key, size_t* value_size) override {
    thread_local rocksdb::PinnableSlice value;
    rocksdb::Status status = db_->Get({}, db_->DefaultColumnFamily(), SliceOf(key), &value);
    if (status.IsNotFound()) return false;
    Check(status);
    *value_size = value.size();
    value.Reset();  // reset before the thread ends, which may be after the store was closed
    return true;
  }

  bool GetAbsentColumn(std::string_view key) override {
    size_t size = 0;
    return Get(std::string(key) + "/f:absent", &size);
  }

  uint64_t Iterate(uint64_t* value_bytes) override {
    std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}));
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

  void Compact() override { Check(db_->CompactRange({}, nullptr, nullptr)); }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::WriteOptions write_;
};

}  // namespace

std::unique_ptr<Peer> OpenRocksDb(const PeerSettings& settings) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(settings.cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = settings.memtable_bytes;
  options.max_write_buffer_number = 4;
  options.target_file_size_base = settings.memtable_bytes;
  options.max_bytes_for_level_base = 4 * settings.memtable_bytes;
  options.compression = settings.compress ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, settings.directory, &db));
  return std::make_unique<RocksDbPeer>(settings, db);
}

}  // namespace sippar::bench
