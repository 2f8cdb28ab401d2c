// SPDX-License-Identifier: Apache-2.0
#include "engine/program/json_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/hex.h"
#include "engine/base/utf8.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

using nlohmann::json;

class PathParser {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  StatusOr<JsonPath> Parse() {
    if (!Take('$')) return Bad();
    while (at_ < text_.size()) {
      JsonStep step;
      bool fine = Take('.') ? Name(&step) : Take('[') && Bracket(&step);
      if (!fine) return Bad();
      path_.push_back(std::move(step));
    }
    return std::move(path_);
  }

 private:
  bool Take(char c) {
    bool found = at_ < text_.size() && text_[at_] == c;
    if (found) ++at_;
    return found;
  }

  bool Name(JsonStep* step) {
    if (at_ < text_.size() && text_[at_] == '"') return Quoted(step);
    const size_t end = std::min(text_.find_first_of(".[]'\" ", at_), text_.size());
    step->key = text_.substr(at_, end - at_);
    at_ = end;
    return !step->key.empty();
  }

  // After a backslash, a quote or another backslash is a part of the name.
  bool Quoted(JsonStep* step) {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && ++at_ == text_.size()) return false;
      step->key += text_[at_++];
    }
    return Take(quote);
  }

  bool Bracket(JsonStep* step) {
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      return Quoted(step) && Take(']');
    }
    uint64_t item = 0;
    const char* begin = text_.data() + at_;
    auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), item);
    if (error != std::errc()) return false;
    at_ += static_cast<size_t>(end - begin);
    step->item = item;
    return Take(']');
  }

  Status Bad() const {
    return ProgramError("BAD_PATH",
                        fmt::format("JSON path '{}': it is not valid at byte {}", text_, at_ + 1),
                        "$.a.b[0]; a name with other signs is quoted: $.\"a-b\"");
  }

  std::string_view text_;
  size_t at_ = 0;
  JsonPath path_;
};

// Receives the parts of a JSON text in their order. It keeps no tree: it counts the open containers
// and those of them that are on the path. While the counts differ, the reader is inside a container
// beside the path, which is skipped, or inside the wanted value, which is copied.
class Finder {
 public:
  Finder(const JsonPath& path, JsonForm form) : path_(path), form_(form) {}

  void Null() {
    if (copying_) {
      Copy("null");
    } else if (IsOnPath()) {
      done_ = true;
    }
  }

  // A number, true or false.
  void Word(std::string_view written) { Scalar(written, false); }
  void String(const std::string& content) { Scalar(content, true); }

  void Key(const std::string& name) {
    if (copying_) {
      Copy(Quoted(name) + ':');
      comma_ = false;
    } else if (!done_ && depth_ == on_path_) {
      chosen_ = !path_[depth_ - 1].item && path_[depth_ - 1].key == name;
    }
  }

  void Open(char sign) {
    if (copying_) {
      Copy({&sign, 1});
      comma_ = false;
    } else if (IsOnPath()) {
      OpenOnPath(sign);
    }
    ++depth_;
  }

  void Close(char sign) {
    --depth_;
    if (copying_) {
      comma_ = false;
      Copy({&sign, 1});
      copying_ = depth_ > copy_depth_;
      done_ = !copying_;
    } else if (depth_ < on_path_) {
      done_ = true;  // a container on the path has ended without the wanted member
    }
  }

  std::optional<std::string> Take() { return std::move(found_); }

 private:
  static std::string Quoted(std::string_view content) { return json(content).dump(); }

  // True if the value that begins now is on the path: it is the root, or the innermost container is
  // on the path and the value is that container's chosen member.
  bool IsOnPath() {
    if (done_ || copying_ || depth_ != on_path_) return false;
    if (depth_ == 0) return true;
    const JsonStep& step = path_[depth_ - 1];
    return step.item ? items_++ == *step.item : chosen_;
  }

  void Scalar(std::string_view content, bool is_string) {
    const bool quoted = is_string && (copying_ || form_ == JsonForm::kJson);
    if (copying_) {
      Copy(quoted ? Quoted(content) : content);
    } else if (IsOnPath()) {
      done_ = true;
      if (on_path_ == path_.size()) found_ = quoted ? Quoted(content) : std::string(content);
    }
  }

  void OpenOnPath(char sign) {
    if (on_path_ == path_.size()) {
      done_ = form_ == JsonForm::kScalar;
      if (done_) return;
      copying_ = true;
      copy_depth_ = depth_;
      found_ = std::string(1, sign);
      return;
    }
    const bool list = path_[on_path_].item.has_value();
    done_ = list != (sign == '[');
    if (done_) return;
    ++on_path_;
    items_ = 0;
    chosen_ = false;
  }

  void Copy(std::string_view text) {
    if (comma_) *found_ += ',';
    *found_ += text;
    comma_ = true;
  }

  const JsonPath& path_;
  const JsonForm form_;
  size_t depth_ = 0;       // number of open containers
  size_t on_path_ = 0;     // number of open containers that are on the path
  uint64_t items_ = 0;     // items so far of the innermost list on the path
  bool chosen_ = false;    // the last key of the innermost object on the path is the wanted one
  bool copying_ = false;   // true inside the wanted value, which is a container
  bool done_ = false;      // the rest of the text cannot change what is found
  size_t copy_depth_ = 0;  // open containers around the wanted value
  bool comma_ = false;     // a comma comes before the next item of the copy
  std::optional<std::string> found_;
};

// Reads a whole JSON text (RFC 8259) once and tells a Finder its parts. The library's parser is not
// used for this: it refuses a text with a number beyond a double, such as 1e400. A JsonReader keeps
// one bit for each open container, so a deep text costs no stack. Its functions return false if the
// text is not JSON or the budget is spent.
class JsonReader {
 public:
  JsonReader(std::string_view text, StopBudget* budget, Finder* finder)
      : text_(text), budget_(budget), finder_(finder) {}

  bool Read() {
    if (text_.starts_with("\xef\xbb\xbf"))
      at_ = 3;  // a byte order mark, which files may begin with
    bool fine = ReadValue();
    while (fine && !open_.empty()) fine = Take(',') ? ReadMember() : Close();
    SkipBlanks();
    return fine && at_ == text_.size();
  }

  Status status;  // that of the budget

 private:
  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool TakeHere(std::string_view word) {
    const bool found = text_.substr(at_).starts_with(word);
    if (found) at_ += word.size();
    return found;
  }
  bool Take(char sign) {
    SkipBlanks();
    return TakeHere({&sign, 1});
  }

  bool Goes() {
    if (budget_ != nullptr) status = budget_->Spend(1);
    return status.ok();
  }

  // Reads a value. Of a container it reads the beginning only: up to its first scalar, or its end
  // if it is empty.
  bool ReadValue() {
    for (;;) {
      if (!Goes()) return false;
      const bool object = Take('{');
      if (!object && !TakeHere("[")) return ReadScalar();
      open_.push_back(object);
      finder_->Open(object ? '{' : '[');
      if (Close()) return true;
      if (object && !ReadKey()) return false;
    }
  }

  bool ReadMember() { return (!open_.back() || ReadKey()) && ReadValue(); }

  bool ReadKey() {
    if (!Take('"') || !ReadString() || !Take(':')) return false;
    finder_->Key(string_);
    return true;
  }

  bool Close() {
    const char sign = open_.back() ? '}' : ']';
    if (!Take(sign)) return false;
    open_.pop_back();
    finder_->Close(sign);
    return true;
  }

  bool ReadScalar() {
    const size_t begin = at_;
    if (TakeHere("null")) {
      finder_->Null();
      return true;
    }
    if (TakeHere("\"")) {
      if (!ReadString()) return false;
      finder_->String(string_);
      return true;
    }
    if (!TakeHere("true") && !TakeHere("false") && !ReadNumber()) return false;
    finder_->Word(text_.substr(begin, at_ - begin));
    return true;
  }

  bool ReadDigits() {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    return at_ > begin;
  }

  bool ReadNumber() {
    (void)TakeHere("-");
    // A 0 at the beginning is the only digit before the point.
    if (!TakeHere("0") && !ReadDigits()) return false;
    if (TakeHere(".") && !ReadDigits()) return false;
    if (!TakeHere("e") && !TakeHere("E")) return true;
    if (!TakeHere("+")) (void)TakeHere("-");
    return ReadDigits();
  }

  // Sets string_ to the content of the string whose first quote has been taken.
  bool ReadString() {
    string_.clear();
    for (;;) {
      const size_t begin = at_;
      auto plain = [](char c) { return c != '"' && c != '\\' && static_cast<uint8_t>(c) >= ' '; };
      while (at_ < text_.size() && plain(text_[at_])) ++at_;
      const std::string_view part = text_.substr(begin, at_ - begin);
      if (!IsUtf8(part)) return false;
      string_ += part;
      if (TakeHere("\"")) return true;
      if (!TakeHere("\\") || !ReadEscape()) return false;
    }
  }

  bool ReadEscape() {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (TakeHere("u")) return ReadCharacter();
    const size_t kind = at_ < text_.size() ? kLetters.find(text_[at_++]) : kLetters.npos;
    if (kind == kLetters.npos) return false;
    string_ += kMeanings[kind];
    return true;
  }

  // Reads a character after its \u. One above U+FFFF is written as two halves, \ud83d\ude00.
  bool ReadCharacter() {
    uint32_t code = 0;
    if (!ReadHalf(&code)) return false;
    constexpr uint32_t kFirst = 0xd800, kSecond = 0xdc00, kEnd = 0xe000;
    if (code >= kSecond && code < kEnd) return false;
    if (code >= kFirst && code < kSecond) {
      uint32_t second = 0;
      if (!TakeHere("\\u") || !ReadHalf(&second)) return false;
      if (second < kSecond || second >= kEnd) return false;
      code = 0x10000 + ((code - kFirst) << 10) + (second - kSecond);
    }
    AppendCharacter(code, &string_);
    return true;
  }

  bool ReadHalf(uint32_t* code) {
    const int high = HexByte(text_, at_);
    const int low = HexByte(text_, at_ + 2);
    at_ += 4;
    *code = static_cast<uint32_t>(high * 256 + low);
    return high >= 0 && low >= 0;
  }

  std::string_view text_;
  size_t at_ = 0;
  StopBudget* budget_;
  Finder* finder_;
  std::vector<bool> open_;  // the open containers: true for an object, false for a list
  std::string string_;
};

}  // namespace

StatusOr<JsonPath> ParseJsonPath(std::string_view text) { return PathParser(text).Parse(); }

StatusOr<std::optional<std::string>> FindInJson(std::string_view text, const JsonPath& path,
                                                JsonForm form, StopBudget* budget) {
  Finder finder(path, form);
  JsonReader reader(text, budget, &finder);
  // The text is read to its end, because a mistake after the wanted value makes it no JSON either.
  const bool is_json = reader.Read();
  RETURN_IF_ERROR(reader.status);
  return is_json ? finder.Take() : std::nullopt;
}

}  // namespace sippar::engine
