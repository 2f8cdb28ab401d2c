// StatementReporter: tells the master which statements of one client are under way, for SHOW
// QUERIES, and ends those that CANCEL names (cluster/api/statement_calls.h).
//
// A thread that starts with the first statement looks at them ten times a second, and reports those
// that run for 0.1 s or longer. So a short statement makes no call, and costs a mutex and two looks
// at the clock. While nothing runs, the thread sleeps. Calls to the master are made only while a
// reported statement runs; an error of such a call delays the next report and nothing else.
//
// Thread safe. No call to the cluster is made under the mutex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/call_options.h"
#include "cluster/client/client.h"
#include "engine/base/thread.h"

namespace sippar::query {

// The values stay valid until the statement has ended.
struct ReportedStatement {
  std::string_view text;
  std::string_view table;      // the first table that it names; "": none
  cluster::CancelFlag cancel;  // set when CANCEL names the statement
  const std::atomic<uint64_t>* rows_read = nullptr;
};

class StatementReporter {
 public:
  // `client` outlives this object.
  explicit StatementReporter(cluster::Client* client);
  ~StatementReporter();  // no statement may be under way
  StatementReporter(const StatementReporter&) = delete;
  StatementReporter& operator=(const StatementReporter&) = delete;

 private:
  struct Running {
    ReportedStatement statement;
    int64_t begin_nanos = 0;
    std::string id;            // "" until the statement is reported
    std::string cancelled_by;  // the process whose CANCEL named it; "": none
  };

 public:
  // A statement under way, from its construction to End.
  class Scope {
   public:
    Scope(StatementReporter* reporter, const ReportedStatement& statement)
        : reporter_(reporter), at_(reporter->Begin(statement)) {}
    // To be called once, with the outcome of the statement, while its cancel flag is still as it
    // was. Returns the outcome; in place of the kCancelled that CANCEL caused, an error that says
    // so, and keeps the hint.
    [[nodiscard]] Status End(const Status& outcome) { return reporter_->End(at_, outcome); }

   private:
    StatementReporter* const reporter_;
    const std::list<Running>::iterator at_;
  };

  // Name of this process for people to read: "process 4711 on HOST".
  static std::string ProcessName();

 private:
  std::list<Running>::iterator Begin(const ReportedStatement& statement);
  Status End(std::list<Running>::iterator at, const Status& outcome);
  void Work();
  // The statements to report now. Gives ids to those that have none.
  std::vector<cluster::StatementInfo> LongOnes() REQUIRES(mutex_);
  // Reports and carries out the orders. The mutex is released during the call.
  void Report(std::vector<cluster::StatementInfo> statements, int64_t timeout_us) REQUIRES(mutex_);
  void Obey(const cluster::StatementOrder& order) REQUIRES(mutex_);

  cluster::Client* const client_;
  const uint64_t number_;  // random
  const std::string id_prefix_;
  const std::string host_;
  const cluster::CancelFlag ends_call_;  // true: a report in flight is given up

  engine::Mutex mutex_;
  engine::CondVar woken_;   // the thread has something to do
  engine::CondVar called_;  // is_calling_ has become false
  std::list<Running> running_ GUARDED_BY(mutex_);
  uint64_t reported_ GUARDED_BY(mutex_) = 0;  // statements that got ids so far
  bool is_asleep_ GUARDED_BY(mutex_) = false;
  bool is_calling_ GUARDED_BY(mutex_) = false;
  bool is_failing_ GUARDED_BY(mutex_) = false;  // the last report got no good answer
  bool is_ending_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_ GUARDED_BY(mutex_);
  bool has_thread_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::query
