// `sippar import web|csv|tsv|jsonl|cells TARGET …`. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/import_web.h"
#include "cli/run_statement.h"
#include "engine/base/thread.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar import web ./data ./corpus              the directory holds manifest.tsv\n"
    "  sippar import csv ./data people people.csv --map \"ROW = id, f:name = name\"\n"
    "  sippar import cells ./data web backup.cells    what `sippar export` wrote\n";

std::atomic<bool> interrupted{false};

struct FileImport {
  std::string target, table, file, mapping, options;
};

struct WebImport {
  std::string target;
  ImportWebOptions options;
  bool progress = false;
};

void ShowProgress(const ImportProgress& progress, double seconds, bool terminal) {
  std::string line = fmt::format(
      "{}/{} pages, {}, {} links, {:.0f} s", progress.pages.load(), progress.pages_total,
      PrintBytes(static_cast<double>(progress.page_bytes.load())), progress.links.load(), seconds);
  fmt::print(stderr, "{}{}{}", terminal ? "\r\033[K" : "", line, terminal ? "" : "\n");
}

// Until *done: a live line on a terminal, a plain line every 5 s when asked for.
void WatchProgress(const ImportProgress& progress, bool wanted, const std::atomic<bool>& done) {
  bool terminal = ::isatty(STDERR_FILENO) == 1;
  engine::Clock* clock = engine::Clock::System();
  int64_t start = clock->MonotonicNanos();
  int64_t last = start;
  while (!done) {
    clock->SleepMicros(50'000);
    int64_t now = clock->MonotonicNanos();
    int64_t interval = terminal ? 200'000'000 : 5'000'000'000;
    if ((!terminal && !wanted) || now - start < 500'000'000 || now - last < interval) continue;
    last = now;
    ShowProgress(progress, static_cast<double>(now - start) / 1e9, terminal);
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
}

void PrintSummary(const ImportProgress& progress, int jobs, double seconds) {
  auto bytes = static_cast<double>(progress.page_bytes.load());
  double write_seconds = static_cast<double>(progress.write_nanos.load()) / 1e9 / jobs;
  fmt::print(stderr,
             "{} pages, {} links, {} cells; {} of pages in {:.1f} s ({}/s; writing alone {:.1f} s, "
             "{}/s); {} failed\n",
             progress.pages.load(), progress.links.load(), progress.cells.load(), PrintBytes(bytes),
             seconds, PrintBytes(bytes / seconds), write_seconds,
             PrintBytes(bytes / std::max(write_seconds, 1e-3)), progress.failed.load());
}

int Fail(const Status& status, int code) {
  fmt::print(stderr, "sippar import: {}\n", MessageOf(status));
  return code;
}

int RunWeb(const WebImport& web) {
  auto fs = engine::NewPosixFileSystem();
  auto manifest = ReadManifest(fs.get(), web.options.corpus);
  if (!manifest.ok()) return Fail(manifest.status(), kExitUsage);
  for (const std::string& line : manifest->bad_lines) fmt::print(stderr, "{}\n", line);
  // From here on: an interrupted opening ends as an interrupted import does, told and clean.
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, [](int) { interrupted = true; });
  cluster::ClientOptions client_options;
  client_options.create_if_missing = true;
  auto client = cluster::Client::Open(web.target, client_options);
  if (!client.ok()) return Fail(client.status(), kExitNoStore);
  ImportProgress progress;
  progress.failed = manifest->bad_lines.size();
  for (const ManifestLine& page : manifest->pages) {
    progress.pages_total += web.options.all_types || page.content_type == "text/html";
  }
  int64_t start = engine::Clock::System()->MonotonicNanos();
  std::atomic<bool> done{false};
  Status status;
  {
    engine::Thread watch("progress", [&] { WatchProgress(progress, web.progress, done); });
    status = ImportWeb(client->get(), web.options, manifest->pages, interrupted, &progress,
                       [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
    done = true;
  }
  double seconds = static_cast<double>(engine::Clock::System()->MonotonicNanos() - start) / 1e9;
  PrintSummary(progress, web.options.jobs, seconds);
  Status closed = (*client)->Close();
  if (status.code() == StatusCode::kCancelled) return Fail(status, kExitInterrupted);
  if (status.ok()) status = closed;
  if (!status.ok()) return Fail(status, kExitFailed);
  return progress.failed > 0 ? kExitFailed : kExitOk;
}

int RunFile(const std::string& format, const FileImport& import) {
  std::string statement =
      fmt::format("IMPORT INTO {} FROM {} FORMAT {}", query::QuoteName(import.table),
                  query::QuoteText(import.file), format);
  if (!import.mapping.empty()) statement += " (" + import.mapping + ")";
  if (!import.options.empty()) statement += " WITH (" + import.options + ")";
  return RunStatement(import.target, /*create=*/true, statement);
}

}  // namespace

int RunImport(int argc, char** argv) {
  CLI::App app{"Loads web pages or files into a table.", "sippar import"};
  app.footer(kExamples);
  app.require_subcommand(1);
  WebImport web;
  CLI::App* web_app = app.add_subcommand("web", "a Webtable: pages, their links, language");
  web_app
      ->add_option("TARGET", web.target, "directory of the store, made when absent; or host:port")
      ->required();
  web_app->add_option("CORPUS", web.options.corpus, "directory with manifest.tsv")->required();
  web_app->add_option("--table", web.options.table, "made when absent")->capture_default_str();
  web_app->add_option("--jobs", web.options.jobs, "pages parsed at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  web_app->add_flag("--all", web.options.all_types, "every file, not only text/html");
  web_app->add_flag("--progress", web.progress, "a line every 5 s also when not on a terminal");
  FileImport file;
  std::vector<CLI::App*> formats;
  for (const char* format : {"csv", "tsv", "jsonl", "cells"}) {
    CLI::App* sub = app.add_subcommand(format, fmt::format("a {} file", format));
    sub->add_option("TARGET", file.target, "directory of the store, or host:port")->required();
    sub->add_option("TABLE", file.table, "an existing table")->required();
    sub->add_option("FILE", file.file, "- is stdin")->required();
    sub->add_option("--map", file.mapping, "ROW = expression, family:qualifier = expression, ...");
    sub->add_option("--with", file.options, "options of IMPORT, such as HEADER = false");
    formats.push_back(sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (web_app->parsed()) return RunWeb(web);
  for (CLI::App* sub : formats) {
    if (sub->parsed()) return RunFile(sub->get_name(), file);
  }
  return kExitUsage;
}

}  // namespace sippar::cli
