// Peer: a key-value store of the comparison and the operations that are measured. All calls except
// the constructor are thread safe; an error ends the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sippar::bench {

struct PeerSettings {
  std::string directory;  // created by the peer
  bool compress = false;
  bool sync = false;  // every put waits for the disk
  uint64_t memtable_bytes = 64 << 20;
  uint64_t cache_bytes = 128 << 20;  // capacity for decompressed blocks
};

class Peer {
 public:
  virtual ~Peer() = default;  // waits for background work in progress
  virtual void Put(std::string_view key, std::string_view value) = 0;
  virtual bool Get(std::string_view key, size_t* value_size) = 0;  // false: the key is absent
  // Looks up a column that no row has. In key-value stores, key and column form one key.
  virtual bool GetAbsentColumn(std::string_view key) = 0;
  // Reads all rows in order; returns their number.
  virtual uint64_t Iterate(uint64_t* value_bytes) = 0;
  virtual uint64_t CountRows() = 0;  // uses the fastest way that the store offers
  virtual void Compact() = 0;        // compacts all data into one sorted run
};

inline constexpr int kPeers = 3;
inline constexpr const char* kPeerNames[kPeers] = {"RocksDB", "LevelDB", "sippar"};
inline constexpr int kRocksDb = 0;
inline constexpr int kSippar = 2;

std::unique_ptr<Peer> OpenRocksDb(const PeerSettings& settings);
std::unique_ptr<Peer> OpenLevelDb(const PeerSettings& settings);
std::unique_ptr<Peer> OpenSippar(const PeerSettings& settings);

[[noreturn]] void Fail(std::string_view what, std::string_view why);

}  // namespace sippar::bench
