// Repair of a store that does not open. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// As the engine's SalvageLog, on this machine's files: what of the commit log of the store at
// `directory` is lost, and with `drop` a log without it.
[[nodiscard]] Status SalvageLog(const std::string& directory, bool drop,
                                const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
