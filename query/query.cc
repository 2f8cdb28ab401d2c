// SPDX-License-Identifier: Apache-2.0
#include "query/query.h"

#include <fmt/format.h>

#include "query/analyze/compile.h"
#include "query/execute/backup_statement.h"
#include "query/execute/cancel_statement.h"
#include "query/execute/explain.h"
#include "query/execute/gathered_rows.h"
#include "query/execute/reshape_statement.h"
#include "query/execute/schema_statement.h"
#include "query/execute/select.h"
#include "query/execute/show.h"
#include "query/execute/tail.h"
#include "query/execute/transaction.h"
#include "query/execute/transfer.h"
#include "query/execute/write.h"
#include "query/parse/parse.h"
#include "query/session/query_error.h"
#include "query/session/session.h"
#include "query/session/statement_reporter.h"
#include "query/syntax/ast_print.h"
#include "query/syntax/named_table.h"

namespace sippar::query {
namespace {

// The error for a statement that the grammar accepts but that is not supported: the reason, and
// what to do instead.
Status RefuseOther(const syntax::Other& other) {
  return ErrorAt("UNSUPPORTED", {},
                 fmt::format("{} is not supported: a client that can connect may read and write "
                             "every table",
                             other.name),
                 "the permissions of the directory, or `serve --tls-ca`, decide which client can",
                 StatusCode::kUnimplemented);
}

// Chooses the function that executes each kind of statement. Every kind has an overload, even those
// that are not supported, so that a new kind does not compile until it has one.
struct Dispatcher {
  const StatementContext& context;

  Status operator()(const syntax::Select& s) const { return ExecuteSelect(context, s); }
  Status operator()(const syntax::Tail& s) const { return ExecuteTail(context, s); }
  Status operator()(const syntax::Insert& s) const { return ExecuteInsert(context, s); }
  Status operator()(const syntax::Update& s) const { return ExecuteUpdate(context, s); }
  Status operator()(const syntax::Delete& s) const { return ExecuteDelete(context, s); }
  Status operator()(const syntax::Increment& s) const { return ExecuteIncrement(context, s); }
  Status operator()(const syntax::Append& s) const { return ExecuteAppend(context, s); }
  Status operator()(const syntax::Atomic& s) const { return ExecuteAtomic(context, s); }
  Status operator()(const syntax::BeginRow& s) const { return ExecuteBegin(context, s); }
  Status operator()(const syntax::Commit&) const { return ExecuteCommit(context); }
  Status operator()(const syntax::Rollback&) const { return ExecuteRollback(context); }
  Status operator()(const syntax::CreateTable& s) const { return ExecuteCreateTable(context, s); }
  Status operator()(const syntax::AlterTable& s) const { return ExecuteAlterTable(context, s); }
  Status operator()(const syntax::DropTable& s) const { return ExecuteDropTable(context, s); }
  Status operator()(const syntax::Show& s) const { return ExecuteShow(context, s); }
  Status operator()(const syntax::Describe& s) const { return ExecuteDescribe(context, s); }
  Status operator()(const syntax::Import& s) const { return ExecuteImport(context, s); }
  Status operator()(const syntax::Export& s) const { return ExecuteExport(context, s); }
  Status operator()(const syntax::SetOption& s) const { return ExecuteSet(context, s); }
  Status operator()(const syntax::ResetOption& s) const { return ExecuteReset(context, s); }
  Status operator()(const syntax::Compact& s) const { return ExecuteCompact(context, s); }
  Status operator()(const syntax::Flush& s) const { return ExecuteFlush(context, s); }
  Status operator()(const syntax::SplitTable& s) const { return ExecuteSplit(context, s); }
  Status operator()(const syntax::MergeTablets& s) const { return ExecuteMerge(context, s); }
  Status operator()(const syntax::MoveTablet& s) const { return ExecuteMove(context, s); }
  Status operator()(const syntax::Balance& s) const { return ExecuteBalance(context, s); }
  Status operator()(const syntax::Backup& s) const { return ExecuteBackup(context, s); }
  Status operator()(const syntax::Restore& s) const { return ExecuteRestore(context, s); }
  Status operator()(const syntax::AlterBackup& s) const { return ExecuteAlterBackup(context, s); }
  Status operator()(const syntax::DropBackup& s) const { return ExecuteDropBackup(context, s); }
  Status operator()(const syntax::Cancel& s) const { return ExecuteCancel(context, s); }
  Status operator()(const syntax::Explain& s) const { return ExecuteExplain(context, s); }
  Status operator()(const syntax::Other& s) const { return RefuseOther(s); }
};

// Options of the calls that complete names. Their timeout is short: the user types meanwhile, and
// must not wait long for a server that does not answer.
const cluster::CallOptions kWhileTyping{.cancel = nullptr, .timeout_us = 1'000'000};

constexpr const char* kPerhapsWritten =
    "its rows, and those of the INSERTs after it, may be written";

class ClientSession final : public Session {
 public:
  ClientSession(cluster::Client* client, const SessionOptions& options)
      : own_reporter_(options.reporter == nullptr ? std::make_unique<StatementReporter>(client)
                                                  : nullptr),
        reporter_(options.reporter == nullptr ? own_reporter_.get() : options.reporter) {
    state_.client = client;
    state_.files = options.files;
    state_.settings.timeout_us = options.timeout_us;
    if (options.cancel != nullptr) state_.cancel = options.cancel;
  }

  StatusOr<ResultSummary> Execute(std::string_view text, ResultSink* sink) override {
    // Parsing can be cancelled and can time out, too: a statement may be 16 MiB long. The timeout
    // covers parsing and execution together.
    engine::StopSignal stop = StopFromNow();
    auto statement = ParseStatement(text, &stop);
    if (!statement.ok()) {
      // Run, which clears the cancel flag at its end, is not called for this statement.
      ClearCancel();
      return statement.status();
    }
    return Run(*statement, text, stop, sink);
  }

  StatusOr<ResultSummary> Execute(const syntax::Statement& statement, std::string_view text,
                                  ResultSink* sink) override {
    return Run(statement, text, StopFromNow(), sink);
  }

  std::vector<StatusOr<ResultSummary>> ExecuteTogether(
      const std::vector<Parsed>& inserts) override {
    GatheredRows gathered(state_.client, state_.cancel);
    state_.gathered = &gathered;
    std::vector<StatusOr<ResultSummary>> answers;
    for (const Parsed& insert : inserts) {
      gathered.Begin(answers.size());
      answers.push_back(Run(*insert.statement, insert.text, StopFromNow(), nullptr));
      if (!answers.back().ok()) break;
    }
    state_.gathered = nullptr;
    const std::map<size_t, Status> failed = gathered.Finish();
    // A Cancel that came during Finish must not end a later statement.
    ClearCancel();
    // If an earlier statement failed while the last one ran, the last one was not executed.
    const bool is_last_begun =
        failed.empty() || answers.back().ok() || failed.contains(answers.size() - 1);
    if (!is_last_begun) answers.pop_back();
    for (const auto& [number, status] : failed) {
      // The error comes from a tablet, so it has no place in the text. It gets the place of the
      // table's name.
      const auto& insert = std::get<syntax::Insert>(inserts[number].statement->node);
      const Status placed = WithQueryCode(status, insert.table.span);
      answers[number] = LineIn(inserts[number].text, HintIfInterrupted(placed, kPerhapsWritten));
    }
    return answers;
  }

  void SetParameter(const std::string& name, Value value) override {
    state_.parameters[name] = std::move(value);
  }
  void RemoveParameter(const std::string& name) override { state_.parameters.erase(name); }
  const std::map<std::string, Value>& parameters() const override { return state_.parameters; }

  void Cancel() override { state_.cancel->store(true, std::memory_order_relaxed); }
  void ClearCancel() override { state_.cancel->store(false, std::memory_order_relaxed); }
  Progress progress() const override {
    return {state_.tablets_done, state_.tablets, state_.rows_read, state_.cells_read};
  }

  std::string transaction() const override {
    if (!state_.transaction) return "";
    return fmt::format("{} {}", state_.transaction->table, QuoteValue(state_.transaction->row));
  }
  std::vector<std::string> TableNames() override {
    std::vector<std::string> names;
    auto tables = state_.client->admin()->Do(cluster::calls::ListTables{}, kWhileTyping);
    // Completion runs while the user types, so an error only means that no names are offered.
    if (!tables.ok()) return names;
    for (const cluster::TableInfo& table : *tables) names.push_back(table.schema.name);
    return names;
  }
  std::vector<std::string> FamilyNames(const std::string& table) override {
    std::vector<std::string> names;
    auto info = state_.client->admin()->Do(cluster::calls::GetTable{table}, kWhileTyping);
    if (!info.ok()) return names;
    for (const engine::FamilySchema& family : info->schema.families) names.push_back(family.name);
    return names;
  }
  std::vector<std::string> StatementIds() override {
    std::vector<std::string> ids;
    auto statements = state_.client->admin()->Do(cluster::calls::ListStatements{}, kWhileTyping);
    if (!statements.ok()) return ids;
    for (const cluster::StatementInfo& statement : *statements) ids.push_back(statement.id);
    return ids;
  }

 private:
  StatusOr<ResultSummary> Run(const syntax::Statement& statement, std::string_view text,
                              const engine::StopSignal& stop, ResultSink* sink) {
    ResultSummary summary;
    engine::Clock* clock = state_.client->clock();
    int64_t start_nanos = clock->MonotonicNanos();
    StatementContext context;
    context.session = &state_;
    context.text = text;
    context.now_us = clock->NowMicros();
    context.stop = stop;
    context.sink = sink;
    context.summary = &summary;
    StartStatement();
    StatementReporter::Scope reported(
        reporter_, {text, syntax::NamedTable(statement), state_.cancel, &state_.rows_read});
    // A Cancel that arrived between two statements ends this one: Ctrl-C would otherwise do nothing
    // while a script moves from one statement to the next.
    Status status = state_.cancel->load() ? Cancelled("the statement was cancelled before it began")
                                          : std::visit(Dispatcher{context}, statement.node);
    status = reported.End(status);
    // One Cancel ends one statement, even if it came too late to have an effect.
    ClearCancel();
    // Measured by the monotonic clock: a wall clock may be set while the statement runs.
    summary.elapsed_us = (clock->MonotonicNanos() - start_nanos) / 1000;
    summary.rows_read = state_.rows_read;
    summary.cells_read = state_.cells_read;
    // An error of an expression that fails while it runs has only byte offsets. LineIn computes its
    // line and column from `text`.
    if (!status.ok()) return LineIn(text, WithQueryCode(status));
    return summary;
  }

  // The session's cancel flag, and a deadline counted from now if the session has a timeout.
  engine::StopSignal StopFromNow() const {
    engine::StopSignal stop{state_.cancel.get(), state_.client->clock()};
    if (state_.settings.timeout_us > 0) {
      stop.deadline_nanos = stop.clock->MonotonicNanos() + state_.settings.timeout_us * 1000;
    }
    return stop;
  }
  void StartStatement() {
    state_.tablets_done = 0;
    state_.tablets = 0;
    state_.rows_read = 0;
    state_.cells_read = 0;
    state_.read_counters = {};
  }

  SessionState state_;
  const std::unique_ptr<StatementReporter> own_reporter_;  // null: it is not this session's own
  StatementReporter* const reporter_;
};

}  // namespace

std::unique_ptr<Session> Session::New(cluster::Client* client, const SessionOptions& options) {
  return std::make_unique<ClientSession>(client, options);
}

}  // namespace sippar::query
