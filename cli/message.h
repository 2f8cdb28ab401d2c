// Messages to the user, on stderr. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sippar::cli {

// `text` and the end of the line. Names, paths and keys in it cannot drive the terminal: what is
// not printable is escaped.
void PrintMessage(std::string_view text);
// "sippar query: text".
void PrintMessage(std::string_view command, std::string_view text);

}  // namespace sippar::cli
