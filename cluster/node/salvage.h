// Repairs a store that does not open because its commit log is damaged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// Reports to `print`, line by line, what the commit log of the store at `directory` has lost: each
// damaged place and what could be read there. With `drop`, writes a log without the damaged places,
// keeps the old segments in a separate directory, and makes METADATA name each log again that a
// tablet needs.
[[nodiscard]] Status SalvageLog(engine::FileSystem* fs, const std::string& directory, bool drop,
                                const std::function<void(std::string_view line)>& print);
// Does the same with the file system that contains `directory`.
[[nodiscard]] Status SalvageLog(const std::string& directory, bool drop,
                                const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
