// Repairs a store that does not open because its commit log is damaged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// As the engine's SalvageLog, for the store at `directory` on this machine: reports what of its
// commit log is lost; with `drop`, writes a log without it.
[[nodiscard]] Status SalvageLog(const std::string& directory, bool drop,
                                const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
