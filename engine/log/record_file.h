// Writes framed log records to a file that is not a segment (sorted logs, change archives), in
// pieces of 1 MiB. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

class RecordFile {
 public:
  RecordFile(AppendFile* file, uint64_t seed) : file_(file), seed_(seed) {}

  [[nodiscard]] Status Add(std::string_view body) {
    AppendLogRecord(&buffer_, body, {seed_, offset(), 0});
    return buffer_.size() < kWriteSize ? OkStatus() : Flush();
  }
  // Writes the buffered records; call it once after the last Add.
  [[nodiscard]] Status Flush() {
    RETURN_IF_ERROR(file_->Append(buffer_));
    written_ += buffer_.size();
    buffer_.clear();
    return OkStatus();
  }
  uint64_t offset() const { return written_ + buffer_.size(); }

 private:
  static constexpr size_t kWriteSize = 1 << 20;

  AppendFile* file_;
  uint64_t seed_;
  uint64_t written_ = 0;
  std::string buffer_;
};

}  // namespace sippar::engine
