// SPDX-License-Identifier: Apache-2.0
#include "query/syntax/keywords.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sippar::query {
namespace {

// Soft keywords may also be names. Both lists are sorted: IsHardKeyword searches by bisection.
// The lists repeat the grammar's, because query/syntax includes no ANTLR header. A test compares
// the two (tests/query/parse/keywords_test.cc).
constexpr std::string_view kSoft[] = {
    "ADD",      "AFTER",    "ANALYZE", "APPEND",   "ARRAY",  "ATOMIC",   "BACKUP",    "BALANCE",
    "CANCEL",   "COLUMN",   "COMMIT",  "COMPACT",  "CROSS",  "DATE",     "DELETES",   "EXTRACT",
    "FAIL",     "FAMILY",   "FLUSH",   "FORMAT",   "FULL",   "GROUPS",   "ILIKE",     "INNER",
    "INTERVAL", "JOIN",     "LEFT",    "LOCALITY", "MAJOR",  "MERGE",    "MINOR",     "MOVE",
    "OFFSET",   "OUTER",    "PER",     "PERCENT",  "RENAME", "RESET",    "RESTORE",   "REVERSE",
    "RIGHT",    "ROLLBACK", "ROW",     "ROWS",     "SAMPLE", "SNAPSHOT", "SPLIT",     "STARTS",
    "STRIP",    "STRUCT",   "TABLET",  "TABLETS",  "TAIL",   "TIME",     "TIMESTAMP", "UNNEST",
    "UNPACK",   "VERSIONS"};

// A hard keyword has a meaning at places where a name may stand, so the parser could not
// distinguish the keyword from a name.
constexpr std::string_view kHard[] = {
    "ALL",      "ALTER",  "AND",   "AS",     "ASC",    "AT",        "BEGIN",  "BETWEEN",
    "BY",       "CASE",   "CAST",  "CELLS",  "CREATE", "DELETE",    "DESC",   "DESCRIBE",
    "DISTINCT", "DROP",   "ELSE",  "END",    "EXISTS", "EXPLAIN",   "EXPORT", "FALSE",
    "FROM",     "GRANT",  "GROUP", "HAVING", "IF",     "IMPORT",    "IN",     "INCREMENT",
    "INSERT",   "INTO",   "IS",    "LET",    "LIKE",   "LIMIT",     "NOT",    "NULL",
    "OF",       "ON",     "OR",    "ORDER",  "RETURN", "RETURNING", "REVOKE", "SAFE_CAST",
    "SELECT",   "SET",    "SHOW",  "TABLE",  "THEN",   "TO",        "TRUE",   "TRY_CAST",
    "UPDATE",   "VALUES", "WHEN",  "WHERE",  "WITH"};

std::string Upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

const std::vector<std::string>& Keywords() {
  static const auto& words = *new std::vector<std::string>([] {
    std::vector<std::string> all(std::begin(kSoft), std::end(kSoft));
    all.insert(all.end(), std::begin(kHard), std::end(kHard));
    std::sort(all.begin(), all.end());
    return all;
  }());
  return words;
}

bool IsHardKeyword(std::string_view word) {
  return std::binary_search(std::begin(kHard), std::end(kHard), std::string_view(Upper(word)));
}

}  // namespace sippar::query
