// How one SSTable is written: the storage settings of its locality group. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/model/schema.h"

namespace sippar::engine {

inline constexpr int kFastLevel = 1;  // of zstd

struct SstableOptions {
  uint32_t block_size = 64 << 10;  // raw bytes after which a block is closed
  Compression compression = Compression::kZstd;
  int level = 1;
  bool dictionary = true;  // use the writer's sample as a dictionary
  BloomKind bloom = BloomKind::kRow;

  // `is_final`: written by a major compaction, which is worth the group's own level. What is soon
  // merged again is written at the fast one.
  static SstableOptions From(const LocalityGroupSchema& group, bool is_final) {
    int level = is_final ? group.compression_level : std::min(group.compression_level, kFastLevel);
    return {group.block_size, group.compression, level, group.dictionary, group.bloom};
  }
};

inline constexpr size_t kDictionarySizeMax = 1 << 20;

// Bytes of sample worth taking for a file of that raw size; 0 when a dictionary would cost more
// than it saves. Even pieces of 1/128 of the data measured best per byte, up to 1 MiB.
inline size_t DictionarySampleSize(uint64_t raw_bytes) {
  if (raw_bytes < (512 << 10)) return 0;
  return static_cast<size_t>(std::clamp<uint64_t>(raw_bytes / 128, 64 << 10, kDictionarySizeMax));
}

}  // namespace sippar::engine
