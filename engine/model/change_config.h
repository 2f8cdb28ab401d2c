// The change stream setting of a table. It is stored as an option of the table's schema, and so is
// altered, saved and sent with the schema. Plain data; times are in microseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::engine {

inline constexpr const char* kChangeStreamOption = "CHANGE_STREAM";  // value "<retention>/<since>"

struct ChangeStreamConfig {
  int64_t retention_us = 0;  // kChangesKeptMinUs to kChangesKeptMaxUs
  int64_t since_us = 0;      // changes from this time on are kept; 0: not started yet
  bool operator==(const ChangeStreamConfig&) const = default;
};

inline constexpr int64_t kChangesKeptMinUs = int64_t{24} * 3600 * 1'000'000;
inline constexpr int64_t kChangesKeptMaxUs = 7 * kChangesKeptMinUs;
// Files of changes are kept this much longer than the retention, so that a reader that started
// within the retention has time to finish.
inline constexpr int64_t kChangesGraceUs = int64_t{3600} * 1'000'000;

// nullopt: the table has no change stream.
std::optional<ChangeStreamConfig> ChangeStreamOf(const TableSchema& schema);
void SetChangeStream(const std::optional<ChangeStreamConfig>& config, TableSchema* schema);
// kInvalidArgument: the retention is below kChangesKeptMinUs or above kChangesKeptMaxUs.
[[nodiscard]] Status ValidateChangeStream(const TableSchema& schema);

}  // namespace sippar::engine
