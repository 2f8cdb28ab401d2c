// The path of JSON_VALUE and JSON_QUERY, such as $.a.b[0] or $."a-b"['c.d'], and what it finds in a
// JSON text. The text is read once and never held as a tree: memory is bounded by what is found, by
// the longest string, and by a bit for each open object or list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"

namespace sippar::engine {

struct JsonStep {
  std::optional<uint64_t> item;  // index in a list, from 0; nullopt: `key` of an object
  std::string key;
  bool operator==(const JsonStep&) const = default;
};
using JsonPath = std::vector<JsonStep>;  // empty: the whole text

// Error BAD_PATH, with the position of the mistake, if `text` is not a path.
[[nodiscard]] StatusOr<JsonPath> ParseJsonPath(std::string_view text);

enum class JsonForm : uint8_t {
  kScalar,  // content of a string, a number as written, true or false; no object or list
  kJson,    // any value, as JSON without blanks
};
// Returns the value at `path`. nullopt if it is missing, null or not of `form`, or if `json` is not
// JSON (RFC 8259) from its begin to its end. If an object has equal keys, the first counts. The
// only errors are those of `budget`, which may be null.
[[nodiscard]] StatusOr<std::optional<std::string>> FindInJson(std::string_view json,
                                                              const JsonPath& path, JsonForm form,
                                                              StopBudget* budget);

}  // namespace sippar::engine
