// \copy of the shell, as the statement of the language that does it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cli {

// "web TO out.csv" and "(SELECT …) TO out.csv" become EXPORT, "web FROM in.csv …" becomes IMPORT.
// The file may stand in quotes; the words after it are passed on (FORMAT …, a mapping, WITH …).
[[nodiscard]] StatusOr<std::string> CopyStatement(std::string_view text);

}  // namespace sippar::cli
