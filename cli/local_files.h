// Opens the user's own files for IMPORT and EXPORT. Paths are plain; "-" is stdin or stdout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "query/session/file_access.h"

namespace sippar::cli {

std::unique_ptr<query::FileAccess> NewLocalFiles();

}  // namespace sippar::cli
