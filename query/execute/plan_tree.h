// The output of EXPLAIN for one statement: a title and named facts, as lines of text or as one JSON
// object (EXPLAIN FORMAT json). The keys of the JSON are an interface (query/LANGUAGE.md,
// "EXPLAIN").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/row_set.h"

namespace sippar::query {

class PlanTree {
 public:
  // `statement` is the statement's first words in upper case, `title` the first line of the text.
  PlanTree(std::string_view statement, std::string title);

  void Add(std::string_view key, std::string_view text);
  void Add(std::string_view key, const char* text) { Add(key, std::string_view(text)); }
  void Add(std::string_view key, uint64_t number);
  // Adds a list, which is one line of the text. An empty list appears only in the JSON.
  void Add(std::string_view key, const std::vector<std::string>& items);
  void Add(std::string_view key, const PlanTree& below);
  // Adds a fact whose text differs from its JSON; "": the fact has no text.
  void AddJson(std::string_view key, std::string_view json, std::string_view text = "");
  // Adds a line that appears only in the text.
  void AddLine(std::string line) { lines_.push_back(std::move(line)); }

  const std::vector<std::string>& lines() const { return lines_; }
  std::string Json() const { return "{" + members_ + "}"; }

 private:
  std::vector<std::string> lines_;
  std::string members_;
};

std::string JsonList(const std::vector<std::string>& items);
std::string JsonBool(bool value);
// [{"start":"a","limit":"b"}]; a limit of null means the end of the table.
std::string JsonRows(const engine::RowSet& rows);

}  // namespace sippar::query
