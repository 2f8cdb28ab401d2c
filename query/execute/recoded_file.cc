// SPDX-License-Identifier: Apache-2.0
#include "query/execute/recoded_file.h"

#include <fmt/format.h>
#include <iconv.h>

#include <cerrno>
#include <vector>

#include "query/session/query_error.h"

namespace sippar::query {
namespace {

const iconv_t kNone = reinterpret_cast<iconv_t>(-1);  // what iconv_open returns on failure

class RecodedFile final : public InputFile {
 public:
  RecodedFile(std::unique_ptr<InputFile> file, std::string encoding, iconv_t converter)
      : file_(std::move(file)), encoding_(std::move(encoding)), converter_(converter) {}
  ~RecodedFile() override { iconv_close(converter_); }

  StatusOr<size_t> Read(char* buffer, size_t size) override {
    char* out = buffer;
    size_t room = size;
    while (room == size) {
      if (!ended_) RETURN_IF_ERROR(Fill());
      if (ended_ && input_.empty()) return 0;
      char* in = input_.data();
      size_t left = input_.size();
      size_t converted = iconv(converter_, &in, &left, &out, &room);
      int problem = converted == static_cast<size_t>(-1) ? errno : 0;
      taken_ += input_.size() - left;
      input_.erase(input_.begin(), input_.end() - static_cast<std::ptrdiff_t>(left));
      // EINVAL: the input ends within a character, which is completed by the next read.
      if (problem == EILSEQ || (problem == EINVAL && ended_)) return Unknown();
      if (problem == E2BIG && room == size) {
        return Internal("the buffer is too small for one character");
      }
    }
    return size - room;
  }
  double Share() const override { return file_->Share(); }

 private:
  static constexpr size_t kChunk = 32 << 10;

  Status Fill() {
    // After a Read, input_ holds at most the start of one character, unless the caller's buffer was
    // full.
    if (input_.size() >= kChunk) return OkStatus();
    size_t kept = input_.size();
    input_.resize(kept + kChunk);
    ASSIGN_OR_RETURN(size_t got, file_->Read(input_.data() + kept, kChunk));
    input_.resize(kept + got);
    ended_ = got == 0;
    return OkStatus();
  }

  Status Unknown() const {
    return ErrorAt("ENCODING", {},
                   fmt::format("the bytes at offset {} are not {}", taken_, encoding_),
                   "name the encoding of the file: WITH (ENCODING = 'WINDOWS-1252'), or --encoding "
                   "WINDOWS-1252",
                   StatusCode::kDataLoss);
  }

  const std::unique_ptr<InputFile> file_;
  const std::string encoding_;
  const iconv_t converter_;
  std::vector<char> input_;  // bytes that are not converted yet
  uint64_t taken_ = 0;       // bytes that were converted
  bool ended_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<InputFile>> Recode(std::unique_ptr<InputFile> file,
                                            const std::string& encoding) {
  // A suffix with a slash, such as //IGNORE, tells iconv to drop or change what it cannot convert;
  // such names are refused.
  bool plain = encoding.find('/') == std::string::npos;
  iconv_t converter = plain ? iconv_open("UTF-8", encoding.c_str()) : kNone;
  if (converter == kNone) {
    return ErrorAt("BAD_OPTION", {}, fmt::format("unknown encoding '{}'", encoding),
                   "ENCODING = 'UTF-16', 'ISO-8859-1', 'WINDOWS-1252' …; `iconv -l` lists them");
  }
  return std::make_unique<RecodedFile>(std::move(file), encoding, converter);
}

}  // namespace sippar::query
