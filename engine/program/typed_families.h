// The families whose values expressions do not see as BYTES. A program carries them, so that each
// of its expressions has the types that were checked when it was compiled. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::engine {

struct TypedFamilies {
  std::vector<std::string> counters;  // INT64: 8 bytes, big-endian
  std::vector<std::string> texts;     // TEXT: UTF-8

  // INT64, TEXT, or BYTES for a family of neither list. Searches at most 100 names
  // (limits::kFamiliesPerTableMax).
  ValueType TypeOf(std::string_view family) const;
};

// TYPE, naming the column, if `value` is not UTF-8 and so no value of a TEXT family.
[[nodiscard]] Status CheckText(std::string_view family, std::string_view qualifier,
                               std::string_view value);

}  // namespace sippar::engine
