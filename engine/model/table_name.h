// Table names of the Cloud Bigtable API. A table of another instance has the name
// "PROJECT/INSTANCE/TABLE", which keeps instances apart; a plain name is a table of the default
// instance. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

inline constexpr size_t kProjectNameSizeMax = 100;  // Google allows 30, or more with a domain
inline constexpr size_t kInstanceNameSizeMax = 64;  // Cloud Bigtable allows 33

// kInvalidArgument: a size or a character is not allowed.
[[nodiscard]] Status ValidateProjectName(std::string_view name);
[[nodiscard]] Status ValidateInstanceName(std::string_view name);

}  // namespace sippar::engine
