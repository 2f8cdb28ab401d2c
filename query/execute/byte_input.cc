// SPDX-License-Identifier: Apache-2.0
#include "query/execute/byte_input.h"

#include <fmt/format.h>

#include <string_view>

#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// Spreadsheets write this mark at the start of a UTF-8 file. If it were kept, it would become part
// of the first column's name, and no mapping would find that column.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kLooked = 4;  // number of first bytes that show how the text is encoded

}  // namespace

Status ByteInput::TooLong() {
  return ResourceExhausted(
      fmt::format("a record is longer than the limit of {} MiB", kRecordSizeMax >> 20));
}

StatusOr<bool> ByteInput::Fill() {
  bool first = bytes_ == 0 && start_ == Start::kText;
  if (marks_) marked_.append(buffer_.data() + mark_, at_ - mark_);
  mark_ = 0;
  at_ = 0;
  ASSIGN_OR_RETURN(size_, file_->Read(buffer_.data(), buffer_.size()));
  // A pipe may deliver the first bytes in pieces.
  while (first && size_ > 0 && size_ < kLooked) {
    ASSIGN_OR_RETURN(size_t more, file_->Read(buffer_.data() + size_, buffer_.size() - size_));
    if (more == 0) break;
    size_ += more;
  }
  bytes_ += size_;
  if (!first) return size_ > 0;
  RETURN_IF_ERROR(Begin());
  // If the first read returned only the byte order mark, reads again to get the first data.
  return at_ > 0 && at_ == size_ ? Fill() : size_ > 0;
}

Status ByteInput::Begin() {
  std::string_view text(buffer_.data(), size_);
  if (text.starts_with(kByteOrderMark)) {
    at_ = kByteOrderMark.size();
    mark_ = at_;
  }
  // Looks for a byte order mark of UTF-16 that an ASCII character follows. The two bytes of the
  // mark alone prove nothing: a row key in a file that EXPORT wrote could begin with them.
  bool wide = text.size() >= kLooked && ((text.starts_with("\xff\xfe") && text[3] == '\0') ||
                                         (text.starts_with("\xfe\xff") && text[2] == '\0'));
  if (!wide) return OkStatus();
  return ErrorAt("ENCODING", {}, "the file is in UTF-16, and UTF-8 is expected",
                 "WITH (ENCODING = 'UTF-16'), or --encoding UTF-16");
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
