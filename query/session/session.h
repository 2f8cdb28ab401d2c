// What a session remembers between statements: settings, parameters, the open row transaction, the
// cancel flag. Used by analyze, plan and execute. SPDX-License-Identifier: Apache-2.0
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

struct Settings {
  uint32_t versions = 1;    // 0 = all
  int64_t timezone_us = 0;  // east of UTC
  bool timezone_set = false;
  bool safe_updates = true;
  int64_t timeout_us = 0;          // 0 = none
  uint64_t sort_memory_bytes = 0;  // 0: ORDER BY needs a LIMIT
};

// One line of SHOW SESSION.
struct SettingLine {
  std::string name;
  std::string value;
  std::string default_value;
  std::string meaning;
};

std::vector<SettingLine> DescribeSettings(const Settings& settings);
// False: no such setting. The value was checked by the caller's expression; a wrong one is
// kInvalidArgument.
[[nodiscard]] StatusOr<bool> ChangeSetting(std::string_view name, const Value& value,
                                           Settings* settings);
[[nodiscard]] bool ResetSetting(std::string_view name, Settings* settings);
std::vector<std::string> SettingNames();

// BEGIN ROW … COMMIT: optimistic. Writes wait here; the reads are remembered with the digest of
// what they saw, and COMMIT applies the writes only if they would see the same again.
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
  // Stands before the names of tables in the store; with it a statement reaches no others.
  std::optional<std::string> table_prefix;
  std::string key_column = "row";  // what * calls the row key
  cluster::CancelFlag cancel = std::make_shared<std::atomic<bool>>(false);

  // Progress of the statement that runs now.
  std::atomic<uint64_t> tablets_done{0}, tablets{0}, rows_read{0}, cells_read{0};
  engine::ReadCounters read_counters;  // of the thread that runs it
};

// What one statement sees: the session, its own text and its pinned time.
struct StatementContext {
  SessionState* session = nullptr;
  std::string_view text;
  int64_t now_us = 0;
  engine::StopSignal stop;  // the session's cancel flag and the statement's deadline
  ResultSink* sink = nullptr;
  ResultSummary* summary = nullptr;

  cluster::Client* client() const { return session->client; }
  [[nodiscard]] cluster::CallOptions CallOptions() const;
  // kCancelled, kDeadlineExceeded: asked by loops over the statement itself.
  [[nodiscard]] Status CheckStop() const { return stop.Check(); }
};

}  // namespace sippar::query
