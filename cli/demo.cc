// `sippar demo`: makes a store of web pages, opens the shell with statements to try, and mounts the
// store as directories.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/arguments.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/demo_pages.h"
#include "cli/exit_code.h"
#include "cli/import_web.h"
#include "cli/interactive_shell.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/store.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

namespace files = std::filesystem;

constexpr const char* kExamples =
    "examples:\n"
    "  sippar demo                                    makes ./sippar-demo and opens the shell\n"
    "  sippar demo ./d | sippar query ./d/data --format box    without a terminal: the statements\n"
    "remove it with rm -r\n";

constexpr const char* kDocuments = "/usr/share/doc";
constexpr size_t kPagesMin = 20;  // with fewer pages on this machine, the demo generates its own

struct DemoOptions {
  std::string folder = "sippar-demo";
  bool is_made = false;
  bool has_mount = true;

  std::string store() const { return folder + "/data"; }
  std::string mount() const { return folder + "/mnt"; }
};

Status ImportPages(const std::string& target, const std::string& corpus,
                   const std::vector<ManifestLine>& pages, ImportProgress* progress) {
  cluster::ClientOptions options;
  options.create_if_missing = true;
  ASSIGN_OR_RETURN(auto client, cluster::OpenClient(target, options, cluster::Patience{}));
  ImportWebOptions import;
  import.corpus = corpus;
  const std::atomic<bool> never{false};
  Status status = ImportWeb(client.get(), import, pages, never, progress,
                            [](const std::string& problem) { PrintMessage(problem); });
  Status closed = client->Close();
  return status.ok() ? closed : status;
}

// Writes the generated pages to files first, because the import reads files.
Status ImportMadePages(const DemoOptions& options, ImportProgress* progress) {
  const std::string corpus = options.folder + "/pages";
  std::error_code problem;
  files::create_directories(corpus, problem);
  std::vector<ManifestLine> lines;
  for (MadePage& page : MakePages(engine::Clock::System()->NowMicros())) {
    std::ofstream(corpus + "/" + page.line.path) << page.html;
    lines.push_back(std::move(page.line));
  }
  Status status = ImportPages(options.store(), corpus, lines, progress);
  files::remove_all(corpus, problem);
  return status;
}

// Makes the store, unless an earlier run has made it, and prints what it contains.
Status MakeStore(const DemoOptions& options) {
  std::error_code problem;
  if (files::exists(options.store(), problem)) {
    PrintMessage(fmt::format("the demo in {} is there from an earlier run", options.folder));
    return OkStatus();
  }
  const bool is_free =
      !files::exists(options.folder, problem) || files::is_empty(options.folder, problem);
  if (!is_free) {
    return FailedPrecondition(options.folder +
                              ": it has files of something else; name a new or empty folder");
  }
  std::vector<ManifestLine> pages;
  if (!options.is_made) pages = PagesBelow(kDocuments);
  const bool are_real = pages.size() >= kPagesMin;
  files::create_directories(options.folder, problem);
  if (problem) return FailedPrecondition(options.folder + ": " + problem.message());
  ImportProgress progress;
  RETURN_IF_ERROR(are_real ? ImportPages(options.store(), kDocuments, pages, &progress)
                           : ImportMadePages(options, &progress));
  PrintMessage(fmt::format("{} web pages {} and {} links between them are now in {}",
                           progress.pages.load(),
                           are_real ? fmt::format("from {}", kDocuments) : "of a made-up web",
                           progress.links.load(), options.store()));
  return OkStatus();
}

// The value of the first row and column of the result; "" if there is none.
std::string FirstValue(query::Session* session, const std::string& statement) {
  query::ResultTable found;
  auto done = session->Execute(statement, &found);
  return done.ok() && !found.rows.empty() ? found.rows[0][0].bytes() : "";
}

StatusOr<std::vector<std::string>> StatementsToTry(const DemoOptions& options, bool is_mounted) {
  Store store(options.store(), cluster::Patience{});
  RETURN_IF_ERROR(store.Open(false));
  const std::string page = FirstValue(
      store.session(),
      "SELECT row, CARDINALITY(anchor:*) AS links FROM web WHERE contents: IS NOT NULL AND "
      "language: IS NOT NULL AND CARDINALITY(anchor:*) > 0 ORDER BY links DESC LIMIT 1");
  if (page.empty()) {
    return NotFound(options.folder +
                    ": the demo's pages are missing; remove the folder, and try again");
  }
  const std::string key = query::QuoteText(page);
  const std::string host = query::QuoteText(page.substr(0, page.find('/') + 1));
  std::vector<std::string> statements = {
      "SELECT row, LENGTH(contents:) AS bytes, language: FROM web WHERE contents: IS NOT NULL "
      "LIMIT 10;",
      "SELECT SPLIT_PART(row, '/', 1) AS host, COUNT(*) AS pages, SUM(LENGTH(contents:)) AS bytes "
      "FROM web WHERE contents: IS NOT NULL GROUP BY host ORDER BY pages DESC LIMIT 10;",
      fmt::format("SELECT row FROM web WHERE row STARTS WITH {} AND contents: ~ /<table/i LIMIT 5;",
                  host),
      "SELECT row, CARDINALITY(anchor:*) AS links FROM web WHERE CARDINALITY(anchor:*) > 0 ORDER "
      "BY links DESC LIMIT 5;",
      fmt::format("SELECT CELLS anchor:* FROM web WHERE row = {} LIMIT 4 CELLS;", key),
      fmt::format("UPDATE web SET language: = 'la' WHERE row = {};", key),
      fmt::format("SELECT row, language: FROM web VERSIONS ALL WHERE row = {};", key),
      "CREATE TABLE IF NOT EXISTS visits (FAMILY hits COUNTER);",
      fmt::format("INCREMENT visits hits:total WHERE row = {} RETURNING hits:total;", key),
      fmt::format("EXPLAIN SELECT row FROM web WHERE row STARTS WITH {};", host),
  };
  if (is_mounted) {
    statements.back() = fmt::format("\\! ls {} | head -n 8", WordForSh(options.mount() + "/web"));
  }
  RETURN_IF_ERROR(store.Close());
  return statements;
}

void EndMount(const DemoOptions& options) {
  ChildOptions silent;
  silent.is_silent = true;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"fusermount3", "-u", options.mount()},
        std::vector<std::string>{"umount", options.mount()}}) {
    auto child = StartChild(words, silent);
    if (child.ok() && WaitForChild(child->pid) == 0) return;
  }
}

bool IsMountPoint(const DemoOptions& options) {
  struct stat outer = {};
  struct stat inner = {};
  return stat(options.folder.c_str(), &outer) == 0 && stat(options.mount().c_str(), &inner) == 0 &&
         outer.st_dev != inner.st_dev;
}

// Mounts the store as directories, in a process of its own. Returns false if that is not wanted
// (--no-mount) or fails: FUSE is missing, or this program was built without it.
bool StartMount(const DemoOptions& options) {
  if (!options.has_mount || access("/dev/fuse", R_OK | W_OK) != 0) return false;
  // A demo that was killed leaves its mount, whose own process may still serve it.
  if (IsMountPoint(options)) EndMount(options);
  std::error_code problem;
  files::create_directories(options.mount(), problem);
  ChildOptions silent;
  silent.is_silent = true;
  auto child =
      StartChild({"/proc/self/exe", "mount", options.store(), options.mount(), "--daemon"}, silent);
  return child.ok() && WaitForChild(child->pid) == 0;
}

int RunWithShell(const DemoOptions& options) {
  const bool is_mounted = StartMount(options);
  auto statements = StatementsToTry(options, is_mounted);
  if (!statements.ok()) {
    if (is_mounted) EndMount(options);
    return Failed("sippar demo", statements.status(), kExitFailed);
  }
  for (size_t i = 0; i < statements->size(); ++i) {
    fmt::print(stderr, "{:3}  {}\n", i + 1, (*statements)[i]);
  }
  if (is_mounted) {
    fmt::print(stderr, "{} shows the store as directories: ls, cat and grep work there\n",
               options.mount());
  }
  fmt::print(stderr,
             "\\try runs the next of these statements, \\try 5 the fifth; \\d web shows the "
             "columns,\n\\? the commands; Tab completes, Ctrl-D leaves\n");
  ShellOptions shell;
  shell.target = options.store();
  shell.quiet = true;
  shell.tries = std::move(*statements);
  int code = RunInteractiveShell(std::move(shell));
  if (is_mounted) EndMount(options);
  PrintMessage(fmt::format("the demo stays in {}: `sippar demo` opens it again, rm -r removes it",
                           options.folder));
  return code;
}

// Without a terminal, prints the statements as a script for `sippar query`.
int PrintStatements(const DemoOptions& options) {
  auto statements = StatementsToTry(options, false);
  if (!statements.ok()) return Failed("sippar demo", statements.status(), kExitFailed);
  for (const std::string& statement : *statements) fmt::print("{}\n", statement);
  return kExitOk;
}

}  // namespace

int RunDemo(int argc, char** argv) {
  DemoOptions options;
  bool no_mount = false;
  CLI::App app("Makes a store of web pages and opens it in the shell, with statements to try.",
               "sippar demo");
  app.add_option("DIR", options.folder, "folder of the demo: the store in data, the mount in mnt")
      ->capture_default_str();
  app.add_flag("--made", options.is_made,
               "pages of a made-up web, even if this machine has pages of packages");
  app.add_flag("--no-mount", no_mount, "no mount beside the shell");
  app.footer(kExamples);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  options.has_mount = !no_mount;
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  InstallSignalHandlers();
  if (Status made = MakeStore(options); !made.ok()) {
    return Failed("sippar demo", made, kExitFailed);
  }
  return IsInteractive() ? RunWithShell(options) : PrintStatements(options);
}

}  // namespace sippar::cli
