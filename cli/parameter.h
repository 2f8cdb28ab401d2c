// Parses values of @parameters from the command line and \set: "n=text", "n:INT64=42".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::cli {

// Returns name and value. Without a type the value is TEXT, taken as it is. Types: TEXT, BYTES
// (with \xHH escapes), INT64, FLOAT64, BOOL, TIMESTAMP, DURATION.
[[nodiscard]] StatusOr<std::pair<std::string, engine::Value>> ParseParameter(
    const std::string& definition);

}  // namespace sippar::cli
