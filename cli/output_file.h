// Files that the program writes for the user: for EXPORT, `query -o`, \o, \g, \s and the files of a
// dump. A name that ends in .zst or .gz selects compression (packed_file.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "query/session/file_access.h"

namespace sippar::cli {

enum class Appearance {
  // The file appears under its name only at Close(). If the program ends before Close(), the old
  // file stays.
  kWhole,
  // The file is emptied at once and written as data arrives.
  kAtOnce,
};

// Opens `path` for writing; "-" is stdout. Devices and pipes are written in place, never replaced.
[[nodiscard]] StatusOr<std::unique_ptr<query::OutputFile>> OpenOutputFile(const std::string& path,
                                                                          Appearance appearance);

// Makes the names in a folder durable, so that a rename survives a crash.
[[nodiscard]] Status SyncFolder(const std::string& path);
// The folder that contains `path`; "." if `path` has no slash.
std::string FolderOf(const std::string& path);

// Builds the message "PATH: cannot WHAT: reason"; the reason comes from errno.
Status FileError(const std::string& path, std::string_view what);

}  // namespace sippar::cli
