// Parses values of @parameters from the command line and \set: "n=text", "n:INT64=42".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::cli {

// Returns the name and the value. Without a type the value is TEXT, taken unchanged. Types: TEXT,
// BYTES (with \xHH escapes), INT64, FLOAT64, BOOL, TIMESTAMP, DATE, DURATION.
[[nodiscard]] StatusOr<std::pair<std::string, engine::Value>> ParseParameter(
    const std::string& definition);

}  // namespace sippar::cli
