// Limits and times of the mounted tree, each with its reason. Sizes in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::fuse {

// A name looked up now may be this old: our caches and the kernel's together (SEMANTICS.md). Less
// when the mount was told so.
inline constexpr int64_t kFreshnessUs = 1'000'000;

// Rows read whole are kept for their sibling files.
inline constexpr size_t kRowCacheSizeMax = 32 << 20;
inline constexpr size_t kCachedValueSizeMax = 64 << 10;  // larger values are read when opened
inline constexpr size_t kCachedRowSizeMax = 1 << 20;     // of names and kept values of one row
inline constexpr size_t kCachedRowColumnsMax = 4'096;    // a wider row is read column by column
inline constexpr int64_t kWideRowMemoryUs = 60'000'000;  // how long we remember that it is wide

// Names of rows that a listing handed out a moment ago need no read when they are looked up.
inline constexpr size_t kRecentRowsMax = 65'536;

// Long names (name_codec.h): the index, about 25 bytes a name, and what a lookup with its help
// reads.
inline constexpr size_t kLongNamesSizeMax = 64 << 20;
inline constexpr size_t kLongNameRunKeys = 32;
inline constexpr uint64_t kLongNameNearKeys = 1'024;

// Listing: a checkpoint every so many entries lets seekdir restart a scan nearby; over the maximum
// every second one is dropped and the distance doubles.
inline constexpr uint64_t kCheckpointDistance = 4'096;
inline constexpr size_t kCheckpointsMax = 65'536;

inline constexpr size_t kControlTextSizeMax = 16 << 20;

}  // namespace sippar::fuse
