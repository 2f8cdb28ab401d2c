// Limits and times of the mounted tree, each with its reason. Sizes are in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::fuse {

// Greatest age of what the mount's own caches return; a smaller --entry-timeout lowers it. Also the
// default of --entry-timeout, the greatest age of the result of a name lookup, for the caches of
// the mount and of the kernel together (SEMANTICS.md "Freshness").
inline constexpr int64_t kFreshnessUs = 1'000'000;

// With --follow: how long the kernel may keep a name of a table whose changes are followed. A
// change takes the name away at once; this bounds what it misses: the names of open files below a
// family or row that a delete removed whole, or below a table that was split or altered.
inline constexpr int64_t kFollowedNameUs = 10'000'000;

// Row cache (row_cache.h).
inline constexpr size_t kRowCacheSizeMax = 32 << 20;
// Larger values are not cached with their row; each is read when its file is read.
inline constexpr size_t kCachedValueSizeMax = 64 << 10;
inline constexpr size_t kCachedRowSizeMax = 1 << 20;  // limit of names and cached values of one row
// Limit of columns of a cached row. Of a wider row, no column is cached.
inline constexpr size_t kCachedRowColumnsMax = 4'096;
// How long a row counts as wide before its columns are counted again.
inline constexpr int64_t kWideRowMemoryUs = 60'000'000;

// Rows that a listing or a lookup has just found need no read when they are looked up
// (recent_rows.h).
inline constexpr size_t kRecentRowsMax = 65'536;

// Long names (long_names.h).
// Limit of the index of long names, which needs about 25 bytes per name.
inline constexpr size_t kLongNamesSizeMax = 64 << 20;
// About how many keys the lookup of a row reads if the index has the name. That of a column reads
// none.
inline constexpr size_t kLongNameRunKeys = 32;
// Limit of the keys that a search reads after the last key found if the index lacks the name, and
// of those that it reads in one run of the index.
inline constexpr uint64_t kLongNameNearKeys = 1'024;

// Query directories: cached ends of .first/<n> (first_rows.h).
inline constexpr size_t kFirstRowsMax = 256;
// Keys that are asked for at a time. A listing of .where/<test> begins with kMatchesMin and grows
// to kMatchesMax; .first/<n> over a test asks for at most kMatchesMax. The first number is small,
// so that `ls | head` does not search for thousands of keys.
inline constexpr uint64_t kMatchesMin = 64;
inline constexpr uint64_t kMatchesMax = 4'096;

// Generated files (text_stream.h): open ones, each of which has a thread.
inline constexpr int kStreamsMax = 32;
// Bytes that a writer may be ahead of its reader.
inline constexpr size_t kStreamAheadSize = 1 << 20;
// Bytes before the reader's position that can be read again.
inline constexpr size_t kStreamBehindSize = 256 << 10;

// Listings (dir_stream.h): entries between two checkpoints, from which seekdir restarts a scan.
inline constexpr uint64_t kCheckpointDistance = 4'096;
// If there are more checkpoints, every second is dropped and the distance doubles.
inline constexpr size_t kCheckpointsMax = 65'536;

// A larger control file fails instead of filling the memory, because its node holds its text.
inline constexpr size_t kControlTextSizeMax = 16 << 20;

}  // namespace sippar::fuse
