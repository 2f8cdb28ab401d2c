// Settings for writing one SSTable, from its locality group. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/model/schema.h"

namespace sippar::engine {

inline constexpr int kFastLevel = 1;  // the fast zstd level

struct SstableOptions {
  uint32_t block_size = 64 << 10;  // a block is closed at this raw size
  Compression compression = Compression::kZstd;
  int level = 1;
  bool dictionary = true;  // compress with the `sample` of SstableWriter as dictionary
  BloomKind bloom = BloomKind::kRow;

  // `is_final`: a major compaction writes the file, so the group's own compression level is worth
  // its time. Other files are soon merged again and are written at the fast level.
  static SstableOptions From(const LocalityGroupSchema& group, bool is_final) {
    int level = is_final ? group.compression_level : std::min(group.compression_level, kFastLevel);
    return {group.block_size, group.compression, level, group.dictionary, group.bloom};
  }
};

inline constexpr size_t kDictionarySizeMax = 1 << 20;

// The sample size for a file of this raw size; 0 when a dictionary would cost more than it saves.
// Measured: a sample of 1/128 of the data, up to 1 MiB, saved the most bytes for its own size.
inline size_t DictionarySampleSize(uint64_t raw_bytes) {
  if (raw_bytes < (512 << 10)) return 0;
  return static_cast<size_t>(std::clamp<uint64_t>(raw_bytes / 128, 64 << 10, kDictionarySizeMax));
}

}  // namespace sippar::engine
