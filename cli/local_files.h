// Opens the user's local files for IMPORT and EXPORT. Paths are used as they are; "-" is stdin or
// stdout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "query/session/file_access.h"

namespace sippar::cli {

std::unique_ptr<query::FileAccess> NewLocalFiles();

}  // namespace sippar::cli
