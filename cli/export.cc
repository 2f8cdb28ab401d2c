// `sippar export TARGET TABLE`: writes a table or the result of a query to a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/run_statement.h"
#include "cli/wait_option.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar export ./data web --to web.cells.zst            every cell, exactly; `import cells` "
    "reads it\n"
    "  sippar export ./data -e \"SELECT row, language: FROM web\" --format csv > languages.csv\n"
    "  sippar export ./data -e \"SELECT contents: FROM web WHERE row = 'com.cnn'\" --to page.raw\n"
    "  sippar export host:8086 web --to web.cells --jobs 16   more tablets at once, the same file\n"
    "a query that sorts or groups reads two tablets at once at most, one with a LIMIT one\n"
    "`sippar dump` writes all tables, with their schemas\n";

// The format that the suffix of the file name implies; "cells" if it implies none.
std::string FormatOf(std::string_view file) {
  for (std::string_view packed : {".zst", ".gz"}) {
    if (file.ends_with(packed)) file.remove_suffix(packed.size());
  }
  for (std::string_view format : {"jsonl-b64", "jsonl", "csv", "tsv", "raw"}) {
    if (file.ends_with(format) && file != format) return std::string(format);
  }
  return "cells";
}

}  // namespace

int RunExport(int argc, char** argv) {
  CLI::App app{"Writes a table, or what a query answers, to a file.", "sippar export"};
  app.footer(kExamples);
  std::string target;
  std::string table;
  std::string select;
  std::string file = "-";
  std::string format;
  std::optional<uint64_t> jobs;
  cluster::Patience patience;
  app.add_option("TARGET", target, kTargetHelp)->required();
  CLI::Option* table_option = app.add_option("TABLE", table, "the table");
  app.add_option("-e,--execute", select, "a SELECT instead of a table")->excludes(table_option);
  app.add_option("--to", file,
                 "file to write, which appears when it is complete; - is stdout; packed when its "
                 "name ends in .zst or .gz")
      ->capture_default_str();
  app.add_option("--format", format,
                 "cells, jsonl, jsonl-b64, csv, tsv or raw; else by the file's name, or cells")
      ->check(CLI::IsMember({"cells", "jsonl", "jsonl-b64", "csv", "tsv", "raw"}));
  app.add_option("--jobs", jobs,
                 "tablets read at once, 4 if not given; the file is in key order all the same, and "
                 "few rows of each tablet wait in memory")
      ->check(CLI::Range(1, 64));
  AddWaitOption(&app, &patience);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (table.empty() && select.empty()) {
    fmt::print(stderr, "sippar export: name a table, or a query with -e\n");
    return kExitUsage;
  }
  if (format.empty()) format = FormatOf(file);
  // The command becomes one EXPORT statement, so it shares that statement's code.
  std::string source =
      select.empty() ? "TABLE " + query::QuoteName(table) : fmt::format("({})", select);
  std::string statement = fmt::format("EXPORT {} TO {} FORMAT {}", source, query::QuoteText(file),
                                      query::QuoteName(format));
  if (jobs) statement += fmt::format(" WITH (JOBS = {})", *jobs);
  return RunStatement(target, patience, statement);
}

}  // namespace sippar::cli
