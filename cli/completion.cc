// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/meta_commands.h"
#include "query/analyze/callable_names.h"
#include "query/format/format.h"
#include "query/parse/complete.h"
#include "query/session/session.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

// More candidates than this scroll off the screen.
constexpr size_t kCandidatesMax = 200;

bool SameLetter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool StartsWithAnyCase(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), SameLetter);
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Collects candidates that begin with the typed text.
class Collector {
 public:
  explicit Collector(std::string_view typed) : typed_(typed) {}

  // Adds words of the language, in the letter case of the typed text.
  void AddKeywords(const std::vector<std::string>& words, std::string_view suffix = "") {
    bool lower = !typed_.empty() && std::islower(static_cast<unsigned char>(typed_[0]));
    for (const std::string& word : words) {
      if (!StartsWithAnyCase(word, typed_)) continue;
      Keep((lower ? Lower(word) : word) + std::string(suffix));
    }
  }
  // Names are case-sensitive, unlike words of the language.
  void AddNames(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (name.compare(0, typed_.size(), typed_) == 0) Keep(name);
    }
  }
  std::vector<std::string> Take() {
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    if (words_.size() > kCandidatesMax) words_.resize(kCandidatesMax);
    return std::move(words_);
  }

 private:
  void Keep(std::string word) { words_.push_back(std::move(word)); }
  std::string typed_;
  std::vector<std::string> words_;
};

void AddArguments(MetaCommand::Completes completes, Store* store, Collector* collector) {
  switch (completes) {
    case MetaCommand::kNothing:
    case MetaCommand::kFiles:
      return;
    case MetaCommand::kTables:
      if (store->session() != nullptr) collector->AddNames(store->session()->TableNames());
      return;
    case MetaCommand::kFormats:
      return collector->AddNames(query::FormatNames());
    case MetaCommand::kHelpTopics:
      collector->AddKeywords(StatementHelpNames());
      return collector->AddKeywords(query::CallNames());
    case MetaCommand::kOnOff:
      return collector->AddNames({"on", "off"});
    case MetaCommand::kExpanded:
      return collector->AddNames({"auto", "on", "off"});
  }
}

Candidates MetaCandidates(Store* store, std::string_view text, size_t caret) {
  Candidates out;
  size_t space = text.find(' ');
  if (space == std::string_view::npos || space >= caret) {
    Collector collector(text.substr(0, caret));
    collector.AddNames(MetaCommands::Names());
    out.words = collector.Take();
    return out;
  }
  const MetaCommand* command = MetaCommands::Find(text.substr(0, space));
  const auto completes = command == nullptr ? MetaCommand::kNothing : command->completes;
  out.begin = text.rfind(' ', caret - 1) + 1;
  // Shell commands take one argument, so text after a first argument gets no candidates. Names of
  // statements (for \h) contain blanks.
  if (completes == MetaCommand::kHelpTopics) out.begin = space + 1;
  if (text.find_first_not_of(' ', space) < out.begin) return out;
  out.files = completes == MetaCommand::kFiles;
  Collector collector(text.substr(out.begin, caret - out.begin));
  AddArguments(completes, store, &collector);
  out.words = collector.Take();
  return out;
}

// Families as patterns "family:". If the statement names no table yet, as in SELECT anc… before its
// FROM, the families of all tables.
std::vector<std::string> Families(Store* store, const std::string& table) {
  // Each table costs a call at a key press; more would be slow and rarely useful.
  constexpr size_t kTablesMax = 20;
  if (store->session() == nullptr) return {};
  std::vector<std::string> tables = {table};
  if (table.empty()) tables = store->session()->TableNames();
  if (tables.size() > kTablesMax) tables.resize(kTablesMax);
  std::vector<std::string> families;
  for (const std::string& each : tables) {
    for (const std::string& family : store->session()->FamilyNames(each)) {
      families.push_back(query::QuoteColumn(family, ""));
    }
  }
  return families;
}

// Columns that begin with `typed` (which contains "family:"). They come from the first cells of the
// tables that have the family, because qualifiers are declared nowhere.
std::vector<std::string> Columns(Store* store, const std::string& table, std::string_view typed) {
  // Bounds the wait after a key press.
  constexpr int kCellsLookedAt = 5000;
  constexpr size_t kTablesMax = 3;
  size_t colon = typed.find(':');
  // Inside BEGIN ROW a read would become part of what COMMIT checks, so none is made.
  bool asks = colon != std::string_view::npos && store->session() != nullptr &&
              store->session()->transaction().empty();
  if (!asks) return {};
  std::string family(typed.substr(0, colon));
  std::vector<std::string> tables = {table};
  if (table.empty()) tables = store->session()->TableNames();
  std::erase_if(tables, [&](const std::string& each) {
    std::vector<std::string> families = store->session()->FamilyNames(each);
    return std::find(families.begin(), families.end(), family) == families.end();
  });
  if (tables.size() > kTablesMax) tables.resize(kTablesMax);
  std::vector<std::string> columns;
  for (const std::string& each : tables) {
    query::ResultTable found;
    auto done = store->session()->Execute(
        fmt::format(
            "SELECT qualifier FROM (SELECT qualifier FROM CELLS({}, {}*) LIMIT {}) GROUP BY "
            "qualifier",
            query::QuoteName(each), query::QuoteColumn(family, ""), kCellsLookedAt),
        &found);
    for (const query::Row& row : found.rows) {
      if (done.ok()) columns.push_back(query::QuoteColumn(family, row[0].bytes()));
    }
  }
  return columns;
}

// Adds the candidates that are known without a call to the store.
void AddWords(const query::Completion& at, Collector* collector) {
  if (at.value) {
    collector->AddNames({"row", "timestamp", "value"});
    collector->AddKeywords(query::CallNames(), "(");
  }
  if (at.show) {
    collector->AddKeywords({"TABLES", "TABLETS", "FAMILIES", "LOCALITY GROUPS", "SESSION",
                            "COMPACTIONS", "METRICS", "FUNCTIONS", "CREATE TABLE", "SERVERS",
                            "EVENTS", "TRACES", "BACKUPS"});
  }
  if (at.setting) collector->AddNames(query::SettingNames());
  if (at.format) collector->AddNames({"csv", "tsv", "jsonl", "cells", "JSON"});
}

}  // namespace

Candidates FindCandidates(Store* store, std::string_view text, size_t caret) {
  if (!text.empty() && text[0] == '\\') return MetaCandidates(store, text, caret);
  query::Completion at = query::CompleteAt(text, caret);
  Candidates out;
  out.begin = at.word_begin;
  if (at.in_string) return out;
  Collector collector(text.substr(at.word_begin, caret - at.word_begin));
  collector.AddKeywords(at.keywords);
  if (at.table && store->session() != nullptr) {
    std::vector<std::string> tables;
    for (const std::string& table : store->session()->TableNames()) {
      tables.push_back(query::QuoteName(table));
    }
    collector.AddNames(tables);
  }
  std::vector<std::string> families = Families(store, at.table_name);
  if (at.pattern || at.value) {
    std::string_view typed = text.substr(at.word_begin, caret - at.word_begin);
    std::vector<std::string> columns = Columns(store, at.table_name, typed);
    collector.AddNames(columns.empty() ? families : columns);
  }
  if (at.family && store->session() != nullptr) {
    collector.AddNames(store->session()->FamilyNames(at.table_name));
  }
  AddWords(at, &collector);
  out.words = collector.Take();
  // A word that ends in ':' or '(' goes on, so no space is added after it.
  out.no_space =
      out.words.size() == 1 && (out.words[0].back() == ':' || out.words[0].back() == '(');
  return out;
}

}  // namespace sippar::cli
