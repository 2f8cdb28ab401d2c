// One open segment of the commit log: frames records and remembers how far they are safe. Used by
// CommitLog alone; not thread safe. After the first error the segment is finished for good
// (FAULTS.md D9). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

class LogWriter {
 public:
  // Creates the file, writes and syncs header and directory entry. On error the file is removed
  // again, best effort; recovery ignores what is left.
  [[nodiscard]] static StatusOr<std::unique_ptr<LogWriter>> Create(FileSystem* fs,
                                                                   const std::string& directory,
                                                                   const SegmentHeader& header);

  void Add(std::string_view body);        // into the buffer
  [[nodiscard]] Status Write(bool sync);  // buffer to file; OK: everything so far is accepted
  // End mark, sync, close; after a failed Write only close.
  [[nodiscard]] Status Finish();

  SegmentId id() const { return id_; }
  uint64_t accepted_length() const { return accepted_length_; }
  uint64_t durable_length() const { return durable_length_; }  // at most accepted_length()

 private:
  LogWriter(std::unique_ptr<AppendFile> file, SegmentId id) : file_(std::move(file)), id_(id) {}

  std::unique_ptr<AppendFile> file_;
  SegmentId id_;
  std::string buffer_;
  uint64_t accepted_length_ = 0;
  uint64_t durable_length_ = 0;
  uint64_t reserved_length_ = 0;
  bool failed_ = false;
};

// "<16 hex of epoch>-<8 hex of number>.log" and back; nullopt-like {0,0} for other names.
std::string SegmentFileName(SegmentId id);
SegmentId ParseSegmentFileName(std::string_view name);

}  // namespace sippar::engine
