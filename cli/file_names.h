// Names of local files, for completion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::cli {

// Paths that begin with `typed`; folders end with "/". "~/" means the user's home folder. Hidden
// files are listed only if the name typed so far begins with a dot.
std::vector<std::string> FileNames(std::string_view typed);

}  // namespace sippar::cli
