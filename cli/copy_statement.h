// Translates the shell's \copy into a statement of the query language. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cli {

// "web TO out.csv" and "(SELECT …) TO out.csv" become EXPORT, "web FROM in.csv …" becomes IMPORT.
// The file name may be in quotes; the words after it are copied (FORMAT …, a mapping, WITH …).
[[nodiscard]] StatusOr<std::string> CopyStatement(std::string_view text);

}  // namespace sippar::cli
