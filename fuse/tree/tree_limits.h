// Limits and times of the mounted tree, each with its reason. Sizes are in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::fuse {

// Greatest age of what a name lookup returns, counting the caches of the mount and of the kernel
// together (SEMANTICS.md "Freshness"). --entry-timeout may lower it.
inline constexpr int64_t kFreshnessUs = 1'000'000;

// Row cache (row_cache.h).
inline constexpr size_t kRowCacheSizeMax = 32 << 20;
// Larger values are not cached with their row, but read when their files are read.
inline constexpr size_t kCachedValueSizeMax = 64 << 10;
inline constexpr size_t kCachedRowSizeMax = 1 << 20;   // names and kept values of one row
inline constexpr size_t kCachedRowColumnsMax = 4'096;  // of wider rows no column is cached
// How long a row counts as wide before its columns are counted again.
inline constexpr int64_t kWideRowMemoryUs = 60'000'000;

// Rows that a listing has just returned need no read when they are looked up (recent_rows.h).
inline constexpr size_t kRecentRowsMax = 65'536;

// Long names (long_names.h): memory of the index, at about 25 bytes per name; keys that a lookup
// reads if the index has the name; keys that a search without it reads after the last one found.
inline constexpr size_t kLongNamesSizeMax = 64 << 20;
inline constexpr size_t kLongNameRunKeys = 32;
inline constexpr uint64_t kLongNameNearKeys = 1'024;

// Query directories: ends of .first/<n> that are kept (first_rows.h); keys that a listing of
// .where/<test> asks for at a time, at first and at most: `ls | head` must not search for
// thousands.
inline constexpr size_t kFirstRowsMax = 256;
inline constexpr uint64_t kMatchesMin = 64;
inline constexpr uint64_t kMatchesMax = 4'096;

// Generated files (text_stream.h): those open at a time, each of which has a thread; bytes that a
// writer may be ahead of its reader; bytes behind the reader that can be read again.
inline constexpr int kStreamsMax = 32;
inline constexpr size_t kStreamAheadSize = 1 << 20;
inline constexpr size_t kStreamBehindSize = 256 << 10;

// Listings (dir_stream.h): entries between two checkpoints, from which seekdir restarts a scan.
// Above the maximum, every second checkpoint is dropped and the distance doubles.
inline constexpr uint64_t kCheckpointDistance = 4'096;
inline constexpr size_t kCheckpointsMax = 65'536;

// A control file larger than this fails instead of filling memory: its text lives in its node.
inline constexpr size_t kControlTextSizeMax = 16 << 20;

}  // namespace sippar::fuse
