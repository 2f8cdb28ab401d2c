// What a statement returns: columns, rows in batches, a summary. Rows are pushed to a ResultSink,
// so that a large result is never held in memory. Used by the shell, the output formats and tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/data_type.h"
#include "query/session/query_error.h"

namespace sippar::query {

using engine::Row;
using engine::Value;
using engine::ValueType;

struct ResultColumn {
  std::string name;       // alias of the item, or its text
  engine::DataType type;  // kNull: the type is not known before the rows come
};

// Whether the statement returns rows; if it does, the shell prints how many there were.
enum class ResultKind : uint8_t { kRows, kDone };

struct ResultSummary {
  ResultKind kind = ResultKind::kDone;
  std::string tag;                   // "1 row, 5 cells written"; "" if there are rows
  std::vector<std::string> notices;  // hints, one line each
  std::vector<QueryError> warnings;  // like errors, each with its place in the statement
  std::string next;                  // "AFTER ROW 'k'" if LIMIT cut the result
  std::optional<bool> applied;       // whether the IF condition held; none: there was no IF
  uint64_t rows = 0;                 // rows given to the sink
  uint64_t rows_read = 0;            // rows that the tablets read
  uint64_t cells_read = 0;           // cells that the tablets read
  int64_t elapsed_us = 0;
};

struct Progress {
  uint64_t tablets_done = 0;
  uint64_t tablets = 0;
  uint64_t rows_read = 0;
  uint64_t cells_read = 0;
  double share = -1;  // share of the work done, 0 to 1; below 0: not known
};

// Receives a result. All calls come from the thread that executes the statement.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  // A hint that must be seen before the rows come. Called before Begin; all other hints are notices
  // of the summary.
  virtual void Notice(const std::string& /*notice*/) {}
  // Called once, before any rows, by statements that return rows, even if there will be none.
  virtual void Begin(const std::vector<ResultColumn>& columns) = 0;
  // Returns false when it needs no more rows; the statement then ends early and succeeds.
  virtual bool Rows(std::vector<Row> rows) = 0;
  // Called from time to time during a scan, at least once for each tablet.
  virtual void OnProgress(const Progress&) {}
};

// Keeps the whole result in memory, for tests and small results.
struct ResultTable final : ResultSink {
  std::vector<ResultColumn> columns;
  std::vector<Row> rows;
  std::vector<std::string> notices;
  void Notice(const std::string& notice) override { notices.push_back(notice); }
  void Begin(const std::vector<ResultColumn>& result_columns) override { columns = result_columns; }
  bool Rows(std::vector<Row> batch) override {
    for (Row& row : batch) rows.push_back(std::move(row));
    return true;
  }
};

}  // namespace sippar::query
