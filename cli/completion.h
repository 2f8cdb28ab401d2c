// Completion for the shell's Tab key: the grammar says what may come at the caret, the store knows
// the names. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line_editor.h"
#include "cli/meta_commands.h"
#include "cli/store.h"
#include "query/parse/complete.h"

namespace sippar::cli {

class Completer {
 public:
  explicit Completer(Store* store) : store_(store) {}

  // The candidates for `caret` in `text`, which is everything typed so far.
  Candidates Find(std::string_view text, size_t caret);

 private:
  struct Columns {
    std::vector<std::string> names;
    int64_t read_ns = 0;
  };

  Candidates FindInCommand(std::string_view text, size_t caret);
  Candidates FindInText(std::string_view text, size_t caret, const query::Completion& at);
  std::vector<std::string> WordsOf(MetaCommand::Completes completes);
  // The families of `table` as patterns "family:"; of all tables if `table` is empty.
  std::vector<std::string> FamilyPatterns(const std::string& table);
  // The columns that begin with `typed`, which contains "family:".
  std::vector<std::string> ColumnNames(const std::string& table, std::string_view typed);
  const std::vector<std::string>& SampledColumns(const std::string& table,
                                                 const std::string& family);

  Store* store_;
  // Sampled columns by table and family. A sample reads many cells, so it is kept for a while.
  std::map<std::pair<std::string, std::string>, Columns> columns_;
};

}  // namespace sippar::cli
