// Reads one log segment back, telling a torn group (a crash before its sync ended: cut it off) from
// damage in what was synced (a later record says so: kDataLoss; FAULTS.md D1, D2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct SegmentContent {
  bool empty = false;  // not even a whole header: the crash came right after its creation
  SegmentHeader header;
  uint64_t valid_length = 0;  // bytes up to the last whole record
  uint64_t file_length = 0;
  uint64_t torn_bytes = 0;  // behind the last whole record, without zeros at the end
  // Of a segment without an accepted length: how much the last record knows to have been synced,
  // and the record bodies behind that. Those were read, but perhaps out of the memory of a machine
  // whose server was killed before its sync.
  uint64_t durable_length = 0;
  std::vector<std::string> in_doubt;
};

// What `read` gives; asked twice more when the disk does not answer, as that may pass (D12).
template <typename Read>
auto ReadStubbornly(Read read) {
  auto answer = read();
  for (int again = 0; again < 2 && answer.status().code() == StatusCode::kUnavailable; ++again) {
    answer = read();
  }
  return answer;
}

// The header alone, by one small read. A damaged one costs a whole read, to tell a crash right
// after the creation (content.empty) from damage (kDataLoss).
[[nodiscard]] StatusOr<SegmentContent> ReadSegmentHeader(FileSystem* fs, const std::string& path,
                                                         SegmentId id);

// Whether a whole record follows the header; a mark of a clean end counts. As a rule one read of
// the first record. Where there is none, *torn_bytes counts what is there of one.
[[nodiscard]] StatusOr<bool> HoldsRecords(FileSystem* fs, const std::string& path, SegmentId id,
                                          uint64_t* torn_bytes);

// Calls `visit` for each record body behind the header, in order, until `accepted_length` (as told
// by the next segment's header; UINT64_MAX when there is none).
// kDataLoss names file, offset and what was expected and found.
[[nodiscard]] StatusOr<SegmentContent> ReadSegment(
    FileSystem* fs, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit);

// kDataLoss: of the segment at `path` so much was synced, and its whole records end before that.
[[nodiscard]] Status CheckReaches(const std::string& path, uint64_t valid_length,
                                  uint64_t synced_length);

// The same of a segment that has been read: all of the file at `path`. Bodies point into `file`.
[[nodiscard]] StatusOr<SegmentContent> ScanSegment(
    std::string_view file, const std::string& path, SegmentId id, uint64_t accepted_length,
    const std::function<Status(uint64_t offset, std::string_view body)>& visit);

}  // namespace sippar::engine
