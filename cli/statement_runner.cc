// SPDX-License-Identifier: Apache-2.0
#include "cli/statement_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/exit_code.h"
#include "cli/parameter.h"
#include "cli/signals.h"
#include "engine/base/utf8.h"
#include "query/format/json_value.h"
#include "query/parse/parse.h"

namespace sippar::cli {
namespace {

using query::QueryError;
using query::Span;
using query::StatementText;

// The table that a SELECT reads, which the format "insert" needs; "" for any other statement.
std::string TableOf(const query::syntax::Statement& statement) {
  const auto* select = std::get_if<query::syntax::Select>(&statement.node);
  if (select == nullptr || !select->from) return "";
  return select->from->table.text;
}

// Converts a span within the statement into a span within the script text that contains the
// statement.
void MoveSpan(Span* span, const StatementText& statement, std::string_view text) {
  if (span->line == 0) return;
  if (span->line == 1) {
    size_t line_start =
        statement.offset == 0 ? std::string_view::npos : text.rfind('\n', statement.offset - 1);
    line_start = line_start == std::string_view::npos ? 0 : line_start + 1;
    std::string_view before = text.substr(line_start, statement.offset - line_start);
    // Columns count characters: continuation bytes of UTF-8 are skipped.
    span->column += static_cast<int>(std::count_if(
        before.begin(), before.end(), [](char c) { return !engine::IsContinuation(c); }));
  }
  span->line += statement.line - 1;
  span->begin += statement.offset;
  span->end += statement.offset;
}

std::string JsonError(const QueryError& error, const ScriptPlace& place, const Status& status) {
  // The status codes after which a retry of the same statement may succeed.
  bool retryable = status.code() == StatusCode::kAborted ||
                   status.code() == StatusCode::kUnavailable ||
                   status.code() == StatusCode::kDeadlineExceeded;
  int line = error.span.line == 0 ? 0 : error.span.line + place.first_line - 1;
  return fmt::format(
      "{{\"code\":{},\"message\":{},\"file\":{},\"line\":{},\"column\":{},\"hint\":{},"
      "\"retryable\":{}}}\n",
      query::JsonText(error.code), query::JsonText(engine::PrintEscaped(error.message)),
      query::JsonText(place.name), line, error.span.column,
      query::JsonText(engine::PrintEscaped(error.hint)), retryable);
}

std::string Seconds(int64_t micros) {
  if (micros < 1'000'000) return fmt::format("{:.1f} ms", static_cast<double>(micros) / 1e3);
  return fmt::format("{:.2f} s", static_cast<double>(micros) / 1e6);
}

// Prints that the user or a time limit has ended the statement.
void PrintEnd(int exit_code, int64_t elapsed_us, uint64_t rows) {
  fmt::print(stderr, "{} after {}, {} rows shown\n",
             exit_code == kExitTimeout ? "timed out" : "cancelled", Seconds(elapsed_us), rows);
}

// True if the format's own output says how to continue a result that LIMIT cut ("AFTER ROW 'k'").
// For the other formats, that is printed to stderr.
bool ShowsNext(const std::string& format) {
  return format == "json" || format == "plain" || format == "line" || format == "box";
}

}  // namespace

void StatementRunner::PrintError(const Status& status) { PrintError(status, {}, {}); }

void StatementRunner::PrintWarnings(const query::ResultSummary& summary,
                                    const StatementText& statement, const ScriptPlace& place) {
  for (QueryError warning : summary.warnings) {
    MoveSpan(&warning.span, statement, place.text);
    fmt::print(stderr, "{}",
               query::RenderWarning(place.text, warning, place.name, place.first_line));
  }
}

void StatementRunner::PrintError(const Status& status, const StatementText& statement,
                                 const ScriptPlace& place) {
  QueryError error = query::QueryErrorOf(status);
  MoveSpan(&error.span, statement, place.text);
  for (Span& span : error.more) MoveSpan(&span, statement, place.text);
  bool json = output_settings_->format == "json" || output_settings_->format == "jsonl";
  std::string text = json ? JsonError(error, place, status)
                          : query::RenderError(place.text, error, place.name, place.first_line);
  fmt::print(stderr, "{}", text);
}

Status StatementRunner::SetParameter(const std::string& definition) {
  ASSIGN_OR_RETURN(auto parameter, ParseParameter(definition));
  // Parameters are kept here as well, because the session exists only after the store is opened
  // (OpenFor).
  parameters_[parameter.first] = parameter.second;
  if (store_->session() != nullptr) {
    store_->session()->SetParameter(parameter.first, parameter.second);
  }
  return OkStatus();
}

void StatementRunner::RemoveParameter(const std::string& name) {
  parameters_.erase(name);
  if (store_->session() != nullptr) store_->session()->RemoveParameter(name);
}

Status StatementRunner::OpenFor(const query::syntax::Statement& parsed) {
  if (store_->session() != nullptr) return OkStatus();
  // Clears a Ctrl-C of an earlier statement, which would end the wait for the store.
  ForgetInterrupt();
  RETURN_IF_ERROR(store_->Open(MakesStore(parsed)));
  for (const auto& [name, value] : parameters_) store_->session()->SetParameter(name, value);
  return OkStatus();
}

int StatementRunner::ExitCodeOf(const Status& status, bool interrupted, bool timed_out) const {
  // The most specific cause comes first: a closed pipe also makes the statement fail.
  if (output_.closed_pipe()) return kExitClosedPipe;
  if (interrupted && status.code() == StatusCode::kCancelled) return kExitInterrupted;
  if (timed_out || status.code() == StatusCode::kDeadlineExceeded) return kExitTimeout;
  if (settings_.fail_on_unapplied && query::QueryErrorOf(status).code == "ROW_CONFLICT") {
    return kExitUnapplied;
  }
  return kExitFailed;
}

std::string StatementRunner::Foot(const query::ResultSummary& summary, const RowPrinter& printer,
                                  int64_t elapsed_us) const {
  std::string foot;
  uint64_t rows = printer.rows();
  for (const std::string& notice : summary.notices) {
    foot += fmt::format("note: {}\n", engine::PrintEscaped(notice));
  }
  if (!settings_.quiet && !summary.tag.empty()) {
    foot += fmt::format("{}\n", engine::PrintEscaped(summary.tag));
  }
  if (settings_.interactive && summary.kind == query::ResultKind::kRows) {
    std::string hidden;
    if (printer.hidden() > 0) {
      hidden = fmt::format(", {} of them not shown: \\all shows them", printer.hidden());
    }
    foot += printer.left_pager()
                ? fmt::format("({} rows until the pager was left)\n", rows)
                : fmt::format("({} {}{})\n", rows, rows == 1 ? "row" : "rows", hidden);
  }
  if (output_settings_->timing) {
    foot += fmt::format("time {}, {} rows and {} cells read\n", Seconds(elapsed_us),
                        summary.rows_read, summary.cells_read);
  }
  return foot;
}

std::string StatementRunner::EndPager(std::string foot) {
  if (!output_.has_pager()) return foot;
  const bool shown = output_.Write(foot);
  output_.EndPager();
  return shown ? "" : foot;
}

void StatementRunner::PrintFoot(const std::string& foot) const {
  // In a shell on a terminal, the footer follows the rows on stdout. Otherwise it goes to stderr,
  // because the program that reads stdout expects only rows.
  FILE* file = settings_.interactive && output_.is_terminal() ? stdout : stderr;
  fmt::print(file, "{}", foot);
  std::fflush(file);
}

int StatementRunner::Execute(const query::syntax::Statement& parsed, const StatementText& statement,
                             const ScriptPlace& place) {
  int64_t start = engine::Clock::System()->MonotonicNanos();
  const bool follows = std::holds_alternative<query::syntax::Tail>(parsed.node);
  RowPrinter printer(*output_settings_, TableOf(parsed), &output_, follows);
  CancelScope cancel(store_->session(), settings_.timeout_us);
  auto summary = store_->session()->Execute(parsed, statement.text, &printer);
  int64_t elapsed_us = (engine::Clock::System()->MonotonicNanos() - start) / 1000;
  // End is called even after a failure, so that the rows before the error are shown.
  Status printed = printer.End(summary.ok() ? summary->next : "", summary.ok());
  if (output_.closed_pipe()) return kExitClosedPipe;
  const bool is_whole = summary.ok() && printed.ok();
  const std::string foot = EndPager(is_whole ? Foot(*summary, printer, elapsed_us) : "");
  if (!summary.ok()) {
    const int code = ExitCodeOf(summary.status(), cancel.interrupted(), cancel.timed_out());
    const bool is_ended = code == kExitInterrupted || (code == kExitTimeout && cancel.timed_out());
    if (is_ended) PrintEnd(code, elapsed_us, printer.rows());
    // The hint of a cancelled IMPORT says what was written and how to continue.
    if (!is_ended || !query::QueryErrorOf(summary.status()).hint.empty()) {
      PrintError(summary.status(), statement, place);
    }
    return code;
  }
  if (!printed.ok()) {
    PrintError(printed, statement, place);
    return kExitFailed;
  }
  PrintWarnings(*summary, statement, place);
  PrintFoot(foot);
  if (!summary->next.empty() && !ShowsNext(printer.FormatName())) {
    fmt::print(stderr, "next: {}\n", engine::PrintEscaped(summary->next));
  }
  bool rows_wanted = summary->kind == query::ResultKind::kRows && printer.has_columns();
  if (settings_.fail_on_empty && rows_wanted && printer.rows() == 0) return kExitUnapplied;
  if (settings_.fail_on_unapplied && summary->applied == false) return kExitUnapplied;
  return kExitOk;
}

StatementRunner::ParsedText StatementRunner::Parse(const StatementText& statement) {
  // The CancelScope lets Ctrl-C also end the parsing of a very long statement. A session may not
  // exist yet, so the parser polls a flag instead.
  CancelScope scope(nullptr, settings_.timeout_us);
  engine::StopSignal stop;
  stop.cancel = scope.stopped();
  ParsedText parsed{query::ParseStatement(statement.text, &stop), scope.timed_out()};
  // The flag is checked once more after the parsing, because the parser may reach the end of a text
  // of few but large tokens before it checks the flag.
  if (Status ended = stop.Check(); parsed.tree.ok() && !ended.ok()) parsed.tree = ended;
  return parsed;
}

int StatementRunner::Run(const StatementText& statement, const ScriptPlace& place) {
  last_ = std::string(statement.text);
  return RunText(statement, place);
}

int StatementRunner::RunForCommand(const std::string& text) {
  query::StatementText statement;
  statement.text = text;
  // Runs the text as if the user had typed it, so that rows and errors look the same.
  return RunText(statement, ScriptPlace{"", text, 1});
}

int StatementRunner::RunText(const StatementText& statement, const ScriptPlace& place) {
  if (settings_.echo) fmt::print(stderr, "{};\n", engine::PrintEscaped(statement.text));
  return RunParsed(Parse(statement), statement, place);
}

int StatementRunner::RunParsed(const ParsedText& parsed, const StatementText& statement,
                               const ScriptPlace& place) {
  const Status& status = parsed.tree.status();
  if (status.code() == StatusCode::kCancelled) {
    fmt::print(stderr, "{} while the statement was parsed\n",
               parsed.timed_out ? "timed out" : "cancelled");
    return ExitCodeOf(status, !parsed.timed_out, parsed.timed_out);
  }
  if (!status.ok()) {
    PrintError(status, statement, place);
    return kExitFailed;
  }
  if (Status opened = OpenFor(*parsed.tree); !opened.ok()) {
    PrintError(opened);
    return opened.code() == StatusCode::kCancelled ? kExitInterrupted : kExitNoStore;
  }
  return Execute(*parsed.tree, statement, place);
}

}  // namespace sippar::cli
