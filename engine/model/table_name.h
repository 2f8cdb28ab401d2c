// Names of tables of other instances of the Cloud Bigtable API: "PROJECT/INSTANCE/TABLE", so that
// those of different instances are apart. A plain name is a table of the default instance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

inline constexpr size_t kProjectNameSizeMax = 100;  // Google: 30, more with a domain
inline constexpr size_t kInstanceNameSizeMax = 64;  // Cloud Bigtable: 33

[[nodiscard]] Status ValidateProjectName(std::string_view name);
[[nodiscard]] Status ValidateInstanceName(std::string_view name);

}  // namespace sippar::engine
