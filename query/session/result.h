// What a statement answers: columns, rows in batches, a summary. Pushed to a ResultSink, so that
// large results never pile up. Used by the shell, the output formats and tests.
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
  std::string name;       // alias, or the text of the item
  engine::DataType type;  // as far as it is known before
};

// What the statement is; the shell chooses formats and prompts by it.
enum class ResultKind : uint8_t { kRows, kDone };

struct ResultSummary {
  ResultKind kind = ResultKind::kDone;
  std::string tag;                   // "1 row, 5 cells written"; "" for results with rows
  std::vector<std::string> notices;  // hints, one line each
  std::vector<QueryError> warnings;  // about places of the statement, in the form of errors
  std::string next;                  // "AFTER ROW 'k'" when the result was cut by LIMIT
  std::optional<bool> applied;       // of IF conditions
  uint64_t rows = 0;                 // given to the sink
  uint64_t rows_read = 0;            // looked at by the tablets
  uint64_t cells_read = 0;
  int64_t elapsed_us = 0;
};

struct Progress {
  uint64_t tablets_done = 0;
  uint64_t tablets = 0;
  uint64_t rows_read = 0;
  uint64_t cells_read = 0;
  double share = -1;  // of the work, 0 to 1; below 0 when it is not known
};

// All calls come from the thread that executes the statement.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  // Once, before any rows, for statements that have rows (also when there will be none).
  virtual void Begin(const std::vector<ResultColumn>& columns) = 0;
  // False: enough, end the statement (it still succeeds).
  virtual bool Rows(std::vector<Row> rows) = 0;
  // Now and then during long scans, at least once per tablet.
  virtual void OnProgress(const Progress&) {}
};

// Keeps everything: for tests and small results.
struct ResultTable final : ResultSink {
  std::vector<ResultColumn> columns;
  std::vector<Row> rows;
  void Begin(const std::vector<ResultColumn>& result_columns) override { columns = result_columns; }
  bool Rows(std::vector<Row> batch) override {
    for (Row& row : batch) rows.push_back(std::move(row));
    return true;
  }
};

}  // namespace sippar::query
