// Help texts of the statements for \h. Each example must parse (tests/cli).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "cli/meta_commands.h"
#include "query/analyze/callable_names.h"

namespace sippar::cli {
namespace {

struct Help {
  std::string_view name;
  std::string_view form;
  std::string_view example;
};

// Written by hand instead of being derived from the grammar: help shows the forms that users need
// and leaves out forms that are rejected.
constexpr Help kHelp[] = {
    {"SELECT",
     "SELECT [CELLS] item, … FROM table [VERSIONS n|ALL] [TIME FROM a TO b] [AS OF t]\n"
     "  [CELLS PER ROW|FAMILY|COLUMN n] [REVERSE] [WHERE test] [GROUP BY …] [HAVING …]\n"
     "  [ORDER BY …] [LIMIT n] [AFTER ROW 'key']\n"
     "  item: *, row, family:qualifier, family:*, family:/regex/, family:^prefix, expressions\n"
     "SELECT CELLS … FROM table WITH DELETES: what is stored, hidden versions and deletes, too\n",
     "SELECT row, anchor:*, contents: FROM web VERSIONS 2 WHERE row STARTS WITH 'com.' LIMIT 10;"},
    {"TAIL",
     "TAIL table [column, …] [WHERE test] [FROM time | FROM 'position'] [TO time] [LIMIT n]\n"
     "  WHERE: committed, row, op, column, timestamp, value, family, qualifier; Ctrl-C ends it\n"
     "  CHANGE_STREAM = 1d of the table keeps every change; without it TAIL looks for new cells\n",
     "TAIL web anchor:* WHERE row STARTS WITH 'com.' FROM NOW() - 5m;"},
    {"INSERT",
     "INSERT INTO table ROW key SET column = value [AT time], … [IF test]\n"
     "INSERT INTO table (ROW, column, …) VALUES (…), … [AT time]\n"
     "INSERT INTO table CELLS VALUES (row, column, time, value), …\n"
     "INSERT INTO table (ROW, column, TIMESTAMP, …) SELECT …\n"
     "INSERT INTO table SELECT CELLS … FROM …\n",
     "INSERT INTO web ROW 'com.cnn.www' SET contents: = '<html>', anchor:a.com = 'CNN' AT 5;"},
    {"UPDATE", "UPDATE table SET column = | += | ||= value, … WHERE test [IF test] [RETURNING …]\n",
     "UPDATE web SET hits:total += 1 WHERE row = 'com.cnn.www' RETURNING hits:total;"},
    {"DELETE",
     "DELETE [column, …] FROM table [AT time | TIME FROM a TO b] WHERE test | ALL ROWS [IF test]\n",
     "DELETE anchor:/^my\\./ FROM web WHERE row STARTS WITH 'com.';"},
    {"INCREMENT", "INCREMENT table column [BY n] WHERE test [RETURNING …]\n",
     "INCREMENT web hits:total BY 5 WHERE row = 'org.debian.www';"},
    {"APPEND", "APPEND value TO table column WHERE test [RETURNING …]\n",
     "APPEND '!' TO web anchor:a.com WHERE row = 'com.cnn.www';"},
    {"ATOMIC",
     "ATOMIC ON table ROW key { SET …; DELETE …; LET n = …; IF test { … } ELSE { … }; FAIL text;\n"
     "  RETURN … }\n",
     "ATOMIC ON web ROW 'r' { IF hits:total IS NULL { SET hits:total = 1; } };"},
    {"BEGIN", "BEGIN ROW table key; statements on that row; COMMIT; (or ROLLBACK)\n",
     "BEGIN ROW web 'r'; UPDATE web SET language: = 'EN' WHERE row = 'r'; COMMIT;"},
    {"CREATE TABLE",
     "CREATE TABLE [IF NOT EXISTS] table (FAMILY name [VERSIONS n] [TTL d]\n"
     "  [TYPE = BYTES | TEXT | COUNTER | SUM | MIN | MAX | UNIQUES], …,\n"
     "  LOCALITY GROUP name (family, …) [IN_MEMORY] [COMPRESSION = …] [BLOOM = …])\n"
     "  [WITH (…)] [SPLIT AT (…)]\n",
     "CREATE TABLE web (FAMILY contents VERSIONS 3, FAMILY anchor TYPE = TEXT, FAMILY hits "
     "COUNTER);"},
    {"ALTER TABLE", "ALTER TABLE table ADD FAMILY … | ALTER FAMILY … | DROP FAMILY name, …\n",
     "ALTER TABLE web ADD FAMILY tags VERSIONS 1;"},
    {"DROP TABLE", "DROP TABLE [IF EXISTS] table\n", "DROP TABLE IF EXISTS web;"},
    {"SHOW",
     "SHOW TABLES | SERVERS | EVENTS [OF t] | TRACES [OF t] | COMPACTIONS [OF t] | SESSION\n"
     "  | QUERIES [OF t] | BACKUPS [OF t] | METRICS | FUNCTIONS [LIKE text]\n"
     "SHOW FAMILIES | LOCALITY GROUPS | TABLETS OF table; SHOW CREATE TABLE table\n",
     "SHOW TABLES LIKE 'w%';"},
    {"CANCEL",
     "CANCEL [QUERY] 'id': ends a statement of any process that uses the store\n"
     "SHOW QUERIES lists those that run for 0.1 s or longer, with their ids\n",
     "CANCEL 'k7fqa-1';"},
    {"DESCRIBE", "DESCRIBE table\n", "DESCRIBE web;"},
    {"EXPLAIN",
     "EXPLAIN [FORMAT json] statement: its rows, columns, calls and writes; nothing is done\n"
     "EXPLAIN ANALYZE [FORMAT json] SELECT …: runs it as well\n",
     "EXPLAIN SELECT row FROM web WHERE row STARTS WITH 'com.';"},
    {"IMPORT",
     "IMPORT INTO table FROM 'file' [FORMAT csv|tsv|jsonl|jsonl_b64|cells|raw]\n"
     "  [(ROW = …, column = …, TIMESTAMP = …)] [WITH (HEADER = FALSE,\n"
     "  ON_ERROR = STOP|SKIP|FILE('bad.csv'), SKIP = records, SKIP_LINES = n, DELIMITER = ';',\n"
     "  QUOTE = '\"', NULL_TEXT = 'NA', ENCODING = 'UTF-16', DRY_RUN = TRUE, JOBS = n)]\n"
     "  a file that ends in .zst or .gz is unpacked; a dry run shows what would be written\n",
     "IMPORT INTO web FROM 'pages.csv' FORMAT csv (ROW = host, contents: = body);"},
    {"EXPORT",
     "EXPORT TABLE table | (SELECT …) TO 'file' [FORMAT …] [WITH (HEADER = FALSE, JOBS = n)]\n"
     "  formats as IMPORT has them; `sippar dump` writes all tables\n",
     "EXPORT (SELECT CELLS * FROM web VERSIONS ALL) TO 'web.jsonl' FORMAT jsonl;"},
    {"SET", "SET name = value; RESET name | ALL; SHOW SESSION lists the names\n",
     "SET versions = ALL;"},
    {"MOVE", "MOVE TABLET OF table ROW key TO 'server'; SHOW SERVERS names the servers\n",
     "MOVE TABLET OF web ROW 'com.cnn.www' TO 'ts2';"},
    {"BALANCE",
     "BALANCE [NOW]: begins to even out the load of the servers\n"
     "BALANCE ON | OFF: whether the master does that by itself\n",
     "BALANCE OFF;"},
    {"BACKUP",
     "BACKUP TABLE table AS name [WITH (EXPIRE = 30d)]; SHOW BACKUPS [OF table]\n"
     "RESTORE TABLE newtable FROM name [AS OF time]\n"
     "ALTER BACKUP name SET (EXPIRE = 30d | NEVER); DROP BACKUP [IF EXISTS] name\n",
     "BACKUP TABLE web AS nightly;"},
    {"RESTORE",
     "RESTORE TABLE newtable FROM backup [AS OF time]; SHOW BACKUPS lists the backups\n"
     "  AS OF adds the changes after the backup from the CHANGE_STREAM of its table\n",
     "RESTORE TABLE web_old FROM nightly AS OF NOW() - 1h;"},
    {"COMPACT", "COMPACT TABLE table [LOCALITY GROUP name] [MAJOR|MINOR]; FLUSH TABLE table\n",
     "COMPACT TABLE web MAJOR;"},
};

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string CallForm(const query::CallInfo& call) {
  const std::string arguments = query::PrintSignature(call);
  // If a function's arguments have no names, the help shows their number.
  const bool has_names = arguments.empty() || std::isalpha(static_cast<uint8_t>(arguments[0])) != 0;
  return has_names ? fmt::format("{}({}), gives: {}", call.name, arguments, call.result)
                   : fmt::format("{}, arguments: {}, gives: {}", call.name, arguments, call.result);
}

std::string StatementHelp(std::string_view word) {
  std::string wanted = Upper(word);
  std::string out;
  for (const Help& help : kHelp) {
    // \h CREATE also finds CREATE TABLE, because a user may not know the second word.
    bool first_word = help.name.substr(0, help.name.find(' ')) == wanted;
    if (help.name != wanted && !first_word) continue;
    out += fmt::format("{}example:\n  {}\n", help.form, help.example);
  }
  if (const query::CallInfo* call = query::FindCall(wanted)) {
    out += fmt::format("{}\n  {}\n", CallForm(*call), call->meaning);
  }
  return out;
}

std::vector<std::string> StatementHelpNames() {
  std::vector<std::string> names;
  for (const Help& help : kHelp) names.emplace_back(help.name);
  return names;
}

std::string StatementHelpList() {
  std::string out = "\\h STATEMENT for help on one of\n ";
  for (const Help& help : kHelp) out += fmt::format(" {}{}", help.name, ",");
  out.back() = '\n';
  return out +
         "every statement ends with ; and may span lines\n"
         "\\h FUNCTION for one of SHOW FUNCTIONS\n";
}

}  // namespace sippar::cli
