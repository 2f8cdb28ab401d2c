// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/caret_place.h"
#include "cli/column_sample.h"
#include "cli/file_names.h"
#include "cli/row_key_prefixes.h"
#include "query/analyze/callable_names.h"
#include "query/analyze/compile.h"
#include "query/format/format.h"
#include "query/parse/split.h"
#include "query/plan/schema_options.h"
#include "query/session/session.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

// Limit of the candidates shown; a longer list would scroll off the screen.
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

// Adds the candidates that are known without a call to the store.
void AddWords(const query::Completion& at, Collector* collector) {
  if (at.value) {
    collector->AddNames({"row", "timestamp", "value"});
    collector->AddKeywords(query::CallNames(), "(");
  }
  if (at.show) {
    collector->AddKeywords({"TABLES", "TABLETS", "FAMILIES", "LOCALITY GROUPS", "SESSION",
                            "COMPACTIONS", "METRICS", "FUNCTIONS", "CREATE TABLE", "SERVERS",
                            "EVENTS", "TRACES", "QUERIES", "BACKUPS"});
  }
  if (at.setting) collector->AddNames(query::SettingNames());
  if (at.format) collector->AddNames({"csv", "tsv", "jsonl", "cells", "JSON"});
}

// The signature of a function, as shown while the caret is inside its parentheses; "" if there is
// no such function.
std::string SignatureOf(std::string_view name) {
  const query::CallInfo* call = query::FindCall(name);
  if (call == nullptr) return "";
  return fmt::format("{}; {}", CallForm(*call), call->meaning);
}

// Returns the words that completion offers as the value of a setting: ON and OFF, or ALL, which
// `versions` takes instead of a number. Empty for a setting that takes no such word.
std::vector<std::string> ValuesOf(std::string_view setting) {
  for (const query::SettingLine& line : query::DescribeSettings({})) {
    if (!query::SameWord(line.name, setting)) continue;
    const bool is_switch = line.default_value == "on" || line.default_value == "off";
    if (is_switch) return {"ON", "OFF"};
  }
  if (query::SameWord(setting, "versions")) return {"ALL"};
  return {};
}

// Returns true if `word` ends with a character after which more text follows, so that completion
// adds no blank after it.
bool GoesOn(const std::string& word) {
  return std::string_view(":(/=").find(word.back()) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> Completer::WordsOf(MetaCommand::Completes completes) {
  query::Session* session = store_->session();
  switch (completes) {
    case MetaCommand::kNothing:
    case MetaCommand::kFiles:
    case MetaCommand::kHelpTopics:
      return {};
    case MetaCommand::kTables:
    case MetaCommand::kCopy:
      return session == nullptr ? std::vector<std::string>() : session->TableNames();
    case MetaCommand::kFormats: {
      std::vector<std::string> names = query::FormatNames();
      names.emplace_back("auto");
      return names;
    }
    case MetaCommand::kOnOff:
      return {"on", "off"};
    case MetaCommand::kExpanded:
      return {"auto", "on", "off"};
    case MetaCommand::kRows:
      return {"all"};
    case MetaCommand::kParameters: {
      std::vector<std::string> names;
      if (session == nullptr) return names;
      for (const auto& [name, value] : session->parameters()) names.push_back(name);
      return names;
    }
  }
  return {};
}

Candidates Completer::FindInCommand(std::string_view text, size_t caret) {
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
  // Names of statements (for \h) contain blanks.
  if (completes == MetaCommand::kHelpTopics) out.begin = space + 1;
  std::string_view typed = text.substr(out.begin, caret - out.begin);
  const bool is_first = text.find_first_not_of(' ', space) >= out.begin;
  Collector collector(typed);
  // Most commands take one argument. \! and \copy take more.
  const bool is_program = command != nullptr && command->name == "\\!";
  if (completes == MetaCommand::kFiles && (is_first || is_program)) {
    collector.AddNames(FileNames(typed));
  } else if (completes == MetaCommand::kCopy && !is_first) {
    std::string_view lead = text.substr(0, out.begin);
    lead = lead.substr(0, lead.find_last_not_of(' ') + 1);
    std::string_view last = lead.substr(lead.rfind(' ') + 1);
    const bool names_file = query::SameWord(last, "FROM") || query::SameWord(last, "TO");
    if (names_file) {
      collector.AddNames(FileNames(typed));
    } else {
      collector.AddKeywords({"FROM", "TO"});
    }
  } else if (is_first && completes == MetaCommand::kHelpTopics) {
    collector.AddKeywords(StatementHelpNames());
    collector.AddKeywords(query::CallNames());
  } else if (is_first) {
    collector.AddNames(WordsOf(completes));
  }
  out.words = collector.Take();
  out.no_space = out.words.size() == 1 && GoesOn(out.words[0]);
  return out;
}

// Completes inside quotes: a row key, a file name or the id of a statement, if the statement
// expects one here.
Candidates Completer::FindInText(std::string_view text, size_t caret, const query::Completion& at) {
  // Limits the wait after a key press, and the candidates shown.
  constexpr size_t kKeysMax = 60;
  Candidates out;
  // at.word_begin is the offset of the quote, or of the b before the quote (b'…'). The completed
  // text begins after the quote.
  out.begin = std::min(text.find_first_of("'\"", at.word_begin), caret - 1) + 1;
  out.no_space = true;
  std::string typed(text.substr(out.begin, caret - out.begin));
  size_t begin = query::SplitStatements(text.substr(0, at.word_begin)).rest.offset;
  QuotedPlace place = PlaceOfQuote(text.substr(begin, at.word_begin - begin));
  if (place == QuotedPlace::kFile) out.words = FileNames(typed);
  query::Session* session = store_->session();
  if (place == QuotedPlace::kStatementId && session != nullptr) {
    out.words = session->StatementIds();
    std::erase_if(out.words, [&](const std::string& word) { return !word.starts_with(typed); });
  }
  // Completion reads no cells inside BEGIN ROW, because COMMIT would check the cells that it read.
  const bool may_read = session != nullptr && session->transaction().empty();
  if (place == QuotedPlace::kRowKey && may_read && !at.table_name.empty()) {
    out.words = RowKeyPrefixes(session, at.table_name, typed, kKeysMax);
    // Leaves out keys that would need an escape inside the quotes.
    std::erase_if(out.words, [](const std::string& word) {
      return query::QuoteText(word) != "'" + word + "'" || word.find('"') != std::string::npos;
    });
  }
  // A candidate that ends with a separator is only the beginning of a key, or a folder, so the
  // quote stays open.
  out.no_quote = out.words.size() == 1 && EndsPart(out.words[0]);
  return out;
}

std::vector<std::string> Completer::FamilyPatterns(const std::string& table) {
  // Each table costs one call per key press, so their number is limited.
  constexpr size_t kTablesMax = 20;
  if (store_->session() == nullptr) return {};
  // A statement without a table yet, such as SELECT anc… before its FROM, gets the families of all
  // tables.
  std::vector<std::string> tables = {table};
  if (table.empty()) tables = store_->session()->TableNames();
  if (tables.size() > kTablesMax) tables.resize(kTablesMax);
  std::vector<std::string> families;
  for (const std::string& each : tables) {
    for (const std::string& family : store_->session()->FamilyNames(each)) {
      families.push_back(query::QuoteColumn(family, ""));
    }
  }
  return families;
}

const std::vector<std::string>& Completer::SampledColumns(const std::string& table,
                                                          const std::string& family) {
  // Limits the wait after a key press.
  constexpr uint64_t kCellsMax = 2000;
  constexpr int64_t kKeptNs = 60'000'000'000;
  const int64_t now = engine::Clock::System()->MonotonicNanos();
  Columns& columns = columns_[{table, family}];
  if (columns.read_ns != 0 && now - columns.read_ns < kKeptNs) return columns.names;
  columns = {{}, now};
  auto sample =
      SampleColumns(store_->session(), table, query::QuoteColumn(family, "") + "*", kCellsMax);
  if (!sample.ok()) return columns.names;
  for (const SampledColumn& column : sample->columns) {
    columns.names.push_back(query::QuoteColumn(column.family, column.qualifier));
  }
  return columns.names;
}

std::vector<std::string> Completer::ColumnNames(const std::string& table, std::string_view typed) {
  constexpr size_t kTablesMax = 3;
  query::Session* session = store_->session();
  size_t colon = typed.find(':');
  // Completion reads no cells inside BEGIN ROW, because COMMIT would check the cells that it read.
  const bool asks =
      colon != std::string_view::npos && session != nullptr && session->transaction().empty();
  if (!asks) return {};
  std::string family(typed.substr(0, colon));
  std::vector<std::string> tables = {table};
  if (table.empty()) tables = session->TableNames();
  std::erase_if(tables, [&](const std::string& each) {
    std::vector<std::string> families = session->FamilyNames(each);
    return std::find(families.begin(), families.end(), family) == families.end();
  });
  if (tables.size() > kTablesMax) tables.resize(kTablesMax);
  std::vector<std::string> columns;
  for (const std::string& each : tables) {
    const std::vector<std::string>& names = SampledColumns(each, family);
    columns.insert(columns.end(), names.begin(), names.end());
  }
  return columns;
}

Candidates Completer::Find(std::string_view text, size_t caret) {
  if (!text.empty() && text[0] == '\\') return FindInCommand(text, caret);
  query::Completion at = query::CompleteAt(text, caret);
  if (at.in_string) return FindInText(text, caret, at);
  Candidates out;
  out.begin = at.word_begin;
  query::Session* session = store_->session();
  std::string_view typed = text.substr(at.word_begin, caret - at.word_begin);
  Collector collector(typed);
  size_t begin = query::SplitStatements(text.substr(0, at.word_begin)).rest.offset;
  const std::string_view before = text.substr(begin, at.word_begin - begin);
  const std::string setting = SettingToSet(before);
  if (!setting.empty() || IsBeforeType(before)) {
    // The grammar allows any expression or name here, but only these values make sense.
    collector.AddKeywords(setting.empty() ? query::FamilyTypeNames() : ValuesOf(setting));
    out.words = collector.Take();
    return out;
  }
  collector.AddKeywords(at.keywords);
  if (at.table && session != nullptr) {
    std::vector<std::string> tables;
    for (const std::string& table : session->TableNames())
      tables.push_back(query::QuoteName(table));
    collector.AddNames(tables);
  }
  if (at.pattern || at.value) {
    std::vector<std::string> columns = ColumnNames(at.table_name, typed);
    collector.AddNames(columns.empty() ? FamilyPatterns(at.table_name) : columns);
  }
  if (at.family && session != nullptr) collector.AddNames(session->FamilyNames(at.table_name));
  if (at.value && typed.empty()) out.note = SignatureOf(OpenCall(text.substr(0, caret)));
  AddWords(at, &collector);
  out.words = collector.Take();
  out.no_space = out.words.size() == 1 && GoesOn(out.words[0]);
  return out;
}

}  // namespace sippar::cli
