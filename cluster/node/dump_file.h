// Text of one file of a store, for people; the store need not be open, and is not changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// Properties, sections and blocks of an SSTable; damage is told in place. `with_entries`: all
// entries too. kInvalidArgument when the name is not that of an SSTable, which is part of its
// checksums.
[[nodiscard]] StatusOr<std::string> DumpSstable(const std::string& path, bool with_entries);

// A segment of the commit log, record by record, line by line; kDataLoss after the lines before the
// damage. kInvalidArgument when the name is not that of a segment.
[[nodiscard]] Status DumpLog(const std::string& path,
                             const std::function<void(std::string_view line)>& print);

}  // namespace sippar::cluster
