// Files packed by zstd (.zst) and gzip (.gz), by the end of their names: the one door to both
// libraries for the user's files. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "query/session/file_access.h"

namespace sippar::cli {

// The file itself when its name has another end.
std::unique_ptr<query::OutputFile> PackByName(const std::string& path,
                                              std::unique_ptr<query::OutputFile> file);
std::unique_ptr<query::InputFile> UnpackByName(const std::string& path,
                                               std::unique_ptr<query::InputFile> file);

}  // namespace sippar::cli
