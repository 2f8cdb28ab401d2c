// Reads a file of another encoding as UTF-8 (IMPORT … WITH (ENCODING = 'UTF-16')).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "query/session/file_access.h"

namespace sippar::query {

// `encoding` is a name that iconv knows: UTF-16, ISO-8859-1, WINDOWS-1252 …; kInvalidArgument for
// any other name. Read fails at a byte sequence that the encoding does not allow.
[[nodiscard]] StatusOr<std::unique_ptr<InputFile>> Recode(std::unique_ptr<InputFile> file,
                                                          const std::string& encoding);

}  // namespace sippar::query
