// SPDX-License-Identifier: Apache-2.0
#include "engine/program/json_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

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

// Receives the events of nlohmann's parser. It keeps no tree: it counts the open containers and
// those of them that are on the path. While the counts differ, the parser is inside a container
// beside the path, which is skipped, or inside the wanted value, which is copied.
class Finder : public nlohmann::json_sax<json> {
 public:
  Finder(const JsonPath& path, JsonForm form, StopBudget* budget)
      : path_(path), form_(form), budget_(budget) {}

  bool null() override {
    if (copying_) Copy("null");
    return (copying_ || !IsOnPath()) && Goes();
  }
  bool boolean(bool value) override { return Same(value ? "true" : "false"); }
  bool number_integer(int64_t value) override { return Same(fmt::format("{}", value)); }
  bool number_unsigned(uint64_t value) override { return Same(fmt::format("{}", value)); }
  bool number_float(double, const std::string& written) override { return Same(written); }
  bool string(std::string& value) override {
    return Scalar(value, copying_ || form_ == JsonForm::kJson ? json(value).dump() : "");
  }
  bool binary(json::binary_t&) override { return false; }  // JSON text has no binary values
  bool start_object(size_t) override { return Open('{'); }
  bool start_array(size_t) override { return Open('['); }
  bool end_object() override { return Close('}'); }
  bool end_array() override { return Close(']'); }
  bool key(std::string& name) override {
    if (copying_) {
      Copy(json(name).dump() + ':');
      comma_ = false;
    }
    if (depth_ == on_path_) chosen_ = !path_[depth_ - 1].item && path_[depth_ - 1].key == name;
    return Goes();
  }
  bool parse_error(size_t, const std::string&, const json::exception&) override {
    found_.reset();
    return false;
  }

  Status status;
  std::optional<std::string> Take() { return std::move(found_); }

 private:
  bool Goes() {
    if (budget_ != nullptr) status = budget_->Spend(1);
    return status.ok();
  }

  // True if the value that begins now is on the path: it is the root, or the innermost container is
  // on the path and the value is that container's chosen member.
  bool IsOnPath() {
    if (copying_ || depth_ != on_path_) return false;
    if (depth_ == 0) return true;
    const JsonStep& step = path_[depth_ - 1];
    return step.item ? items_++ == *step.item : chosen_;
  }

  bool Same(const std::string& text) { return Scalar(text, text); }

  // Returning false ends the parse.
  bool Scalar(const std::string& content, const std::string& written) {
    if (copying_) {
      Copy(written);
      return Goes();
    }
    if (!IsOnPath()) return Goes();
    if (on_path_ == path_.size()) {
      found_ = form_ == JsonForm::kScalar ? content : written;
    }
    return false;
  }

  bool Open(char sign) {
    if (copying_) {
      Copy(std::string(1, sign));
      comma_ = false;
    } else if (IsOnPath()) {
      if (on_path_ == path_.size()) {
        if (form_ == JsonForm::kScalar) return false;
        copying_ = true;
        copy_depth_ = depth_;
        found_ = std::string(1, sign);
      } else {
        const bool list = path_[on_path_].item.has_value();
        if (list != (sign == '[')) return false;
        ++on_path_;
        items_ = 0;
        chosen_ = false;
      }
    }
    ++depth_;
    return Goes();
  }

  bool Close(char sign) {
    --depth_;
    if (copying_) {
      comma_ = false;
      Copy(std::string(1, sign));
      return depth_ > copy_depth_ && Goes();
    }
    // depth_ < on_path_ means that a container on the path has ended without the wanted member, so
    // the parse ends.
    return depth_ >= on_path_ && Goes();
  }

  void Copy(const std::string& text) {
    if (comma_) *found_ += ',';
    *found_ += text;
    comma_ = true;
  }

  const JsonPath& path_;
  const JsonForm form_;
  StopBudget* budget_;
  size_t depth_ = 0;       // number of open containers
  size_t on_path_ = 0;     // number of open containers that are on the path
  uint64_t items_ = 0;     // items so far of the innermost list on the path
  bool chosen_ = false;    // the last key of the innermost object on the path is the wanted one
  bool copying_ = false;   // true inside the wanted value, which is a container
  size_t copy_depth_ = 0;  // open containers around the wanted value
  bool comma_ = false;     // a comma comes before the next item of the copy
  std::optional<std::string> found_;
};

}  // namespace

StatusOr<JsonPath> ParseJsonPath(std::string_view text) { return PathParser(text).Parse(); }

StatusOr<std::optional<std::string>> FindInJson(std::string_view text, const JsonPath& path,
                                                JsonForm form, StopBudget* budget) {
  Finder finder(path, form, budget);
  // Not strict: the text after the wanted value is not read. The result of the parse is ignored,
  // because the finder ends the parse itself once it has the value.
  (void)json::sax_parse(text, &finder, json::input_format_t::json, /*strict=*/false);
  RETURN_IF_ERROR(finder.status);
  return finder.Take();
}

}  // namespace sippar::engine
