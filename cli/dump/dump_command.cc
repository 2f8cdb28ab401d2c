// `sippar dump TARGET`: writes the schemas and cells of all tables to a file or a folder.
// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/dump/dump_output.h"
#include "cli/dump/dump_table.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/wait_option.h"
#include "cluster/node/open_client.h"
#include "engine/base/checksum.h"
#include "engine/model/option_text.h"
#include "query/execute/transaction.h"
#include "query/plan/schema_options.h"
#include "query/session/query_error.h"

namespace sippar::cli {
namespace {

constexpr const char* kFooter =
    "Each row is whole, and as it was at one moment of the dump; so is each tablet, if its server\n"
    "stays the same meanwhile. What was written before the dump began is in it. Tables are not of\n"
    "one moment: stop the writers if they must be. Backups, instances, profiles and views of the\n"
    "Cloud Bigtable API are not part of a dump.\n"
    "examples:\n"
    "  sippar dump ./data --to data.dump.zst          one file; `sippar restore` reads it\n"
    "  sippar dump ./data --to dump/ --jobs 4         a folder: schema.sql, people.cells.zst ...\n"
    "  sippar dump ./data people web --to two.dump.gz   two tables\n"
    "  sippar dump ./data --schema-only               CREATE TABLE statements, for `sippar query`\n"
    "  sippar dump host:8086 | sippar restore ./copy -\n";

struct DumpOptions {
  std::string target, to = "-";
  std::vector<std::string> tables;
  size_t jobs = 1;
  bool schema_only = false;
  cluster::Patience patience;
};

// One run of the command, on an open client.
class DumpRun {
 public:
  DumpRun(const DumpOptions& options, cluster::Client* client)
      : options_(options), client_(client), line_(::isatty(STDERR_FILENO) == 1) {}

  Status Run() {
    ASSIGN_OR_RETURN(std::vector<engine::TableSchema> schemas, Schemas());
    // The output is opened after the tables are found, so that a wrong table name creates no file.
    ASSIGN_OR_RETURN(output_, OpenDumpOutput(options_.to));
    RETURN_IF_ERROR(output_->Text(Head()));
    line_.Start();
    for (const engine::TableSchema& schema : schemas) {
      RETURN_IF_ERROR(Annotate(DumpTable(schema), fmt::format("table {}", schema.name)));
    }
    RETURN_IF_ERROR(output_->Text(PrintDone(schemas.size(), all_.cells)));
    RETURN_IF_ERROR(output_->Close());
    line_.Wipe();
    if (options_.to == "-") return OkStatus();
    PrintMessage(fmt::format("{}, {} written to {}", query::Plural(schemas.size(), "table"),
                             query::Plural(all_.cells, "cell"), options_.to));
    return OkStatus();
  }

  void WipeProgress() { line_.Wipe(); }

 private:
  // The schemas of the tables to dump, sorted by name.
  StatusOr<std::vector<engine::TableSchema>> Schemas() {
    ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables,
                     client_->admin()->Do(cluster::calls::ListTables{}));
    std::vector<std::string> names;
    std::vector<engine::TableSchema> schemas;
    const std::vector<std::string>& wanted = options_.tables;
    for (const cluster::TableInfo& table : tables) {
      names.push_back(table.schema.name);
      bool chosen =
          wanted.empty() || std::find(wanted.begin(), wanted.end(), names.back()) != wanted.end();
      if (chosen) schemas.push_back(table.schema);
    }
    for (const std::string& name : wanted) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      std::string near = query::NearestWord(name, names);
      return NotFound(fmt::format("table {}: not found{}", name,
                                  near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    return schemas;
  }

  std::string Head() const {
    int64_t now = client_->clock()->NowMicros();
    uint64_t id = engine::Hash(fmt::format("{} {} {}", now, ::getpid(), options_.target));
    return fmt::format("{}{:016x}\n-- {} of {}; `sippar restore TARGET FROM` reads it\n", kDumpHead,
                       id, engine::Value::Timestamp(now).Print(),
                       engine::PrintEscaped(options_.target));
  }

  Status DumpTable(const engine::TableSchema& schema) {
    ASSIGN_OR_RETURN(std::vector<engine::RowRange> ranges,
                     client_->data()->Do(cluster::calls::TabletRanges{schema.name}));
    std::vector<std::string> splits;
    for (const engine::RowRange& range : ranges) {
      if (!range.start.empty()) splits.push_back(range.start);
    }
    RETURN_IF_ERROR(output_->Text(query::PrintCreateTable(schema, splits) + "\n"));
    std::map<std::string, std::string> known = engine::OptionTexts(schema);
    for (const auto& [name, value] : schema.options) {
      if (known.contains(name)) continue;
      RETURN_IF_ERROR(output_->Text(
          PrintDirective({"option", {schema.name, name, absl::Base64Escape(value)}})));
    }
    if (options_.schema_only) return output_->Text(PrintEnd(schema.name, {}));
    RETURN_IF_ERROR(output_->BeginCells(schema.name, ranges.size()));
    bool terminal = options_.to == "-" && ::isatty(STDOUT_FILENO) == 1;
    TableDump dump(client_, schema, ranges, terminal, output_.get(), &progress_);
    ASSIGN_OR_RETURN(CellSum sum, dump.Run(options_.jobs, [this] { return Tick(); }));
    all_.Add(sum);
    return output_->EndCells(sum);
  }

  Status Tick() {
    if (InterruptSeen()) return Cancelled("the dump was interrupted");
    query::Progress progress;
    progress.tablets = progress_.tablets;
    progress.tablets_done = progress_.tablets_done;
    progress.cells_read = progress_.cells;
    line_.Show(progress);
    return OkStatus();
  }

  const DumpOptions& options_;
  cluster::Client* const client_;
  ProgressLine line_;
  std::unique_ptr<DumpOutput> output_;
  DumpProgress progress_;
  CellSum all_;
};

}  // namespace

int RunDump(int argc, char** argv) {
  CLI::App app{"Writes schema and cells of all tables, every version, to a file or a folder.",
               "sippar dump"};
  app.footer(kFooter);
  DumpOptions options;
  app.add_option("TARGET", options.target, kTargetHelp)->required();
  app.add_option("TABLE", options.tables, "only these tables");
  app.add_option("--to", options.to,
                 "a file, packed when its name ends in .zst or .gz; a folder when it ends in a "
                 "slash or exists; - is stdout. It appears when it is complete")
      ->capture_default_str();
  app.add_option("--jobs", options.jobs,
                 "tablets read at once; with more than 1 the cells of one file are not in order")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_flag("--schema-only", options.schema_only, "the statements alone, without cells");
  AddWaitOption(&app, &options.patience);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  InstallSignalHandlers();
  CancelScope interrupts(nullptr, 0);
  options.patience.may_wait = TellOfWait([] { return InterruptSeen(); });
  auto client = cluster::OpenClient(options.target, {}, options.patience);
  if (!client.ok()) return Failed("sippar dump", client.status(), kExitNoStore);
  DumpRun run(options, client->get());
  Status status = run.Run();
  run.WipeProgress();
  Status closed = (*client)->Close();
  if (status.ok()) status = closed;
  if (status.ok()) return kExitOk;
  return Failed("sippar dump", status, InterruptSeen() ? kExitInterrupted : kExitFailed);
}

}  // namespace sippar::cli
