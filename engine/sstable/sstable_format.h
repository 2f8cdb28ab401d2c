// Constants and fixed parts of the SSTable format (FORMAT.md "SSTable"): block frames, handles and
// the footer. Used by the writer and the reader. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

inline constexpr uint32_t kSstableVersion = 1;
inline constexpr std::string_view kSstableMagic = "SipparST";

// After every block's payload: type (1 byte), checksum of payload and type (8).
inline constexpr size_t kBlockTrailerSize = 9;
enum class BlockType : uint8_t { kRaw = 0, kZstd = 1, kZstdDictionary = 2 };

// Bounds a decoded size before any allocation. A zstd frame consists of blocks of at least 4 bytes
// for at most 128 KiB of content each, so a larger announced size is damage.
inline constexpr uint64_t kZstdRatioMax = 32 << 10;
// Largest decoded size of the index, the filter, the properties or the dictionary.
inline constexpr uint64_t kSectionRawSizeMax = 256 << 20;

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t stored_size = 0;  // includes the trailer; 0: there is no such block
  uint64_t raw_size = 0;
  uint64_t end() const { return offset + stored_size; }
  bool operator==(const BlockHandle&) const = default;
};

// The seed of a block's checksum depends on the file and on the block's offset. So the check fails
// if a read returns the bytes of another block (tests/FAULTS.md D15).
inline uint64_t BlockSeed(uint64_t file_id, uint64_t offset) {
  return (file_id + 1) * 0x9e3779b97f4a7c15u ^ offset;
}

// The file that an error message names.
struct FileName {
  std::string_view path;
  uint64_t file_id = 0;
};
// Returns kDataLoss "sstable PATH (file ID), WHAT at offset N: PROBLEM; " and the remedy.
Status SstableDamage(const FileName& file, std::string_view what, uint64_t offset,
                     std::string_view problem);

// The last bytes of a file. Version, size, checksum and magic keep their place in all format
// versions.
struct Footer {
  static constexpr size_t kSize = 4 * 24 + 8 + 24;
  // No format version has a larger footer, so a reader can also check a footer of a newer version.
  static constexpr size_t kSizeMax = 4096;
  BlockHandle dictionary;  // sections in the order of the file
  BlockHandle filter;
  BlockHandle index;
  BlockHandle properties;
  uint64_t file_id = 0;

  // `offset` is the footer's place in the file.
  std::string Encode(uint64_t offset) const;
  // Decodes `tail`, the last min(file size, kSizeMax) bytes. Checks everything, including that
  // sections and footer adjoin without gaps. kFailedPrecondition for a newer version.
  [[nodiscard]] static StatusOr<Footer> Decode(std::string_view tail, uint64_t file_size,
                                               const FileName& file);
};

}  // namespace sippar::engine
