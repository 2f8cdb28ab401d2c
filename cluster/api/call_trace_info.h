// The trace of one call at one of the processes that served it: when, for how long, and what the
// time was spent on. Plain data. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::cluster {

// Microseconds, and counts. The times are those of the thread that served the call; what other
// threads or processes did for it is in none of them.
struct CallWork {
  int64_t queue_us = 0;     // from the arrival of the request until a thread began with it
  int64_t row_lock_us = 0;  // waiting for the locks of rows
  int64_t log_us = 0;       // in the commit log, the sync included
  int64_t sync_us = 0;      // of the write and sync of its group of the log
  int64_t cache_us = 0;     // decoding blocks that came from disk and giving them to the cache
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

// The times in the order in which a call comes to them.
inline constexpr std::array<TraceStage, 6> kTraceStages = {{{"queue", &CallWork::queue_us},
                                                            {"row_lock", &CallWork::row_lock_us},
                                                            {"log", &CallWork::log_us},
                                                            {"sync", &CallWork::sync_us},
                                                            {"cache", &CallWork::cache_us},
                                                            {"disk", &CallWork::disk_us}}};

struct CallTraceInfo {
  std::string trace;     // 32 hexadecimal digits; the parts of one call have the same
  uint64_t part = 0;     // a random number of its own, by which a copy is recognised
  std::string call;      // "ApplyRows", "Read", ...
  std::string table;     // "": not known, or the call is not about a table
  std::string row;       // the first row, cut to 64 bytes; "" also for a scan from the first row
  std::string server;    // the member that served it
  std::string caller;    // role and name of the calling process
  int64_t start_us = 0;  // arrival of the request, since the Unix epoch
  int64_t duration_us = 0;
  std::string outcome;  // "OK", "UNAVAILABLE", ...
  CallWork work;

  static constexpr int kFields = 11;
};

}  // namespace sippar::cluster
