// `sippar mount`: shows the tables of a store as directories.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <filesystem>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/mount_answers.h"
#include "cli/store.h"
#include "cli/wait_option.h"
#include "fuse/kernel/serve_mount.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar mount ./data /mnt/data --daemon        returns when the mount answers\n"
    "  ls /mnt/data/web                              rows of table web\n"
    "  cat /mnt/data/web/com.cnn.www/contents/%      newest value of column contents:\n"
    "  ls /mnt/data/web/com.cnn.www/contents/.versions/%    times of all its versions\n"
    "  ls /mnt/data/web/.prefix/com.cnn              rows whose keys begin so\n"
    "  cat \"/mnt/data/web/.where/language: = 'EN'/.count\"   how many rows pass a test\n"
    "  cp /mnt/data/web/.export/rows.csv .           whole rows, also .jsonl\n"
    "  umount /mnt/data                              or Ctrl-C, or kill\n";

struct Flags {
  fuse::ServeOptions serve;
  double timeout_s = 10;
  double name_age_s_max = 1;
  bool is_auto_unmount_off = false;
  double query_timeout_s = 300;
  std::string mode_mask = "0";
  std::string queries;
};

void AddOptions(CLI::App* app, Flags* flags) {
  fuse::MountOptions& mount = flags->serve.mount;
  app->add_option("TARGET", flags->serve.target, kTargetHelp)->required();
  app->add_option("MOUNTPOINT", mount.mount_point, "an existing directory")->required();
  app->add_flag("--daemon", flags->serve.is_daemon, "serve in the background");
  app->add_option("--log", flags->serve.log_path, "file for messages of the background process");
  app->add_flag("--allow-other", mount.allow_other, "let other users read everything");
  app->add_option("--uid", mount.uid, "owner of all files")->capture_default_str();
  app->add_option("--gid", mount.gid, "group of all files")->capture_default_str();
  app->add_option("--umask", flags->mode_mask, "octal bits taken from 0555 and 0444");
  app->add_option("--timeout", flags->timeout_s, "seconds a request may take")
      ->check(CLI::Range(0.001, 86'400.0))
      ->capture_default_str();
  app->add_option("--entry-timeout", flags->name_age_s_max,
                  "seconds a looked-up name may be old; 0: every open sees all writes before it")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  app->add_flag("--follow", mount.follows_changes,
                "keep names of tables with a change stream for 10 s, and drop them at once "
                "when a row changes; names of other tables are kept as --entry-timeout says");
  app->add_option("--query-timeout", flags->query_timeout_s,
                  "seconds that .count, .export and a saved query may take")
      ->check(CLI::Range(0.001, 86'400.0))
      ->capture_default_str();
  app->add_option("--queries", flags->queries,
                  "folder of files NAME.sql, one SELECT in each: MOUNTPOINT/.sql/NAME.csv and "
                  "NAME.json are their results")
      ->check(CLI::ExistingDirectory);
  app->add_option("--max-nodes", mount.nodes_max,
                  "files and directories kept in memory; above it listings hand out names only, "
                  "and the kernel is asked to forget rows")
      ->capture_default_str();
  app->add_option("--max-value-memory", mount.value_memory_bytes,
                  "bytes of values that are kept while they are read")
      ->capture_default_str();
  AddWaitOption(app, &flags->serve.patience);
  app->add_flag("--no-auto-unmount", flags->is_auto_unmount_off,
                "no helper process that unmounts when this one is killed");
}

}  // namespace

int RunMount(int argc, char** argv) {
  CLI::App app{"Shows the tables of a store as directories, read-only.", "sippar mount"};
  app.footer(kExamples);
  Flags flags;
  // The files belong to the user who runs this command, unless --uid and --gid name others.
  flags.serve.mount.uid = getuid();
  flags.serve.mount.gid = getgid();
  AddOptions(&app, &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  // Parsed here in octal, because CLI11 reads numbers as decimal, and std::stoul would accept "7x"
  // and "-1".
  const std::string& mask = flags.mode_mask;
  const auto [end, problem] =
      std::from_chars(mask.data(), mask.data() + mask.size(), flags.serve.mount.mode_mask, 8);
  flags.serve.mount.mode_mask &= 0777u;
  if (problem != std::errc() || end != mask.data() + mask.size()) {
    fmt::print(stderr, "sippar mount: --umask {} is not an octal number\n", flags.mode_mask);
    return kExitUsage;
  }
  // The command line has seconds, the options have microseconds.
  flags.serve.mount.timeout_us = static_cast<int64_t>(flags.timeout_s * 1e6);
  flags.serve.mount.name_age_us_max = static_cast<int64_t>(flags.name_age_s_max * 1e6);
  flags.serve.mount.query_timeout_us = static_cast<int64_t>(flags.query_timeout_s * 1e6);
  flags.serve.mount.auto_unmount = !flags.is_auto_unmount_off;
  // The path is made absolute, because the background process changes its working directory.
  std::string queries;
  if (!flags.queries.empty()) queries = std::filesystem::absolute(flags.queries);
  flags.serve.mount.make_answers = [queries](cluster::Client* client) {
    return NewMountAnswers(client, queries);
  };
  WarnOfCachingMount(flags.serve.target);
  // Returns when the mount has ended; with --daemon, as soon as the mount answers.
  Status status = fuse::ServeMount(flags.serve);
  if (status.ok()) return kExitOk;
  PrintMessage("sippar mount", MessageOf(status));
  return kExitFailed;
}

}  // namespace sippar::cli
