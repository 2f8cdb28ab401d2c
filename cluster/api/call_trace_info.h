// The trace of one call at one of the processes that served it: when, for how long, and what the
// time was spent on. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::cluster {

// Times in microseconds, and counts. They cover only the thread that served the call, not what
// other threads or processes did for it.
struct CallWork {
  int64_t queue_us = 0;     // from the arrival of the request until a thread began its work
  int64_t row_lock_us = 0;  // waiting for the locks of rows
  int64_t log_us = 0;       // time in the commit log, including the sync
  int64_t sync_us = 0;      // writing and syncing the call's log group
  int64_t cache_us = 0;     // decoding blocks that came from disk and adding them to the cache
  int64_t disk_us = 0;      // reading blocks from files
  uint64_t blocks_from_disk = 0;
  uint64_t blocks_cached = 0;
  uint64_t cells_returned = 0;

  static constexpr int kFields = 9;
};

struct TraceStage {
  std::string_view name;
  int64_t CallWork::*micros;
};

// The times of CallWork, in the order in which they are shown.
inline constexpr std::array<TraceStage, 6> kTraceStages = {{{"queue", &CallWork::queue_us},
                                                            {"row_lock", &CallWork::row_lock_us},
                                                            {"log", &CallWork::log_us},
                                                            {"sync", &CallWork::sync_us},
                                                            {"cache", &CallWork::cache_us},
                                                            {"disk", &CallWork::disk_us}}};

struct CallTraceInfo {
  std::string trace;     // 32 hexadecimal digits, equal for all parts of one call
  uint64_t part = 0;     // random id of this trace, equal in all copies of the trace
  std::string call;      // "ApplyRows", "Read", ...
  std::string table;     // "": not known, or the call is not about a table
  std::string row;       // first row, cut to 64 bytes; "": no row, or a scan from the first row
  std::string server;    // name of the member that served the call; "api": over gRPC
  std::string caller;    // role and name of the calling process; over gRPC its address, or ""
  int64_t start_us = 0;  // arrival of the request, since the Unix epoch
  int64_t duration_us = 0;
  std::string outcome;  // "OK", "UNAVAILABLE", ...
  CallWork work;

  static constexpr int kFields = 11;
};

}  // namespace sippar::cluster
