// The calls of AdminApi for the statements under way in all processes that use the store. A process
// reports its own statements to the master, which keeps them in memory only: after a change of the
// master the next reports bring them back. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/call.h"

namespace sippar::cluster {

struct StatementInfo {
  std::string id;          // chosen by the reporting process; unique by chance
  std::string host;        // machine that runs the statement
  uint64_t pid = 0;        // process there
  std::string table;       // the first table that the statement names; "": none
  std::string text;        // its beginning, valid UTF-8 if the statement is
  int64_t elapsed_us = 0;  // time since its start
  uint64_t rows_read = 0;  // so far

  static constexpr int kFields = 7;
};

// An order to end a statement.
struct StatementOrder {
  std::string id;
  std::string by;  // the process that asked for it, for the error of the statement

  static constexpr int kFields = 2;
};

namespace calls {

// Replaces what `client` has reported before by `statements`, and returns the orders for them. A
// client repeats the call several times a second; statements of a client that is silent for
// StatementRegistry::kSilenceUs count as ended.
struct ReportStatements {
  uint64_t client = 0;  // random number of the reporter
  std::vector<StatementInfo> statements;

  using Reply = std::vector<StatementOrder>;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = LookUpRule("ReportStatements");
};

// Lists the reported statements, those that run longest first.
struct ListStatements {
  using Reply = std::vector<StatementInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule = LookUpRule("ListStatements");
};

// Orders the end of a statement and returns what it is. Its process gets the order in the answer to
// its next report, so the statement still runs for a moment. kNotFound: no process reports this
// statement; after an earlier call with the same id, it has ended.
struct CancelStatement {
  StatementOrder order;

  using Reply = StatementInfo;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = RepeatableChangeRule("CancelStatement", TimeLimit::kShort);
};

using StatementCalls = CallList<ReportStatements, ListStatements, CancelStatement>;

}  // namespace calls
}  // namespace sippar::cluster
