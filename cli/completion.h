// Completion for the shell's Tab key: the grammar determines which kinds of words may stand at the
// caret, and the store supplies the names. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  // Returns a pattern "family:" for each family of `table`; if `table` is "", for the families of
  // up to 20 tables.
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
