// SPDX-License-Identifier: Apache-2.0
#include "query/execute/byte_input.h"

#include <fmt/format.h>

#include <string_view>

namespace sippar::query {
namespace {

// Spreadsheets write this mark at the start of a UTF-8 file. If it were kept, it would become part
// of the first column's name, and no mapping would find that column.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Status ByteInput::TooLong() {
  return ResourceExhausted(
      fmt::format("a record is longer than the limit of {} MiB", kRecordSizeMax >> 20));
}

StatusOr<bool> ByteInput::Fill() {
  bool first = bytes_ == 0;
  if (marks_) marked_.append(buffer_.data() + mark_, at_ - mark_);
  mark_ = 0;
  at_ = 0;
  ASSIGN_OR_RETURN(size_, file_->Read(buffer_.data(), buffer_.size()));
  // A pipe may deliver the three bytes of the mark in pieces.
  while (first && size_ > 0 && size_ < kByteOrderMark.size()) {
    ASSIGN_OR_RETURN(size_t more, file_->Read(buffer_.data() + size_, buffer_.size() - size_));
    if (more == 0) break;
    size_ += more;
  }
  bytes_ += size_;
  if (first && std::string_view(buffer_.data(), size_).starts_with(kByteOrderMark)) {
    at_ = kByteOrderMark.size();
    mark_ = at_;
    // The mark may be all that the first read has brought.
    if (at_ == size_) return Fill();
  }
  return size_ > 0;
}

std::string ByteInput::Marked() const {
  std::string text = marked_;
  text.append(buffer_.data() + mark_, at_ - mark_);
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

StatusOr<bool> ByteInput::Line(std::string* line) {
  line->clear();
  for (bool any = false;; any = true) {
    char c = 0;
    ASSIGN_OR_RETURN(bool more, Peek(&c));
    if (!more && !any) return false;
    if (!more) break;
    std::string_view rest(buffer_.data() + at_, size_ - at_);
    size_t end = rest.find('\n');
    bool ends = end != std::string_view::npos;
    line->append(rest.substr(0, end));
    at_ += ends ? end + 1 : rest.size();
    if (ends) ++line_;
    RETURN_IF_ERROR(CheckSize(line->size()));
    if (ends) break;
  }
  // Only the last \r belongs to the line end; elsewhere it is data.
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return true;
}

}  // namespace sippar::query
