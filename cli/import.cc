// `sippar import web|csv|tsv|jsonl|jsonl-b64|cells|raw TARGET …`: "web" builds a Webtable
// (import_web.h); the other formats become an IMPORT statement.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/import_web.h"
#include "cli/message.h"
#include "cli/run_statement.h"
#include "cli/wait_option.h"
#include "cluster/node/open_client.h"
#include "cluster/node/target.h"
#include "engine/base/thread.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar import web ./data ./corpus              the directory holds manifest.tsv\n"
    "  sippar import csv ./data people people.csv --map \"ROW = id, f:name = name\"\n"
    "  sippar import cells ./data web backup.cells    what `sippar export` wrote\n"
    "`sippar import csv --help` shows delimiters, quotes, NULL, how to go on after a failure\n"
    "`sippar restore` reads what `sippar dump` wrote\n";

// The flag is global, because a signal handler gets no context argument. It is lock-free, so that a
// handler may set it.
std::atomic<bool> interrupted{false};

struct FileImport {
  std::string target, table, file, mapping, options;
  std::string delimiter, quote, null_text, on_error, bad_file, encoding;
  std::optional<uint64_t> skip, skip_lines, jobs;
  bool no_header = false;
  bool dry_run = false;
  cluster::Patience patience;

  void AddTo(CLI::App* app);
  std::string With() const;
};

void FileImport::AddTo(CLI::App* app) {
  app->add_option("TARGET", target, kTargetHelp)->required();
  app->add_option("TABLE", table, "an existing table")->required();
  app->add_option("FILE", file, "- is stdin; a name that ends in .zst or .gz is unpacked")
      ->required();
  app->add_option("--map", mapping,
                  "ROW = expression, family:qualifier = expression, TIMESTAMP = expression, ...");
  app->add_flag("--no-header", no_header, "csv, tsv: the first line is a record; columns c1, c2 …");
  app->add_option("--delimiter", delimiter, "csv: between fields instead of a comma");
  app->add_option("--quote", quote, "csv: around fields instead of \"");
  app->add_option("--null", null_text, "csv, tsv: a field that means NULL, such as NA");
  app->add_option("--skip-lines", skip_lines, "lines before the header");
  app->add_option("--skip", skip, "records that an earlier run has written");
  app->add_option("--on-error", on_error, "skip leaves broken records out; stop is the default")
      ->check(CLI::IsMember({"skip", "stop"}));
  app->add_option(
      "--bad-file", bad_file,
      "csv, tsv or jsonl: broken records are left out and written here, with their lines "
      "and reasons");
  app->add_option("--encoding", encoding, "of the file instead of UTF-8, such as UTF-16");
  app->add_option(
         "--jobs", jobs,
         "parts of a batch written at once, 4 if not given: more for a server far away; the "
         "versions of a row keep the order of the file all the same")
      ->check(CLI::Range(1, 64));
  app->add_flag("--dry-run", dry_run,
                "read and map all records, show the first cells, write nothing");
  app->add_option("--with", options, "options of IMPORT, such as HEADER = false");
  AddWaitOption(app, &patience);
  app->footer(
      "each run writes new versions of its cells, at the server's time, as INSERT does: TIMESTAMP "
      "= 5\n"
      "in --map makes a second run write the same cells again; --skip goes on after a failed run\n"
      "examples:\n"
      "  sippar import csv ./data people people.csv --map \"ROW = id, f:name = name\"\n"
      "  sippar import csv ./data people export.csv.gz --delimiter ';' --null NA --on-error skip\n"
      "  sippar import csv ./data people people.csv --map \"ROW = id, f:name = name\" --dry-run\n"
      "  sippar import csv ./data people people.csv --bad-file bad.csv --encoding UTF-16\n"
      "  sippar import csv host:8086 people people.csv --jobs 16\n"
      "  sippar import jsonl ./data people - < people.jsonl\n"
      "  sippar import raw ./data web page.html --map \"ROW = 'com.cnn', contents: = value\"\n");
}

// Translates the flags into options of the IMPORT statement.
std::string FileImport::With() const {
  std::string with;
  auto add = [&](std::string_view name, const std::string& value) {
    with += fmt::format("{}{} = {}", with.empty() ? "" : ", ", name, value);
  };
  if (no_header) add("HEADER", "FALSE");
  if (!delimiter.empty()) add("DELIMITER", query::QuoteText(delimiter == "\\t" ? "\t" : delimiter));
  if (!quote.empty()) add("QUOTE", query::QuoteText(quote));
  if (!null_text.empty()) add("NULL_TEXT", query::QuoteText(null_text));
  if (!on_error.empty()) add("ON_ERROR", on_error);
  if (!bad_file.empty()) add("ON_ERROR", fmt::format("FILE({})", query::QuoteText(bad_file)));
  if (!encoding.empty()) add("ENCODING", query::QuoteText(encoding));
  if (jobs) add("JOBS", fmt::format("{}", *jobs));
  if (dry_run) add("DRY_RUN", "TRUE");
  if (skip_lines) add("SKIP_LINES", fmt::format("{}", *skip_lines));
  if (skip) add("SKIP", fmt::format("{}", *skip));
  if (!options.empty()) with += (with.empty() ? "" : ", ") + options;
  return with;
}

struct WebImport {
  std::string target;
  ImportWebOptions options;
  bool progress = false;
  cluster::Patience patience;
};

void ShowProgress(const ImportProgress& progress, double seconds, bool terminal) {
  std::string line = fmt::format(
      "{}/{} pages, {}, {} links, {:.0f} s", progress.pages.load(), progress.pages_total,
      PrintBytes(static_cast<double>(progress.page_bytes.load())), progress.links.load(), seconds);
  fmt::print(stderr, "{}{}{}", terminal ? "\r\033[K" : "", line, terminal ? "" : "\n");
}

// Shows progress until `done` is set: a live line on a terminal; elsewhere, and only if `wanted`, a
// plain line every 5 s.
void WatchProgress(const ImportProgress& progress, bool wanted, const std::atomic<bool>& done) {
  bool terminal = ::isatty(STDERR_FILENO) == 1;
  engine::Clock* clock = engine::Clock::System();
  int64_t start = clock->MonotonicNanos();
  int64_t last = start;
  while (!done) {
    // The steps are short, because the end of the import waits for this thread.
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
  // The jobs' sum is divided by their number, for comparison with the elapsed time.
  double write_seconds = static_cast<double>(progress.write_nanos.load()) / 1e9 / jobs;
  fmt::print(stderr,
             "{} pages, {} links, {} cells; {} of pages in {:.1f} s ({}/s; writing alone {:.1f} s, "
             "{}/s); {} failed\n",
             progress.pages.load(), progress.links.load(), progress.cells.load(), PrintBytes(bytes),
             seconds, PrintBytes(bytes / seconds), write_seconds,
             PrintBytes(bytes / std::max(write_seconds, 1e-3)), progress.failed.load());
}

// Prints the first problems and only counts the rest, because a corpus may lack every file that its
// manifest names. Thread safe.
class ProblemList {
 public:
  void Add(const std::string& line) {
    engine::MutexLock lock(&mutex_);
    if (++count_ <= kShown) PrintMessage(line);
  }
  void End() {
    engine::MutexLock lock(&mutex_);
    if (count_ > kShown) PrintMessage(fmt::format("… and {} more problems", count_ - kShown));
  }

 private:
  static constexpr uint64_t kShown = 10;
  engine::Mutex mutex_;
  uint64_t count_ GUARDED_BY(mutex_) = 0;
};

int Fail(const Status& status, int code) {
  PrintMessage("sippar import", MessageOf(status));
  return code;
}

int RunWeb(const WebImport& web) {
  auto fs = cluster::FileSystemOf(web.options.corpus);
  auto manifest = ReadManifest(fs.get(), web.options.corpus);
  if (!manifest.ok()) return Fail(manifest.status(), kExitUsage);
  ProblemList problems;
  for (const std::string& line : manifest->bad_lines) problems.Add(line);
  // Installed before the store is opened: Ctrl-C during a long opening then ends the command with a
  // message, as during the import.
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, [](int) { interrupted = true; });
  cluster::ClientOptions client_options;
  client_options.create_if_missing = true;
  cluster::Patience patience = web.patience;
  patience.may_wait = TellOfWait([] { return interrupted.load(); });
  auto client = cluster::OpenClient(web.target, client_options, patience);
  if (!client.ok()) return Fail(client.status(), kExitNoStore);
  ImportProgress progress;
  progress.failed = manifest->bad_lines.size();
  for (const ManifestLine& page : manifest->pages) {
    // Counts only the pages that ImportWeb does not skip.
    progress.pages_total += web.options.all_types || page.content_type == "text/html";
  }
  int64_t start = engine::Clock::System()->MonotonicNanos();
  std::atomic<bool> done{false};
  Status status;
  {
    engine::Thread watch("progress", [&] { WatchProgress(progress, web.progress, done); });
    status = ImportWeb(client->get(), web.options, manifest->pages, interrupted, &progress,
                       [&](const std::string& line) { problems.Add(line); });
    done = true;
  }
  problems.End();
  double seconds = static_cast<double>(engine::Clock::System()->MonotonicNanos() - start) / 1e9;
  PrintSummary(progress, web.options.jobs, seconds);
  Status closed = (*client)->Close();
  // Interruption has its own exit code and outranks an error of Close.
  if (status.code() == StatusCode::kCancelled) return Fail(status, kExitInterrupted);
  if (status.ok()) status = closed;
  if (!status.ok()) return Fail(status, kExitFailed);
  return progress.failed > 0 ? kExitFailed : kExitOk;
}

int RunFile(const std::string& format, const FileImport& import) {
  // The command builds an IMPORT statement instead of calling the store itself, so that it cannot
  // differ from IMPORT in a script. The mapping and the value of --with become parts of the
  // statement as they are; the table and the file are quoted.
  std::string statement =
      fmt::format("IMPORT INTO {} FROM {} FORMAT {}", query::QuoteName(import.table),
                  query::QuoteText(import.file), query::QuoteName(format));
  if (!import.mapping.empty()) statement += " (" + import.mapping + ")";
  if (std::string with = import.With(); !with.empty()) statement += " WITH (" + with + ")";
  return RunStatement(import.target, import.patience, statement);
}

}  // namespace

int RunImport(int argc, char** argv) {
  CLI::App app{"Loads web pages or files into a table.", "sippar import"};
  app.footer(kExamples);
  app.require_subcommand(1);
  WebImport web;
  CLI::App* web_app = app.add_subcommand("web", "a Webtable: pages, their links, language");
  web_app
      ->add_option("TARGET", web.target,
                   "directory of the store, made when absent; host:port; or zk://...")
      ->required();
  web_app->add_option("CORPUS", web.options.corpus, "directory with manifest.tsv")->required();
  web_app->add_option("--table", web.options.table, "made when absent")->capture_default_str();
  web_app->add_option("--jobs", web.options.jobs, "pages parsed at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  web_app->add_flag("--all", web.options.all_types, "every file, not only text/html");
  web_app->add_flag("--progress", web.progress, "a line every 5 s also when not on a terminal");
  AddWaitOption(web_app, &web.patience);
  FileImport file;
  std::vector<CLI::App*> formats;
  for (const char* format : {"csv", "tsv", "jsonl", "jsonl-b64", "cells", "raw"}) {
    bool raw = std::string_view(format) == "raw";
    CLI::App* sub = app.add_subcommand(
        format, raw ? "a whole file as one value" : fmt::format("a {} file", format));
    file.AddTo(sub);
    formats.push_back(sub);
  }
  if (IsUnknownWord(app, argc, argv)) return kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (web_app->parsed()) return RunWeb(web);
  for (CLI::App* sub : formats) {
    if (sub->parsed()) return RunFile(sub->get_name(), file);
  }
  return kExitUsage;
}

}  // namespace sippar::cli
