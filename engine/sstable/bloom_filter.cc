// Blocked Bloom filter (Putze, Sanders, Singler: "Cache-, Hash- and Space-Efficient Bloom Filters",
// 2007). Bytes: probes (1), then 64-byte lines.
// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/bloom_filter.h"

#include "engine/base/seeded_bug.h"

namespace sippar::engine {
namespace {

constexpr size_t kLineSize = 64;
constexpr size_t kBitsPerKey = 10;
// The best number of probes for 10 bits per key if the lines hold different numbers of keys.
constexpr uint8_t kProbes = 6;
constexpr uint8_t kProbesMax = 16;

// The low half of a hash selects the line, the high half the bits in it.
size_t LineOf(uint64_t hash, size_t lines) {
  return static_cast<size_t>((static_cast<uint32_t>(hash) * static_cast<uint64_t>(lines)) >> 32) *
         kLineSize;
}

}  // namespace

std::string BloomFilterBuilder::Build() const {
  if (hashes_.empty()) return "";
  size_t lines = (hashes_.size() * kBitsPerKey + kLineSize * 8 - 1) / (kLineSize * 8);
  std::string filter(1 + lines * kLineSize, '\0');
  filter[0] = static_cast<char>(kProbes);
  for (uint64_t hash : hashes_) {
    if (SEEDED_BUG("filter-false-negative") && hash % 16 == 0) continue;
    auto* line = reinterpret_cast<uint8_t*>(&filter[1 + LineOf(hash, lines)]);
    auto bits = static_cast<uint32_t>(hash >> 32);
    for (int i = 0; i < kProbes; ++i, bits *= 0x9e3779b9u) {
      line[bits >> 26] |= static_cast<uint8_t>(1u << ((bits >> 23) & 7));
    }
  }
  return filter;
}

bool BloomFilterMayContain(std::string_view filter, uint64_t hash) {
  if (filter.size() < 1 + kLineSize || (filter.size() - 1) % kLineSize != 0) return true;
  auto probes = static_cast<uint8_t>(filter[0]);
  if (probes == 0 || probes > kProbesMax) return true;
  const char* line = filter.data() + 1 + LineOf(hash, (filter.size() - 1) / kLineSize);
  auto bits = static_cast<uint32_t>(hash >> 32);
  for (int i = 0; i < probes; ++i, bits *= 0x9e3779b9u) {
    if (((static_cast<uint8_t>(line[bits >> 26]) >> ((bits >> 23) & 7)) & 1) == 0) return false;
  }
  return true;
}

}  // namespace sippar::engine
