// SPDX-License-Identifier: Apache-2.0
#include "engine/model/change_config.h"

#include <fmt/format.h>

#include <charconv>

namespace sippar::engine {

std::optional<ChangeStreamConfig> ChangeStreamOf(const TableSchema& schema) {
  auto option = schema.options.find(kChangeStreamOption);
  if (option == schema.options.end()) return std::nullopt;
  const char* limit = option->second.data() + option->second.size();
  ChangeStreamConfig config;
  auto retention = std::from_chars(option->second.data(), limit, config.retention_us);
  if (retention.ec != std::errc() || retention.ptr == limit) return std::nullopt;
  auto since = std::from_chars(retention.ptr + 1, limit, config.since_us);
  return since.ec == std::errc() ? std::optional(config) : std::nullopt;
}

void SetChangeStream(const std::optional<ChangeStreamConfig>& config, TableSchema* schema) {
  if (!config.has_value()) {
    schema->options.erase(kChangeStreamOption);
    return;
  }
  schema->options[kChangeStreamOption] =
      fmt::format("{}/{}", config->retention_us, config->since_us);
}

Status ValidateChangeStream(const TableSchema& schema) {
  auto config = ChangeStreamOf(schema);
  if (!config.has_value()) return OkStatus();
  if (config->retention_us >= kChangesKeptMinUs && config->retention_us <= kChangesKeptMaxUs) {
    return OkStatus();
  }
  return InvalidArgument(
      fmt::format("change stream of table {}: the retention is {} s; 1 to 7 days are allowed",
                  schema.name, config->retention_us / 1'000'000));
}

}  // namespace sippar::engine
