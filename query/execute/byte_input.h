// Reads an input file byte by byte and counts lines, for the readers of records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "query/session/file_access.h"

namespace sippar::query {

class ByteInput {
 public:
  // Says whether a byte order mark may precede the data of the file.
  enum class Start : uint8_t {
    kText,   // a text file: the mark of UTF-8 is skipped, and a file in UTF-16 is refused
    kBytes,  // a file of bytes, in which the first byte is already data
  };
  explicit ByteInput(std::unique_ptr<InputFile> file, Start start = Start::kText)
      : file_(std::move(file)), start_(start), buffer_(1 << 16) {}

  // Stores the next byte in *c without taking it. False at the end of the file.
  [[nodiscard]] StatusOr<bool> Peek(char* c) {
    if (at_ == size_) {
      ASSIGN_OR_RETURN(bool more, Fill());
      if (!more) return false;
    }
    *c = buffer_[at_];
    return true;
  }
  void Skip() {
    if (buffer_[at_++] == '\n') ++line_;
  }
  // Takes the bytes before the next `end` or line end, but only those in the buffer, and appends
  // them to *text. Returns their number. 0 means that the buffer is used up, or that the next byte
  // is `end` or a line end.
  size_t TakeBefore(char end, std::string* text) {
    const char* begin = buffer_.data() + at_;
    const char* limit = buffer_.data() + size_;
    const char* stop = begin;
    while (stop != limit && *stop != end && *stop != '\n') ++stop;
    text->append(begin, stop);
    at_ += static_cast<size_t>(stop - begin);
    return static_cast<size_t>(stop - begin);
  }
  // Begins a record: Marked() returns the text that is taken after this call. A reader that never
  // calls Mark() keeps no text.
  void Mark() {
    marks_ = true;
    marked_.clear();
    mark_ = at_;
  }
  // The bytes taken since Mark(), exactly as in the file, but without a final line end.
  std::string Marked() const;
  // The rest of the line, without its \n or \r\n. False at the end of the file.
  [[nodiscard]] StatusOr<bool> Line(std::string* line);
  uint64_t line() const { return line_; }          // line of the next byte, from 1
  uint64_t bytes() const { return bytes_; }        // bytes read from the file
  double share() const { return file_->Share(); }  // share of the file that was read

  // Returns kResourceExhausted if a record of `size` bytes is too long. The limit leaves room for
  // the largest value with each byte written as \xHH. Without a limit, a missing quote would make
  // the reader load the whole file into memory.
  [[nodiscard]] static Status CheckSize(size_t size) {
    return size <= kRecordSizeMax ? OkStatus() : TooLong();
  }

 private:
  static constexpr size_t kRecordSizeMax = 4 * limits::kValueSizeMax + (1 << 20);
  static Status TooLong();
  StatusOr<bool> Fill();
  // Skips the byte order mark at the start of a text file; an error if the file is in UTF-16.
  [[nodiscard]] Status Begin();

  std::unique_ptr<InputFile> file_;
  Start start_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  size_t size_ = 0;
  bool marks_ = false;
  size_t mark_ = 0;     // index in buffer_ at which the record continues
  std::string marked_;  // the part of the record from earlier buffers
  uint64_t line_ = 1;
  uint64_t bytes_ = 0;
};

}  // namespace sippar::query
