// Holds the part of StatementRunner that runs adjacent INSERT statements of a script together.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/exit_code.h"
#include "cli/signals.h"
#include "cli/statement_runner.h"
#include "query/execute/gathered_rows.h"
#include "query/session/query_error.h"

namespace sippar::cli {
namespace {

using query::StatementText;

// Limit of statements in one run; bounds the memory of their syntax trees.
constexpr size_t kTogetherMax = 1000;

// True for most INSERT statements, false for all other statements. RunSome parses several
// statements before it runs them only if this function returns true for each of them.
bool BeginsInsert(const StatementText& statement) {
  constexpr std::string_view kInsert = "INSERT";
  return !statement.meta && statement.text.size() > kInsert.size() &&
         strncasecmp(statement.text.data(), kInsert.data(), kInsert.size()) == 0;
}

}  // namespace

bool StatementRunner::MayRunTogether() const {
  const bool is_seen = settings_.interactive || settings_.echo || output_settings_->timing;
  return !is_seen && settings_.timeout_us == 0 && !settings_.fail_on_unapplied &&
         (store_->session() == nullptr || store_->session()->transaction().empty());
}

int StatementRunner::RunSome(std::span<const StatementText> statements, const ScriptPlace& place,
                             size_t* done) {
  *done = 1;
  if (!BeginsInsert(statements[0]) || !MayRunTogether()) return Run(statements[0], place);
  std::vector<query::syntax::Statement> inserts;
  std::optional<ParsedText> other;  // the first statement that cannot run together with `inserts`
  while (inserts.size() < std::min(kTogetherMax, statements.size()) &&
         BeginsInsert(statements[inserts.size()])) {
    ParsedText parsed = Parse(statements[inserts.size()]);
    if (!parsed.tree.ok() || !query::IsPlainInsert(*parsed.tree)) {
      other = std::move(parsed);
      break;
    }
    inserts.push_back(*std::move(parsed.tree));
  }
  int code = kExitOk;
  if (!inserts.empty()) code = RunInserts(inserts, statements, place, done);
  // An error of the inserts is reported first, and the statement after them does not run.
  if (other && code == kExitOk) {
    *done = inserts.size() + 1;
    code = RunParsed(*other, statements[inserts.size()], place);
  }
  last_ = std::string(statements[*done - 1].text);
  return code;
}

int StatementRunner::RunInserts(const std::vector<query::syntax::Statement>& inserts,
                                std::span<const StatementText> statements, const ScriptPlace& place,
                                size_t* done) {
  if (Status opened = OpenFor(inserts[0]); !opened.ok()) {
    PrintError(opened);
    return opened.code() == StatusCode::kCancelled ? kExitInterrupted : kExitNoStore;
  }
  std::vector<query::Session::Parsed> asked;
  for (size_t i = 0; i < inserts.size(); ++i) asked.push_back({&inserts[i], statements[i].text});
  CancelScope cancel(store_->session(), 0);
  const auto answers = store_->session()->ExecuteTogether(asked);
  std::string tags;
  int code = kExitOk;
  for (*done = 0; *done < answers.size() && code == kExitOk; ++*done) {
    const auto& answer = answers[*done];
    if (answer.ok()) {
      PrintWarnings(*answer, statements[*done], place);
      for (const std::string& notice : answer->notices) {
        tags += "note: " + engine::PrintEscaped(notice) + "\n";
      }
      if (!settings_.quiet) tags += engine::PrintEscaped(answer->tag) + "\n";
    } else {
      code = ExitCodeOf(answer.status(), cancel.interrupted(), false);
    }
  }
  fmt::print(stderr, "{}", tags);
  if (code == kExitInterrupted) {
    fmt::print(stderr, "cancelled; the statements before line {} are executed\n",
               place.first_line + statements[*done - 1].line - 1);
  }
  if (code == kExitOk) return code;
  const Status& error = answers[*done - 1].status();
  // As Execute does for a statement that runs alone: the error of a cancelled statement is printed
  // only if it has a hint. Without a hint it says no more than the line above.
  if (code != kExitInterrupted || !query::QueryErrorOf(error).hint.empty()) {
    PrintError(error, statements[*done - 1], place);
  }
  return code;
}

}  // namespace sippar::cli
