// `sippar admin`: inspects and maintains a store: sizes, metrics, flush, major compaction, checks,
// dumps of tablets, SSTables and logs. Its other subcommands are in admin_cluster, admin_members
// and admin_doctor.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "cli/admin_cluster.h"
#include "cli/admin_doctor.h"
#include "cli/admin_members.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/run_statement.h"
#include "cli/wait_option.h"
#include "cluster/client/client.h"
#include "cluster/node/dump_file.h"
#include "cluster/node/open_client.h"
#include "cluster/node/salvage.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar admin status ./data           servers, tablets, and what is not served\n"
    "  sippar admin stats ./data            sizes of every table and locality group\n"
    "  sippar admin compact ./data web      major compaction: deleted data is gone from the disk\n"
    "  sippar admin verify ./data           reads every block of every SSTable and change archive\n"
    "  sippar admin doctor ./data           what is wrong, why, and the way out; changes nothing\n"
    "  sippar admin tablet dump ./data web  runs, files, memtables, redo point\n"
    "  sippar admin sstable dump ./data/sst/0000000100000001.sst --entries\n"
    "  sippar admin log salvage ./data      what a damaged log has lost; --drop opens without it\n";

Status PrintStats(cluster::Client* client) {
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables,
                   client->admin()->Do(cluster::calls::ListTables{}));
  fmt::print("{:<20} {:<12} {:>8} {:>10} {:>10} {:>12} {:>12} {:>8} {:>12}\n", "table", "group",
             "files", "rows", "entries", "raw", "stored", "ratio", "in memory");
  for (const cluster::TableInfo& table : tables) {
    ASSIGN_OR_RETURN(std::vector<cluster::GroupStats> groups,
                     client->admin()->Do(cluster::calls::Stats{table.schema.name}));
    for (const cluster::GroupStats& group : groups) {
      // stored_bytes counts only SSTables, so the memtable's bytes are subtracted from raw_bytes.
      auto raw = static_cast<double>(group.raw_bytes - group.memtable_bytes);
      auto stored = static_cast<double>(group.stored_bytes);
      fmt::print("{:<20} {:<12} {:>8} {:>10} {:>10} {:>12} {:>12} {:>8} {:>12}\n",
                 table.schema.name, group.group, group.sstables, group.rows, group.entries,
                 PrintBytes(raw), PrintBytes(stored),
                 stored > 0 ? fmt::format("{:.2f}", raw / stored) : "-",
                 PrintBytes(static_cast<double>(group.memtable_bytes)));
      for (const auto& [name, family] : group.families) {
        fmt::print("  family {:<45} {:>10} {:>12}\n", name, family.cells,
                   PrintBytes(static_cast<double>(family.raw_bytes)));
      }
    }
  }
  return OkStatus();
}

Status ForTables(cluster::Client* client, const std::string& wanted,
                 const std::function<Status(const std::string&)>& action) {
  if (!wanted.empty()) return action(wanted);
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables,
                   client->admin()->Do(cluster::calls::ListTables{}));
  for (const cluster::TableInfo& table : tables) RETURN_IF_ERROR(action(table.schema.name));
  return OkStatus();
}

Status PrintMetrics(cluster::Client* client) {
  ASSIGN_OR_RETURN(auto metrics, client->admin()->Do(cluster::calls::Metrics{}));
  for (const auto& [name, value] : metrics) {
    fmt::print("{:<32} {}\n", name, value);
  }
  return OkStatus();
}

// Commands that read (`log salvage --drop` writes) files of a store that is not open: `sippar admin
// sstable dump FILE`, `log dump FILE`, `log salvage STORE`. They open no client, because they are
// meant for a damaged store, which may refuse to open.
struct FileCommand {
  std::string path;
  bool entries = false;
  bool drop = false;
  CLI::App* sstable = nullptr;
  CLI::App* log = nullptr;
  CLI::App* salvage = nullptr;

  void AddTo(CLI::App* app) {
    sstable = app->add_subcommand("sstable", "look into an SSTable file");
    sstable->require_subcommand(1);
    log = app->add_subcommand("log", "look into the commit log, or make it readable again");
    log->require_subcommand(1);
    log->add_subcommand("dump", "every record")
        ->add_option("FILE", path, "path of a segment of the commit log")
        ->required();
    salvage = log->add_subcommand("salvage", "what of a damaged log is lost");
    salvage->add_option("STORE", path, "directory of the store, which is not open")->required();
    salvage->add_flag("--drop", drop,
                      "write the log again without the damage, so that the store opens");
    CLI::App* dump = sstable->add_subcommand("dump", "properties and blocks");
    dump->add_option("FILE", path, "path of an SSTable")->required();
    dump->add_flag("--entries", entries, "every entry too");
  }
  bool parsed() const { return sstable->parsed() || log->parsed(); }
  int Run() const {
    if (log->parsed()) {
      auto print = [](std::string_view line) { fmt::print("{}\n", line); };
      Status status = salvage->parsed() ? cluster::SalvageLog(path, drop, print)
                                        : cluster::DumpLog(path, print);
      return status.ok() ? kExitOk : Failed("sippar admin", status, kExitFailed);
    }
    StatusOr<std::string> text = cluster::DumpSstable(path, entries);
    if (text.ok()) fmt::print("{}", *text);
    return text.ok() ? kExitOk : Failed("sippar admin", text.status(), kExitFailed);
  }
};

// Runs one action on the open store.
Status RunAction(const std::string& action, cluster::Client* client, const std::string& table,
                 const std::string& group) {
  cluster::AdminApi* admin = client->admin();
  if (action == "stats") return PrintStats(client);
  if (action == "metrics") return PrintMetrics(client);
  if (action == "dump") {
    ASSIGN_OR_RETURN(std::string text, admin->Do(cluster::calls::DumpTablets{table}));
    fmt::print("{}", text);
    return OkStatus();
  }
  return ForTables(client, table, [&](const std::string& name) -> Status {
    if (action == "flush") return admin->Do(cluster::calls::Flush{name});
    if (action == "compact") return admin->Do(cluster::calls::Compact{name, group});
    RETURN_IF_ERROR(admin->Do(cluster::calls::Verify{name}));
    fmt::print("{}: every block is whole\n", name);
    return OkStatus();
  });
}

}  // namespace

int RunAdmin(int argc, char** argv) {
  CLI::App app{"Looks after a store.", "sippar admin"};
  app.footer(kExamples);
  app.require_subcommand(1);
  std::string target;
  std::string table;
  std::string group;
  cluster::Patience patience;
  std::vector<CLI::App*> actions;
  for (auto [name, summary] : std::initializer_list<std::pair<const char*, const char*>>{
           {"stats", "sizes of tables and locality groups"},
           {"metrics", "counters since the store was opened"},
           {"flush", "memtables to SSTables"},
           {"compact", "major compaction"},
           {"verify", "read and check every block"}}) {
    CLI::App* sub = app.add_subcommand(name, summary);
    sub->add_option("TARGET", target, kTargetHelp)->required();
    sub->add_option("TABLE", table, "one table; all when left out");
    AddWaitOption(sub, &patience);
    if (std::string_view(name) == "compact") {
      sub->add_option("--group", group, "one locality group");
    }
    sub->footer(
        fmt::format("examples:\n  sippar admin {0} ./data\n  sippar admin {0} ./data web\n", name));
    actions.push_back(sub);
  }
  CLI::App* tablet = app.add_subcommand("tablet", "look into the tablets of a table");
  tablet->require_subcommand(1);
  actions.push_back(tablet->add_subcommand("dump", "runs, files, memtables, redo point"));
  actions.back()->add_option("TARGET", target, kTargetHelp)->required();
  actions.back()->add_option("TABLE", table, "the table")->required();
  AddWaitOption(actions.back(), &patience);
  FileCommand file_command;
  file_command.AddTo(&app);
  ClusterCommands cluster_commands;
  cluster_commands.AddTo(&app);
  MemberCommands member_commands;
  member_commands.AddTo(&app);
  DoctorCommand doctor;
  doctor.AddTo(&app);
  // The first word is checked before CLI11 parses, because CLI11's own message does not suggest the
  // nearest subcommand.
  if (IsUnknownWord(app, argc, argv)) return kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  if (file_command.parsed()) return file_command.Run();
  if (cluster_commands.parsed()) return cluster_commands.Run();
  if (member_commands.parsed()) return member_commands.Run();
  if (doctor.parsed()) return doctor.Run();
  // A directory without a store is an error here, because no option asks to create it.
  auto client = cluster::OpenClient(target, {}, patience);
  if (!client.ok()) return Failed("sippar admin", client.status(), kExitNoStore);
  Status status;
  for (CLI::App* sub : actions) {
    if (sub->parsed()) status = RunAction(sub->get_name(), client->get(), table, group);
  }
  // The store is closed even after a failure: Close flushes the memtables, so that the next opening
  // replays no log.
  Status closed = (*client)->Close();
  if (status.ok()) status = closed;
  return status.ok() ? kExitOk : Failed("sippar admin", status, kExitFailed);
}

}  // namespace sippar::cli
