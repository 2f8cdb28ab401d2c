// The JSON library checks a line and decodes its strings. The members are cut out of the text here,
// because the library does not keep the digits of a number.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/json_rows.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "engine/base/utf8.h"
#include "query/format/json_value.h"

namespace sippar::query {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Walks over the members of an object. The text must be valid JSON: nothing is checked here.
class ObjectWalk {
 public:
  explicit ObjectWalk(std::string_view text) : text_(text) { at_ = text.find('{') + 1; }
  // Cuts out the next member; *name keeps its quotes. False at the end of the object.
  bool Next(std::string_view* name, std::string_view* value) {
    at_ = text_.find_first_not_of(", \t\r\n", at_);
    if (text_[at_] == '}') return false;
    *name = Take();
    at_ = text_.find(':', at_) + 1;
    *value = Take();
    return true;
  }

 private:
  // Cuts out one value. Brackets inside strings do not count towards the depth.
  std::string_view Take() {
    at_ = text_.find_first_not_of(kBlanks, at_);
    size_t begin = at_;
    size_t depth = 0;
    do {
      char c = text_[at_];
      if (c == '"') {
        for (++at_; text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
        ++at_;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else {
        at_ = depth > 0 ? at_ + 1 : std::min(text_.find_first_of(",} \t\r\n]", at_), text_.size());
      }
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  size_t at_;
};

std::string Decoded(std::string_view text) {
  bool plain = text.find('\\') == std::string_view::npos;
  if (plain) return std::string(text.substr(1, text.size() - 2));
  return nlohmann::json::parse(text).get<std::string>();
}

// A member's name; "$base64:…" stands for a name that is not UTF-8.
StatusOr<std::string> NameOf(std::string_view text) {
  std::string name = Decoded(text);
  std::string mark = std::string(kBase64Mark) + ":";
  if (!name.starts_with(mark)) return name;
  std::string bytes;
  if (absl::Base64Unescape(name.substr(mark.size()), &bytes)) return bytes;
  return BadRecord(fmt::format("member {}: the text is not valid base64", text));
}

// Returns the number as INT64 or FLOAT64. A number that fits into neither type stays TEXT, because
// rounding would change the data.
Value NumberOf(std::string_view text) {
  const char* end = text.data() + text.size();
  if (text.find_first_of(".eE") == std::string_view::npos) {
    int64_t integer = 0;
    auto read = std::from_chars(text.data(), end, integer);
    return read.ec == std::errc() ? Value::Int64(integer) : Value::Text(std::string(text));
  }
  double real = 0;
  auto read = std::from_chars(text.data(), end, real);
  return read.ec == std::errc() ? Value::Float64(real) : Value::Text(std::string(text));
}

// The error of member `name`, whose value `text` is not base64.
Status NotBase64(std::string_view name, std::string_view text, std::string_view remedy) {
  constexpr size_t kShownMax = 60;
  size_t end = std::min(text.size(), kShownMax);
  while (end > 0 && end < text.size() && engine::IsContinuation(text[end])) --end;
  return BadRecord(fmt::format("member \"{}\": its value {}{} is not valid base64{}",
                               engine::PrintEscaped(name), text.substr(0, end),
                               end < text.size() ? "…" : "", remedy));
}

// An object {"$base64": "…"} becomes BYTES; any other object becomes TEXT, as it is written.
StatusOr<Value> ObjectOf(std::string_view member, std::string_view text) {
  ObjectWalk walk(text);
  std::string_view name, value, other;
  bool marked = walk.Next(&name, &value) && value[0] == '"' && Decoded(name) == kBase64Mark &&
                !walk.Next(&other, &other);
  if (!marked) return Value::Text(std::string(text));
  std::string bytes;
  if (absl::Base64Unescape(Decoded(value), &bytes)) return Value::Bytes(std::move(bytes));
  return NotBase64(member, text, "");
}

StatusOr<Value> FromBase64(std::string_view member, std::string_view text) {
  std::string bytes;
  if (absl::Base64Unescape(Decoded(text), &bytes)) return Value::Text(std::move(bytes));
  return NotBase64(member, text, "; use FORMAT jsonl if the file holds plain text");
}

// Decodes `text`, the value of `member`. `base64`: the strings of values are in base64.
StatusOr<Value> ValueOf(std::string_view member, std::string_view text, bool base64) {
  switch (text[0]) {
    case 'n':
      return Value::Null();
    case 't':
    case 'f':
      return Value::Bool(text[0] == 't');
    case '"':
      return base64 ? FromBase64(member, text) : Value::Text(Decoded(text));
    case '{':
      return ObjectOf(member, text);
    case '[':
      return Value::Text(std::string(text));
    default:
      return NumberOf(text);
  }
}

}  // namespace

Status JsonRows::Start() {
  if (!columns_.empty()) return OkStatus();
  std::vector<Member> members;
  ASSIGN_OR_RETURN(bool more, Members(&members));
  if (!more) return OkStatus();
  // An object without members would define no columns. Its row would also be empty, and Next takes
  // an empty row for "no record was kept".
  if (members.empty()) return BadRecord("the first object has no members to take names from");
  for (const Member& member : members) columns_.push_back(member.name);
  return ToRow(members, &kept_);
}

StatusOr<bool> JsonRows::Record(Row* row) {
  std::vector<Member> members;
  ASSIGN_OR_RETURN(bool more, Members(&members));
  if (more) RETURN_IF_ERROR(ToRow(members, row));
  return more;
}

StatusOr<bool> JsonRows::Members(std::vector<Member>* members) {
  std::string line;
  do {
    BeginRecord();
    ASSIGN_OR_RETURN(bool more, input_.Line(&line));
    if (!more) return false;
  } while (line.find_first_not_of(kBlanks) == std::string::npos);
  bool object = line[line.find_first_not_of(kBlanks)] == '{' && nlohmann::json::accept(line);
  if (!object) return BadRecord("this line is not a JSON object");
  ObjectWalk walk(line);
  std::unordered_set<std::string> seen;
  for (std::string_view name, value; walk.Next(&name, &value);) {
    ASSIGN_OR_RETURN(std::string decoded, NameOf(name));
    // Readers of JSON disagree about which of two equal names counts, so neither is chosen.
    if (!seen.insert(decoded).second) {
      return BadRecord(fmt::format("member {} occurs twice", name));
    }
    members->push_back({std::move(decoded), std::string(value)});
  }
  return true;
}

Status JsonRows::ToRow(const std::vector<Member>& members, Row* row) {
  row->clear();
  exact_.assign(columns_.size(), "");
  for (size_t i = 0; i < columns_.size(); ++i) {
    auto found = std::find_if(members.begin(), members.end(),
                              [&](const Member& member) { return member.name == columns_[i]; });
    if (found == members.end()) {
      row->push_back(Value::Null());
      continue;
    }
    ASSIGN_OR_RETURN(Value value, ValueOf(found->name, found->text, base64_));
    // Strings need no second copy: TEXT, BYTES and the TEXT of a nested object hold the data
    // unchanged. For numbers and booleans the text from the file is kept.
    if (!value.is_string() && !value.is_null()) exact_[i] = found->text;
    row->push_back(std::move(value));
  }
  return OkStatus();
}

}  // namespace sippar::query
