// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/restore_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "cli/dump/restore_table.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"

namespace sippar::cli {
namespace {

constexpr uint64_t kTickEach = 1000;  // lines between two checks for Ctrl-C

Status CheckInterrupt() {
  return InterruptSeen() ? Cancelled("the restore was interrupted") : OkStatus();
}

std::string_view WordOf(RestoreAction action) {
  switch (action) {
    case RestoreAction::kCreate:
      return "is created";
    case RestoreAction::kSkip:
      return "is skipped: it already exists";
    case RestoreAction::kContinue:
      return "is continued: an earlier restore was interrupted";
    case RestoreAction::kReplace:
      break;
  }
  return "is dropped and created again";
}

// Lists the tables of a dump and their cells.
class Listing final : public DumpVisitor {
 public:
  explicit Listing(std::vector<std::pair<std::string, uint64_t>>* tables) : tables_(tables) {}
  Status Table(const DumpedTable&) override { return OkStatus(); }
  Status Line(std::string_view) override {
    return ++lines_ % kTickEach == 0 ? CheckInterrupt() : OkStatus();
  }
  Status EndTable(const DumpedTable& table, const CellSum& sum) override {
    tables_->emplace_back(table.name, sum.cells);
    return OkStatus();
  }

 private:
  std::vector<std::pair<std::string, uint64_t>>* const tables_;
  uint64_t lines_ = 0;
};

// Restores the wanted tables in the dump's order.
class Restoring final : public DumpVisitor {
 public:
  Restoring(cluster::Client* client, const RestoreOptions& options, DumpReader* reader,
            std::function<bool(const std::string&)> is_wanted, uint64_t cells_expected)
      : client_(client),
        options_(options),
        reader_(reader),
        is_wanted_(std::move(is_wanted)),
        cells_expected_(cells_expected),
        session_(query::Session::New(client, {})),
        line_(::isatty(STDERR_FILENO) == 1) {
    line_.Start();
  }

  Status Table(const DumpedTable& table) override {
    active_ = false;
    if (!is_wanted_(table.name)) return OkStatus();
    restore_ =
        std::make_unique<TableRestore>(client_, session_.get(), reader_->id(), options_.jobs);
    ASSIGN_OR_RETURN(RestoreAction action, restore_->Decide(table.name, options_.if_exists));
    if (action != RestoreAction::kCreate) {
      line_.Wipe();
      PrintMessage(fmt::format("table {} {}", table.name, WordOf(action)));
    }
    if (action == RestoreAction::kSkip) return OkStatus();
    table_ = table.name;
    active_ = true;
    has_begun_ = true;
    lines_ = 0;
    return Annotate(restore_->Begin(table, action), Object());
  }

  Status Line(std::string_view line) override {
    if (++all_lines_ % kTickEach == 0) RETURN_IF_ERROR(Tick());
    if (!active_) return OkStatus();
    ++lines_;
    return Annotate(restore_->Add(line), fmt::format("{}, cell {} of the dump", Object(), lines_));
  }

  Status EndTable(const DumpedTable&, const CellSum& sum) override {
    if (!active_) return OkStatus();
    RETURN_IF_ERROR(Annotate(restore_->End(), Object()));
    ++tables_;
    cells_ += sum.cells - restore_->skipped();
    return OkStatus();
  }

  // The summary that is printed at the end of a run.
  std::string Summary() const {
    return fmt::format("{}, {} restored", query::Plural(tables_, "table"),
                       query::Plural(cells_, "cell"));
  }
  // True once a table was created, continued or dropped.
  bool has_begun() const { return has_begun_; }
  void WipeProgress() { line_.Wipe(); }

 private:
  std::string Object() const { return fmt::format("table {}", table_); }
  Status Tick() {
    query::Progress progress;
    progress.cells_read = all_lines_;
    bool known = cells_expected_ > 0 && all_lines_ <= cells_expected_;
    if (known) {
      progress.share = static_cast<double>(all_lines_) / static_cast<double>(cells_expected_);
    }
    line_.Show(progress);
    return CheckInterrupt();
  }

  cluster::Client* const client_;
  const RestoreOptions& options_;
  DumpReader* const reader_;
  const std::function<bool(const std::string&)> is_wanted_;
  const uint64_t cells_expected_;
  const std::unique_ptr<query::Session> session_;
  ProgressLine line_;
  std::unique_ptr<TableRestore> restore_;
  std::string table_;
  bool active_ = false;  // true if the current lines belong to a table that is restored
  bool has_begun_ = false;
  uint64_t lines_ = 0;  // lines of the current table
  uint64_t all_lines_ = 0;
  uint64_t tables_ = 0, cells_ = 0;
};

}  // namespace

bool RestoreRun::IsWanted(const std::string& table) const {
  const std::vector<std::string>& wanted = options_.tables;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), table) != wanted.end();
}

Status RestoreRun::CheckNames() const {
  std::vector<std::string> names;
  for (const auto& [name, cells] : tables_) names.push_back(name);
  for (const std::string& name : options_.tables) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string near = query::NearestWord(name, names);
    return NotFound(fmt::format("table {}: not found in {}{}", name, options_.from,
                                near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  return OkStatus();
}

Status RestoreRun::Check() {
  if (options_.from == "-") {
    return options_.dry_run ? InvalidArgument("--dry-run reads a file or a folder, not stdin")
                            : OkStatus();
  }
  DumpReader reader(files_, options_.from);
  Listing listing(&tables_);
  RETURN_IF_ERROR(reader.Read(&listing));
  dump_id_ = reader.id();
  for (const auto& [name, cells] : tables_) cells_ += cells;
  return CheckNames();
}

// Decides about all tables before the first is changed. Prints every refusal, so that the user can
// resolve all of them at once.
Status RestoreRun::DecideAll(cluster::Client* client) {
  uint64_t refused = 0;
  Status first;
  for (const auto& [name, cells] : tables_) {
    if (!IsWanted(name)) continue;
    StatusOr<RestoreAction> action = RestoreAction::kCreate;
    if (client != nullptr) {
      TableRestore restore(client, nullptr, dump_id_, 1);
      action = restore.Decide(name, options_.if_exists);
    }
    if (!action.ok()) {
      if (refused++ == 0) first = action.status();
      if (refused > 1) PrintMessage("sippar restore", MessageOf(action.status()));
    } else if (options_.dry_run) {
      fmt::print("{}: {}, {}\n", name, query::Plural(cells, "cell"), WordOf(*action));
    }
  }
  return first;
}

Status RestoreRun::Restore(cluster::Client* client) {
  RETURN_IF_ERROR(DecideAll(client));
  if (options_.dry_run) return OkStatus();
  DumpReader reader(files_, options_.from);
  Restoring restoring(
      client, options_, &reader, [this](const std::string& table) { return IsWanted(table); },
      cells_);
  Status status = reader.Read(&restoring);
  restoring.WipeProgress();
  PrintMessage(restoring.Summary());
  if (status.ok() || !restoring.has_begun()) return status;
  return Status(status.code(), fmt::format("{}; to go on: the same command with --if-exists skip",
                                           MessageOf(status)));
}

}  // namespace sippar::cli
