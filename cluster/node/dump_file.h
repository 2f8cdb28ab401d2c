// Prints one file of a store as text for people to read. The store need not be open and is not
// changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// Returns the properties, sections and blocks of an SSTable as text; damage is reported where it is
// found. `with_entries`: also all entries. kInvalidArgument: the file's name is not that of an
// SSTable; it must be, because the checksums include the name.
[[nodiscard]] StatusOr<std::string> DumpSstable(const std::string& path, bool with_entries);

// Prints the records of a segment of the commit log, one line each. kDataLoss: the log is damaged
// after the printed lines. kInvalidArgument: the file's name is not that of a segment.
[[nodiscard]] Status DumpLog(const std::string& path,
                             const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
