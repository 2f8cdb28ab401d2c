// One open segment of the commit log: frames records and tracks how many bytes are durable. Only
// CommitLog uses it; not thread safe. After the first error the segment accepts no more writes
// (FAULTS.md D9).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

class LogWriter {
 public:
  // Creates the file, writes and syncs the header, and syncs the directory. On error it tries to
  // remove the file; recovery ignores a file that stays.
  [[nodiscard]] static StatusOr<std::unique_ptr<LogWriter>> Create(FileSystem* fs,
                                                                   const std::string& directory,
                                                                   const SegmentHeader& header);

  void Add(std::string_view body);        // adds a record to the buffer
  [[nodiscard]] Status Write(bool sync);  // writes the buffer; OK: accepted_length() covers it
  // Writes the end mark, syncs and closes. After a failed Write, writes no end mark, and syncs only
  // what earlier Writes did not. If a sync fails, durable_length() stays below accepted_length().
  [[nodiscard]] Status Finish();

  SegmentId id() const { return id_; }
  uint64_t accepted_length() const { return accepted_length_; }
  uint64_t durable_length() const { return durable_length_; }  // never above accepted_length()

 private:
  LogWriter(std::unique_ptr<AppendFile> file, SegmentId id) : file_(std::move(file)), id_(id) {}

  [[nodiscard]] Status SyncAccepted();

  std::unique_ptr<AppendFile> file_;
  SegmentId id_;
  std::string buffer_;
  uint64_t accepted_length_ = 0;
  uint64_t durable_length_ = 0;
  uint64_t reserved_length_ = 0;
  bool failed_ = false;       // the last Write failed
  bool sync_failed_ = false;  // the sync of the last Write failed
};

// The bytes of a whole segment with these record bodies, up to the mark of a clean end.
std::string WholeSegment(const SegmentHeader& header, const std::vector<std::string>& bodies);

// "<16 hex digits of the epoch>-<8 of the number>.log"; parsing returns {0,0} for other names.
std::string SegmentFileName(SegmentId id);
SegmentId ParseSegmentFileName(std::string_view name);

}  // namespace sippar::engine
