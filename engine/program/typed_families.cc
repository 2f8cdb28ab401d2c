// SPDX-License-Identifier: Apache-2.0
#include "engine/program/typed_families.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/program/program_error.h"

namespace sippar::engine {

ValueType TypedFamilies::TypeOf(std::string_view family) const {
  auto has = [family](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), family) != names.end();
  };
  if (has(counters)) return ValueType::kInt64;
  return has(texts) ? ValueType::kText : ValueType::kBytes;
}

Status CheckText(std::string_view family, std::string_view qualifier, std::string_view value) {
  if (IsUtf8(value)) return OkStatus();
  return ProgramError("TYPE",
                      fmt::format("{}:{} cannot be set to a value that is not UTF-8 ({})", family,
                                  PrintEscaped(qualifier), MalformedPlace(value)),
                      "its family is of type TEXT; TO_HEX(x) and TO_BASE64(x) write bytes as text");
}

}  // namespace sippar::engine
