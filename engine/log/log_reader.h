// Reads one log segment back. Cuts off a torn group, whose sync a crash interrupted. Returns
// kDataLoss for damage in bytes that a later record states to be synced (FAULTS.md D1, D2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

// The result of reading a segment, besides its records.
struct SegmentContent {
  bool empty = false;  // true: no whole header, after a crash right after creation
  SegmentHeader header;
  uint64_t valid_length = 0;  // bytes up to the end of the last whole record
  uint64_t file_length = 0;
  uint64_t torn_bytes = 0;  // bytes after the last whole record, without zeros at the end
  // Only for a segment without an accepted length: how many bytes were synced according to its last
  // record, and the bodies of the records after these bytes. If the server was killed before it
  // synced these records, they may exist only in the memory of its machine.
  uint64_t durable_length = 0;
  std::vector<std::string> in_doubt;
};

// Calls `read`, and up to two more times while it returns kUnavailable, since such a failure of the
// disk may pass (FAULTS.md D12).
template <typename Read>
auto ReadStubbornly(Read read) {
  auto answer = read();
  for (int again = 0; again < 2 && answer.status().code() == StatusCode::kUnavailable; ++again) {
    answer = read();
  }
  return answer;
}

// Reads the header alone, with one small read. A damaged header causes a read of the whole file, to
// distinguish a crash right after the creation (content.empty) from damage (kDataLoss).
[[nodiscard]] StatusOr<SegmentContent> ReadSegmentHeader(FileSystem* fs, const std::string& path,
                                                         SegmentId id);

// True if a whole record follows the header; the mark of a clean end counts. Usually reads the
// first record only. If there is none, adds the bytes of an incomplete record to *torn_bytes.
[[nodiscard]] StatusOr<bool> HoldsRecords(FileSystem* fs, const std::string& path, SegmentId id,
                                          uint64_t* torn_bytes);

// Calls `visit` for each record body after the header, in order, up to `accepted_length` (from the
// next segment's header; UINT64_MAX when there is none). kDataLoss names file, offset and what was
// expected and found.
[[nodiscard]] StatusOr<SegmentContent> ReadSegment(
    FileSystem* fs, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit);

// Returns kDataLoss when the whole records of the segment at `path` end before `synced_length`.
[[nodiscard]] Status CheckReaches(const std::string& path, uint64_t valid_length,
                                  uint64_t synced_length);

// Like ReadSegment, for a segment already in memory: `file` is the whole file at `path`, and the
// bodies point into it.
[[nodiscard]] StatusOr<SegmentContent> ScanSegment(
    std::string_view file, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit);

}  // namespace sippar::engine
