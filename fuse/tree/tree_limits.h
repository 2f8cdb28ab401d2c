// Limits and times of the mounted tree, each with its reason. Sizes are in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::fuse {

// Greatest age of the result of a name lookup, for the caches of the mount and of the kernel
// together (SEMANTICS.md "Freshness"). --entry-timeout may lower it.
inline constexpr int64_t kFreshnessUs = 1'000'000;

// Row cache (row_cache.h).
inline constexpr size_t kRowCacheSizeMax = 32 << 20;
// Larger values are not cached with their row; each is read when its file is read.
inline constexpr size_t kCachedValueSizeMax = 64 << 10;
inline constexpr size_t kCachedRowSizeMax = 1 << 20;  // limit of names and cached values of one row
// Limit of columns of a cached row. Of a wider row, no column is cached.
inline constexpr size_t kCachedRowColumnsMax = 4'096;
// How long a row counts as wide before its columns are counted again.
inline constexpr int64_t kWideRowMemoryUs = 60'000'000;

// Rows that a listing has just returned need no read when they are looked up (recent_rows.h).
inline constexpr size_t kRecentRowsMax = 65'536;

// Limits for long names (long_names.h), in this order: bytes of the index, which needs about 25
// bytes per name; keys that a lookup reads if the index has the name; keys that a search reads
// after the last key found if the index lacks the name.
inline constexpr size_t kLongNamesSizeMax = 64 << 20;
inline constexpr size_t kLongNameRunKeys = 32;
inline constexpr uint64_t kLongNameNearKeys = 1'024;

// Limits for query directories, in this order: cached ends of .first/<n> (first_rows.h); first and
// greatest number of keys that a listing of .where/<test> asks for at a time. The first number is
// small, so that `ls | head` does not search for thousands of keys.
inline constexpr size_t kFirstRowsMax = 256;
inline constexpr uint64_t kMatchesMin = 64;
inline constexpr uint64_t kMatchesMax = 4'096;

// Limits for generated files (text_stream.h), in this order: open files, each of which has a
// thread; bytes that a writer may be ahead of its reader; bytes before the reader's position that
// can be read again.
inline constexpr int kStreamsMax = 32;
inline constexpr size_t kStreamAheadSize = 1 << 20;
inline constexpr size_t kStreamBehindSize = 256 << 10;

// Listings (dir_stream.h): entries between two checkpoints, from which seekdir restarts a scan.
// Above the maximum, every second checkpoint is dropped and the distance doubles.
inline constexpr uint64_t kCheckpointDistance = 4'096;
inline constexpr size_t kCheckpointsMax = 65'536;

// A larger control file fails instead of filling the memory, because its node holds its text.
inline constexpr size_t kControlTextSizeMax = 16 << 20;

}  // namespace sippar::fuse
