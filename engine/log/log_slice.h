// The records of one tablet in one part of a sealed log, read without the other tablets' records. A
// part is either a segment as it was written, where records of several tablets are mixed, or the
// same segment sorted by tablet (log_sort.h), where they are contiguous. Both hold whole records of
// log_format.h, each with a checksum seeded by its place.
// SPDX-License-Identifier: Apache-2.0
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

// The records of one tablet in one part.
struct LogSlice {
  std::vector<LogExtent> extents;  // whole records, in the order of the log
  uint64_t last_sequence = 0;
};

// An open file of one part, with its index.
struct LogPart {
  std::string path;
  std::unique_ptr<RandomFile> file;
  uint64_t seed = 0;                    // checksum seed of the records in the file
  bool sorted = false;                  // true: a sorted copy; the segment itself exists too
  std::map<uint64_t, LogSlice> slices;  // slices by tablet id
};

// Adds the record at `offset` to the slice.
void AddToSlice(LogSlice* slice, uint64_t offset, std::string_view body, const LogRecordHead& head);

// Calls `visit` for each record body of the slice, in order. Uses 1 MiB of memory, or the size of
// the largest record. kDataLoss names file and offset.
[[nodiscard]] Status ReadSlice(const LogPart& part, const LogSlice& slice,
                               const std::function<Status(std::string_view body)>& visit);

}  // namespace sippar::engine
