// SPDX-License-Identifier: Apache-2.0
#include "cli/typed_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "query/analyze/compile.h"
#include "query/parse/split.h"

namespace sippar::cli {
namespace {

// Shell commands that may follow a statement on the same line.
constexpr std::array<std::string_view, 9> kAfterStatement = {
    "\\g", "\\gx", "\\all", "\\watch", "\\e", "\\p", "\\r", "\\c", "\\q"};

std::string_view TrimRight(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

std::string CommandOfWord(std::string_view line) {
  std::string_view text = line.substr(std::min(line.find_first_not_of(" \n"), line.size()));
  text = text.substr(0, text.find_last_not_of(" \n;") + 1);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords = {
      {{"help", "\\?"},
       {"?", "\\?"},
       {"exit", "\\q"},
       {"quit", "\\q"},
       {"clear", "\\clear"},
       {".help", "\\?"},
       {".quit", "\\q"},
       {".exit", "\\q"},
       {".tables", "\\dt"},
       {".schema", "\\d"}}};
  size_t space = std::min(text.find(' '), text.size());
  for (const auto& [word, command] : kWords) {
    bool alone = space == text.size();
    if (alone && query::SameWord(text, word)) return std::string(command);
    bool dotted = word[0] == '.' && query::SameWord(text.substr(0, space), word);
    if (dotted) return std::string(command) + std::string(text.substr(space));
  }
  // No statement begins with a dot and a letter, so ".name" must be a command.
  bool dotted = text.size() > 1 && text[0] == '.' && std::isalpha(static_cast<uint8_t>(text[1]));
  return dotted ? "\\" + std::string(text.substr(1)) : "";
}

std::string_view PromptSign(std::string_view typed) {
  switch (query::CompletenessOf(typed)) {
    case query::Completeness::kNeedsMore:
      return "->";
    case query::Completeness::kInString:
      return "'>";
    case query::Completeness::kInComment:
      return "*>";
    case query::Completeness::kInBraces:
      return "{>";
    default:
      return ">";
  }
}

bool EndsInLiteral(std::string_view typed) {
  query::Completeness open = query::CompletenessOf(typed);
  return open == query::Completeness::kInString || open == query::Completeness::kInComment;
}

CommandAtEnd FindCommandAtEnd(std::string_view text) {
  const CommandAtEnd none = {text, ""};
  std::string_view trimmed = TrimRight(text);
  size_t line = trimmed.rfind('\n') + 1;  // 0 if the text has one line, because npos + 1 is 0
  // If a line begins with a command, the whole line belongs to that command.
  size_t first = trimmed.find_first_not_of(" \t", line);
  if (first != std::string_view::npos && trimmed[first] == '\\') {
    return EndsInLiteral(text.substr(0, first))
               ? none
               : CommandAtEnd{text.substr(0, first), trimmed.substr(first)};
  }
  for (size_t at = trimmed.rfind('\\'); at != std::string_view::npos && at > line;
       at = trimmed.rfind('\\', at - 1)) {
    const bool is_apart =
        at > line && std::string_view(" \t;").find(trimmed[at - 1]) != std::string_view::npos;
    std::string_view name = trimmed.substr(at);
    name = name.substr(0, name.find_first_of(" \t;"));
    const bool is_known =
        std::find(kAfterStatement.begin(), kAfterStatement.end(), name) != kAfterStatement.end();
    if (!is_apart || !is_known || EndsInLiteral(text.substr(0, at))) continue;
    return {text.substr(0, at), trimmed.substr(at)};
  }
  return none;
}

}  // namespace sippar::cli
