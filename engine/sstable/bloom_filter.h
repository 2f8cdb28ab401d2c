// A blocked Bloom filter: every key sets its bits within one 64-byte line, so a lookup costs one
// cache miss (paper section 6, "Bloom filters"). 10 bits per key give about 1 % false positives.
// Used by SstableWriter and SstableReader. Lookups are thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sippar::engine {

// Collects hashes (Hash of engine/base/checksum.h) and builds the filter's bytes at the end, when
// the number of keys is known. Equal hashes in succession are kept once.
class BloomFilterBuilder {
 public:
  void Add(uint64_t hash) {
    if (hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
  }
  size_t size() const { return hashes_.size(); }
  std::string Build() const;  // "" when no hash was added

 private:
  std::vector<uint64_t> hashes_;
};

// False if `hash` is certainly not in `filter`. True for bytes that are not a filter.
bool BloomFilterMayContain(std::string_view filter, uint64_t hash);

}  // namespace sippar::engine
