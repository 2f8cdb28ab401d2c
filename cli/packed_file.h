// Files compressed with zstd (.zst) or gzip (.gz); the suffix of the name selects the method.
// kDataLoss: a compressed file is damaged or cut short. Only packed_file.cc uses the two libraries
// for the user's files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "query/session/file_access.h"

namespace sippar::cli {

// Both return `file` unchanged if `path` has neither suffix.
std::unique_ptr<query::OutputFile> PackByName(const std::string& path,
                                              std::unique_ptr<query::OutputFile> file);
std::unique_ptr<query::InputFile> UnpackByName(const std::string& path,
                                               std::unique_ptr<query::InputFile> file);

}  // namespace sippar::cli
