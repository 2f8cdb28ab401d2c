// SPDX-License-Identifier: Apache-2.0
#include "query/session/statement_reporter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "engine/base/machine_name.h"
#include "engine/base/trace_id.h"
#include "engine/base/utf8.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

// How often statements are reported, and how long they must have run. CANCEL reaches a statement
// within this time, and the statement ends soon after.
constexpr int64_t kPeriodUs = 100'000;
constexpr int64_t kAfterFailureUs = 1'000'000;  // until the next report if one got no answer
constexpr int64_t kCallUs = 1'000'000;          // time limit of a report
// Time limit of the report at the end of a statement, for which the statement waits.
constexpr int64_t kLastCallUs = 200'000;
constexpr size_t kTextMax = 400;  // bytes

// Five characters that are hard to mistake for each other: 28 million prefixes.
std::string PrefixOf(uint64_t number) {
  constexpr std::string_view kLetters = "abcdefghjkmnpqrstuvwxyz23456789";
  std::string prefix;
  for (int i = 0; i < 5; ++i, number /= kLetters.size()) {
    prefix.push_back(kLetters[number % kLetters.size()]);
  }
  return prefix;
}

// The beginning of `text`, which ends with a whole character of UTF-8.
std::string Cut(std::string_view text) {
  if (text.size() <= kTextMax) return std::string(text);
  size_t size = kTextMax;
  while (size > 0 && engine::IsContinuation(text[size])) --size;
  return std::string(text.substr(0, size)) + "…";
}

// The error of a statement that CANCEL has ended with `outcome`, which may say what was done so
// far.
Status CancelledBy(std::string_view by, std::string_view id, const Status& outcome) {
  QueryError error = QueryErrorOf(outcome);
  const std::string said = error.message;
  error.message = fmt::format("cancelled by CANCEL '{}' of {}", id, by);
  // What the engine says to every cancelled call (engine/base/stop_signal.h) adds nothing.
  if (said != "the call was cancelled") error.message += ": " + said;
  return ToStatus(error, StatusCode::kCancelled);
}

}  // namespace

std::string StatementReporter::ProcessName() {
  return fmt::format("process {} on {}", ::getpid(), engine::MachineName());
}

StatementReporter::StatementReporter(cluster::Client* client)
    : client_(client),
      number_(engine::TraceId::New().low),
      id_prefix_(PrefixOf(number_)),
      host_(engine::MachineName()),
      ends_call_(std::make_shared<std::atomic<bool>>(false)) {}

StatementReporter::~StatementReporter() {
  engine::Thread thread;
  {
    engine::MutexLock lock(&mutex_);
    is_ending_ = true;
    woken_.NotifyOne();
    thread = std::move(thread_);
  }
  thread.Join();
}

std::list<StatementReporter::Running>::iterator StatementReporter::Begin(
    const ReportedStatement& statement) {
  engine::MutexLock lock(&mutex_);
  if (!std::exchange(has_thread_, true)) {
    thread_ = engine::Thread("statements", [this] { Work(); });
  }
  if (is_asleep_) woken_.NotifyOne();
  return running_.insert(running_.end(), {statement, client_->clock()->MonotonicNanos(),
                                          std::string(), std::string()});
}

// If the statement was reported, reports once more, without it: whoever waits for its end learns of
// it now, and after the last statement no call to the client is made.
Status StatementReporter::End(std::list<Running>::iterator at, const Status& outcome) {
  engine::MutexLock lock(&mutex_);
  if (!at->id.empty()) {
    // A report that hangs must not hold up the statement for long.
    while (is_calling_) {
      if (!called_.WaitFor(&mutex_, kLastCallUs)) ends_call_->store(true);
    }
    ends_call_->store(false);
  }
  const Running ended = std::move(*at);
  running_.erase(at);
  if (!ended.id.empty() && !is_failing_) Report(LongOnes(), kLastCallUs);
  if (ended.cancelled_by.empty() || outcome.code() != StatusCode::kCancelled) return outcome;
  return CancelledBy(ended.cancelled_by, ended.id, outcome);
}

void StatementReporter::Work() {
  engine::MutexLock lock(&mutex_);
  while (!is_ending_) {
    if (running_.empty()) {
      is_asleep_ = true;
      woken_.Wait(&mutex_);
      is_asleep_ = false;
      continue;
    }
    // Only the destructor wakes this wait: a statement that begins or ends meanwhile wakes no
    // thread.
    woken_.WaitFor(&mutex_, is_failing_ ? kAfterFailureUs : kPeriodUs);
    std::vector<cluster::StatementInfo> statements = LongOnes();
    if (!is_calling_ && !statements.empty()) Report(std::move(statements), kCallUs);
  }
}

std::vector<cluster::StatementInfo> StatementReporter::LongOnes() {
  const int64_t now_nanos = client_->clock()->MonotonicNanos();
  std::vector<cluster::StatementInfo> long_ones;
  for (Running& running : running_) {
    const int64_t elapsed_us = (now_nanos - running.begin_nanos) / 1000;
    if (elapsed_us < kPeriodUs) continue;
    if (running.id.empty()) running.id = fmt::format("{}-{}", id_prefix_, ++reported_);
    const ReportedStatement& statement = running.statement;
    long_ones.push_back({running.id, host_, static_cast<uint64_t>(::getpid()),
                         std::string(statement.table), Cut(statement.text), elapsed_us,
                         statement.rows_read->load(std::memory_order_relaxed)});
  }
  return long_ones;
}

void StatementReporter::Report(std::vector<cluster::StatementInfo> statements, int64_t timeout_us) {
  is_calling_ = true;
  mutex_.Unlock();
  auto orders =
      client_->admin()->Do(cluster::calls::ReportStatements{number_, std::move(statements)},
                           {.cancel = ends_call_, .timeout_us = timeout_us});
  mutex_.Lock();
  is_calling_ = false;
  called_.NotifyAll();
  is_failing_ = !orders.ok();
  if (is_failing_) return;
  for (const cluster::StatementOrder& order : *orders) Obey(order);
}

void StatementReporter::Obey(const cluster::StatementOrder& order) {
  for (Running& running : running_) {
    if (running.id != order.id) continue;
    running.cancelled_by = order.by;
    running.statement.cancel->store(true, std::memory_order_relaxed);
  }
}

}  // namespace sippar::query
