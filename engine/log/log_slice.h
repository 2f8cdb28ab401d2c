// What a tablet has in one part of a sealed log, and how it is read without the rest. A part is a
// segment as it was written, where a tablet's records lie between those of others, or the same
// segment sorted by tablet (log_sort.h), where they lie together. Either way they are whole records
// of log_format.h, each under a checksum of its place. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct LogExtent {
  uint64_t offset = 0;
  uint64_t length = 0;
};

struct LogSlice {
  std::vector<LogExtent> extents;  // whole records, in the order of the log
  uint64_t last_sequence = 0;
};

struct LogPart {
  std::string path;
  std::unique_ptr<RandomFile> file;
  uint64_t seed = 0;                    // of its records
  bool sorted = false;                  // a copy of the segment, which is there as well
  std::map<uint64_t, LogSlice> slices;  // by tablet
};

// Adds the record that stands at `offset`.
void AddToSlice(LogSlice* slice, uint64_t offset, std::string_view body, const LogRecordHead& head);

// Calls `visit` for each record body of the slice, in order. Memory: 1 MiB, or the largest record.
// kDataLoss names file and offset.
[[nodiscard]] Status ReadSlice(const LogPart& part, const LogSlice& slice,
                               const std::function<Status(std::string_view body)>& visit);

}  // namespace sippar::engine
