// SPDX-License-Identifier: Apache-2.0
#include "query/execute/cancel_statement.h"

#include <fmt/format.h>

#include "query/analyze/compile.h"
#include "query/session/query_error.h"
#include "query/session/statement_reporter.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

// Longer than the master waits for a silent process, so the statement of a process that was killed
// has ended by then, too.
constexpr int64_t kWaitUs = 4'000'000;
constexpr int64_t kPollUs = 20'000;

// Gives the order again and again: the master no longer knows a statement that has ended. False: it
// has not ended in time.
StatusOr<bool> AwaitEnd(const StatementContext& context,
                        const cluster::calls::CancelStatement& order) {
  engine::Clock* clock = context.client()->clock();
  const int64_t until_nanos = clock->MonotonicNanos() + kWaitUs * 1000;
  while (clock->MonotonicNanos() < until_nanos) {
    clock->SleepMicros(kPollUs);
    RETURN_IF_ERROR(context.CheckStop());
    const Status given = context.DoAdmin(order).status();
    if (given.code() == StatusCode::kNotFound) return true;
    RETURN_IF_ERROR(given);
  }
  return false;
}

}  // namespace

Status ExecuteCancel(const StatementContext& context, const syntax::Cancel& cancel) {
  if (!cancel.kind.empty() && !SameWord(cancel.kind.text, "QUERY")) {
    return ErrorAt("BAD_OPTION", cancel.kind.span,
                   fmt::format("CANCEL takes QUERY 'id', not {}", cancel.kind.text));
  }
  ASSIGN_OR_RETURN(Value id, CompileConstant(context, cancel.id));
  if (!id.is_string()) {
    return ErrorAt(
        "TYPE", cancel.id.span,
        fmt::format("the id of a statement is TEXT, not {}", engine::TypeName(id.type())),
        "SHOW QUERIES has the ids: CANCEL 'k7fqa-1'");
  }
  const cluster::calls::CancelStatement order{
      {std::string(id.bytes()), StatementReporter::ProcessName()}};
  auto found = context.DoAdmin(order);
  if (found.status().code() == StatusCode::kNotFound) {
    return ErrorAt("NOT_FOUND", cancel.id.span,
                   fmt::format("statement {} is not under way", QuoteValue(order.order.id)),
                   "it may have ended; SHOW QUERIES lists those that run for 0.1 s or longer",
                   StatusCode::kNotFound);
  }
  RETURN_IF_ERROR(found.status());
  ASSIGN_OR_RETURN(bool has_ended, AwaitEnd(context, order));
  context.summary->tag =
      fmt::format("{} {} of process {} on {}, after {:.1f} s: {}",
                  has_ended ? "ended" : "told to end:", found->id, found->pid, found->host,
                  static_cast<double>(found->elapsed_us) / 1e6, found->text);
  if (!has_ended) {
    context.summary->notices.push_back(
        "the statement has not ended yet: it ends when its process next looks, for example when "
        "its rows are taken");
  }
  return OkStatus();
}

}  // namespace sippar::query
