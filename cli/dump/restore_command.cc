// `sippar restore TARGET FROM`: creates the tables of a dump again and writes their cells.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/dump/restore_run.h"
#include "cli/exit_code.h"
#include "cli/local_files.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/wait_option.h"
#include "cluster/node/open_client.h"

namespace sippar::cli {
namespace {

constexpr const char* kFooter =
    "A dump that is damaged or cut short is refused before anything is written (from stdin: when "
    "its\n"
    "end is reached). After an interruption the same command with --if-exists skip goes on.\n"
    "examples:\n"
    "  sippar restore ./copy data.dump.zst           makes ./copy when it is absent\n"
    "  sippar restore ./copy dump/ people            one table\n"
    "  sippar restore ./data data.dump.zst --if-exists replace\n"
    "  sippar restore ./data data.dump.zst --dry-run   checks the dump, lists what would be done\n";

// Opens the target. A dry run creates no store, so the client is null if the store is missing.
StatusOr<std::unique_ptr<cluster::Client>> OpenTarget(const RestoreOptions& options,
                                                      const cluster::Patience& patience) {
  cluster::ClientOptions client_options;
  client_options.create_if_missing = !options.dry_run;
  auto client = cluster::OpenClient(options.target, client_options, patience);
  bool absent = client.status().code() == StatusCode::kNotFound;
  if (options.dry_run && absent) return std::unique_ptr<cluster::Client>();
  return client;
}

int ExitCodeOf(const Status& status) {
  return status.ok() ? kExitOk : InterruptSeen() ? kExitInterrupted : kExitFailed;
}

int Run(const RestoreOptions& options, cluster::Patience patience) {
  InstallSignalHandlers();
  CancelScope interrupts(nullptr, 0);
  patience.may_wait = TellOfWait([] { return InterruptSeen(); });
  auto files = NewLocalFiles();
  RestoreRun run(options, files.get());
  // The check comes first, so that an unreadable dump creates no store.
  Status checked = run.Check();
  if (!checked.ok()) return Failed("sippar restore", checked, ExitCodeOf(checked));
  auto client = OpenTarget(options, patience);
  if (!client.ok()) return Failed("sippar restore", client.status(), kExitNoStore);
  Status status = run.Restore(client->get());
  Status closed = *client == nullptr ? OkStatus() : (*client)->Close();
  if (status.ok()) status = closed;
  return status.ok() ? kExitOk : Failed("sippar restore", status, ExitCodeOf(status));
}

}  // namespace

int RunRestore(int argc, char** argv) {
  CLI::App app{"Makes the tables of a dump again, with every version of every cell.",
               "sippar restore"};
  app.footer(kFooter);
  RestoreOptions options;
  cluster::Patience patience;
  app.add_option("TARGET", options.target, kTargetHelp)->required();
  app.add_option("FROM", options.from, "file or folder that `sippar dump` wrote; - is stdin")
      ->required();
  app.add_option("TABLE", options.tables, "only these tables");
  const std::map<std::string, IfExists> words = {
      {"error", IfExists::kError}, {"skip", IfExists::kSkip}, {"replace", IfExists::kReplace}};
  app.add_option(
         "--if-exists", options.if_exists,
         "a table that exists: error writes nothing, skip leaves it as it is, replace drops "
         "it first")
      ->transform(CLI::CheckedTransformer(words))
      ->default_str("error");
  app.add_option("--jobs", options.jobs, "batches written at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_flag("--dry-run", options.dry_run, "check the dump, list what would be done");
  AddWaitOption(&app, &patience);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  return Run(options, patience);
}

}  // namespace sippar::cli
