// Names of local files, for completion. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::cli {

// Paths that begin with `typed`, a folder's with "/" at its end; "~/" means the user's folder.
// Hidden ones only if `typed` begins to name one.
std::vector<std::string> FileNames(std::string_view typed);

}  // namespace sippar::cli
