// Files that the program writes for the user: EXPORT, `query -o`, \o. A name that ends in .zst or
// .gz is packed (packed_file.h). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "query/session/file_access.h"

namespace sippar::cli {

enum class Appearance {
  kWhole,   // under its name only after Close(): what was there stays until then, whatever happens
  kAtOnce,  // emptied now, and written as it comes
};

// "-" is stdout. Devices and pipes are written as they are, never replaced.
[[nodiscard]] StatusOr<std::unique_ptr<query::OutputFile>> OpenOutputFile(const std::string& path,
                                                                          Appearance appearance);

// "PATH: cannot WHAT: reason", by errno.
Status FileError(const std::string& path, std::string_view what);

}  // namespace sippar::cli
