// SPDX-License-Identifier: Apache-2.0
#include "cli/copy_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/compile.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr const char* kForm =
    "\\copy: write TABLE FROM FILE, TABLE TO FILE or (SELECT ...) TO FILE";

std::string_view TrimLeft(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

// Takes the first part of `text`, which ends at the first blank outside brackets and quotes.
// Brackets inside quotes do not count.
std::string_view TakePart(std::string_view* text) {
  *text = TrimLeft(*text);
  size_t end = 0;
  int depth = 0;
  char quote = 0;
  for (; end < text->size(); ++end) {
    const char c = (*text)[end];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (depth <= 0 && std::string_view(" \t\n").find(c) != std::string_view::npos) {
      break;
    }
  }
  std::string_view part = text->substr(0, end);
  text->remove_prefix(end);
  return part;
}

// The file name as a quoted text of the language; quotes that the user typed are kept.
std::string QuoteFile(std::string_view file) {
  const bool quoted = file.size() > 1 && file.front() == '\'' && file.back() == '\'';
  return quoted ? std::string(file) : query::QuoteText(file);
}

}  // namespace

StatusOr<std::string> CopyStatement(std::string_view text) {
  std::string_view source = TakePart(&text);
  std::string_view word = TakePart(&text);
  std::string_view file = TakePart(&text);
  std::string_view rest = TrimLeft(text);
  if (source.empty() || file.empty()) return InvalidArgument(kForm);
  const bool is_query = source.front() == '(';
  const bool is_import = query::SameWord(word, "FROM");
  if ((!is_import && !query::SameWord(word, "TO")) || (is_import && is_query)) {
    return InvalidArgument(kForm);
  }
  const bool quoted = source.front() == '`';
  std::string table(source);
  if (!is_query && !quoted) table = query::QuoteName(source);
  std::string tail = rest.empty() ? "" : fmt::format(" {}", rest);
  if (is_import) return fmt::format("IMPORT INTO {} FROM {}{}", table, QuoteFile(file), tail);
  return fmt::format("EXPORT {}{} TO {}{}", is_query ? "" : "TABLE ", table, QuoteFile(file), tail);
}

}  // namespace sippar::cli
