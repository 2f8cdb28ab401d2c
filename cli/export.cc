// `sippar export TARGET TABLE`: a table or the result of a query into a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/run_statement.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar export ./data web --to web.cells                every cell, exactly; `import cells` "
    "reads it\n"
    "  sippar export ./data -e \"SELECT row, language: FROM web\" --format csv > languages.csv\n";

}  // namespace

int RunExport(int argc, char** argv) {
  CLI::App app{"Writes a table, or what a query answers, to a file.", "sippar export"};
  app.footer(kExamples);
  std::string target;
  std::string table;
  std::string select;
  std::string file = "-";
  std::string format = "cells";
  app.add_option("TARGET", target, "directory of the store, or host:port")->required();
  CLI::Option* table_option = app.add_option("TABLE", table, "the table");
  app.add_option("-e,--execute", select, "a SELECT instead of a table")->excludes(table_option);
  app.add_option("--to", file, "the file; - is stdout")->capture_default_str();
  app.add_option("--format", format, "cells, jsonl, csv or tsv")
      ->check(CLI::IsMember({"cells", "jsonl", "csv", "tsv"}))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (table.empty() && select.empty()) {
    fmt::print(stderr, "sippar export: name a table, or a query with -e\n");
    return kExitUsage;
  }
  std::string source =
      select.empty() ? "TABLE " + query::QuoteName(table) : fmt::format("({})", select);
  return RunStatement(
      target, /*create=*/false,
      fmt::format("EXPORT {} TO {} FORMAT {}", source, query::QuoteText(file), format));
}

}  // namespace sippar::cli
