// StatementRegistry: the statements that the processes of a store report as under way, and the
// orders to end some of them (cluster/api/statement_calls.h). Each call holds one mutex while it
// looks at a few records in memory, and calls nothing else meanwhile. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/api/statement_calls.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::cluster::master {

class StatementRegistry {
 public:
  // A client that is silent for longer has ended, or cannot reach this process.
  static constexpr int64_t kSilenceUs = 3'000'000;
  // Bounds of memory: later clients, and further statements of one client, are not listed.
  static constexpr size_t kClientsMax = 1'000;
  static constexpr size_t kStatementsMax = 100;

  // `clock` outlives this object.
  explicit StatementRegistry(engine::Clock* clock) : clock_(clock) {}

  std::vector<StatementOrder> Perform(const calls::ReportStatements& asked);
  std::vector<StatementInfo> Perform(const calls::ListStatements& asked);
  StatusOr<StatementInfo> Perform(const calls::CancelStatement& asked);

 private:
  struct Reported {
    int64_t heard_nanos = 0;
    std::vector<StatementInfo> statements;
    std::vector<StatementOrder> orders;  // for statements of this list
  };
  void DropSilent() REQUIRES(mutex_);
  // The statement with its time until now.
  StatementInfo Now(const Reported& client, const StatementInfo& statement) const;

  engine::Clock* const clock_;
  engine::Mutex mutex_;
  std::map<uint64_t, Reported> clients_ GUARDED_BY(mutex_);
  int64_t dropped_nanos_ GUARDED_BY(mutex_) = 0;  // when silent clients were last dropped
};

}  // namespace sippar::cluster::master
