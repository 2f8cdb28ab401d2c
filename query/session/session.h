// What a session keeps between statements: settings, parameters, the open row transaction, the
// cancel flag. Used by analyze, plan and execute. One thread executes statements; other threads may
// use only the cancel flag and the progress counters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/client.h"
#include "engine/base/stop_signal.h"
#include "query/session/file_access.h"
#include "query/session/result.h"

namespace sippar::query {

class GatheredRows;

struct Settings {
  uint32_t versions = 1;           // versions per column for a query without VERSIONS; 0: all
  int64_t timezone_us = 0;         // offset of times without a zone, east of UTC
  bool safe_updates = true;        // refuse UPDATE and DELETE without a test on row
  int64_t timeout_us = 0;          // longest run of a statement; 0: no limit
  uint64_t sort_memory_bytes = 0;  // memory for ORDER BY without LIMIT; 0: no such sort is allowed
};

// One line of SHOW SESSION.
struct SettingLine {
  std::string name;
  std::string value;
  std::string default_value;
  std::string meaning;
};

std::vector<SettingLine> DescribeSettings(const Settings& settings);
// Sets one setting. False if there is no such setting; kInvalidArgument for a value that it does
// not accept.
[[nodiscard]] StatusOr<bool> ChangeSetting(std::string_view name, const Value& value,
                                           Settings* settings);
// Gives one setting its default value. False if there is no such setting.
[[nodiscard]] bool ResetSetting(std::string_view name, Settings* settings);
std::vector<std::string> SettingNames();

// The open transaction of BEGIN ROW … COMMIT. Writes are held back here. Each read is kept with a
// digest of its result, and COMMIT applies the writes only if all reads would still have the same
// result.
struct RowTransaction {
  std::string table;
  std::string row;
  engine::RowMutation writes;
  std::vector<cluster::ReadCheck> checks;
  uint64_t cells_set = 0;
};

struct SessionState {
  cluster::Client* client = nullptr;
  FileAccess* files = nullptr;
  Settings settings;
  std::map<std::string, Value> parameters;
  std::optional<RowTransaction> transaction;
  // Prefix that table names have in the cluster but not in statements. The session can use only
  // tables whose names begin with it. nullopt: statements write the full names.
  std::optional<std::string> table_prefix;
  std::string key_column = "row";  // name of the row key in the columns of `*`
  cluster::CancelFlag cancel = std::make_shared<std::atomic<bool>>(false);

  // Takes the rows of INSERT statements that are executed together; null: each statement sends its
  // rows.
  GatheredRows* gathered = nullptr;

  // Progress of the running statement.
  std::atomic<uint64_t> tablets_done{0}, tablets{0}, rows_read{0}, cells_read{0};
  engine::ReadCounters read_counters;  // touched only by the thread that executes the statement
};

// The data of one statement: the session, its text, and NOW(), which stays the same throughout.
struct StatementContext {
  SessionState* session = nullptr;
  std::string_view text;
  int64_t now_us = 0;
  engine::StopSignal stop;           // the session's cancel flag and the statement's deadline
  ResultSink* sink = nullptr;        // receiver of the rows; null: the caller wants no rows
  ResultSummary* summary = nullptr;  // null: the statement is only analyzed
  size_t tablets_max = 0;  // the most tablets that are read at once; 0: scatter.cc chooses

  cluster::Client* client() const { return session->client; }
  // Make one call of the cluster, with CallOptions(): Ctrl-C and the statement's timeout end it.
  template <class Call>
  [[nodiscard]] auto DoAdmin(const Call& call) const {
    return client()->admin()->Do(call, CallOptions());
  }
  template <class Call>
  [[nodiscard]] auto DoData(const Call& call) const {
    return client()->data()->Do(call, CallOptions());
  }
  // Options that pass the cancel flag and the time left to a call of the cluster.
  [[nodiscard]] cluster::CallOptions CallOptions() const;
  // kCancelled or kDeadlineExceeded if the statement must end. Loops that run long call it.
  [[nodiscard]] Status CheckStop() const { return stop.Check(); }
};

}  // namespace sippar::query
