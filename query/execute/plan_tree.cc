// SPDX-License-Identifier: Apache-2.0
#include "query/execute/plan_tree.h"

#include <fmt/format.h>

#include "query/format/json_value.h"

namespace sippar::query {

using engine::Value;

PlanTree::PlanTree(std::string_view statement, std::string title) {
  AddJson("statement", JsonText(statement));
  lines_.push_back(std::move(title));
}

void PlanTree::AddJson(std::string_view key, std::string_view json, std::string_view text) {
  members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", JsonText(key), json);
  if (text.empty()) return;
  std::string word(key);
  for (char& c : word) c = c == '_' ? ' ' : c;
  lines_.push_back(fmt::format("  {}: {}", word, text));
}

void PlanTree::Add(std::string_view key, std::string_view text) {
  AddJson(key, JsonText(text), text);
}

void PlanTree::Add(std::string_view key, uint64_t number) {
  AddJson(key, fmt::format("{}", number), fmt::format("{}", number));
}

void PlanTree::Add(std::string_view key, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  AddJson(key, JsonList(items), text);
}

void PlanTree::Add(std::string_view key, const PlanTree& below) {
  AddJson(key, below.Json(), below.lines_.front());
  for (size_t i = 1; i < below.lines_.size(); ++i) lines_.push_back("  " + below.lines_[i]);
}

std::string JsonList(const std::vector<std::string>& items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i > 0 ? "," : "") + JsonText(items[i]);
  return out + "]";
}

std::string JsonBool(bool value) { return value ? "true" : "false"; }

std::string JsonRows(const engine::RowSet& rows) {
  std::string out = "[";
  for (const engine::RowRange& range : rows.ranges()) {
    out += fmt::format("{}{{\"start\":{},\"limit\":{}}}", out.size() > 1 ? "," : "",
                       JsonValue(Value::Bytes(range.start)),
                       range.limit.empty() ? "null" : JsonValue(Value::Bytes(range.limit)));
  }
  return out + "]";
}

}  // namespace sippar::query
