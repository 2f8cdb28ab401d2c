// One cell as one line of text, the format "cells":
//   row TAB family:qualifier TAB timestamp TAB value
// Fields have the escapes \t \n \r \\ \xHH, so that a line has no other tab, newline or control
// character. EXPORT, IMPORT, dumps and the format tsv share this code. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/model/cell.h"

namespace sippar::query {

// Appends a field of the format tsv or cells. Escapes tab, newline, carriage return and backslash
// as \t, \n, \r and \\, and bytes that are not printable UTF-8 as \xHH. If `terminal` is true, also
// escapes hidden characters.
void AppendField(std::string_view bytes, bool terminal, std::string* out);
// Decodes what AppendField wrote; false if an escape is unknown or incomplete.
[[nodiscard]] bool UnescapeField(std::string_view field, std::string* out);

// Appends the line of `cell`, with its newline.
void AppendCellLine(const engine::CellView& cell, bool terminal, std::string* out);
// Reads a line without its newline. kInvalidArgument says what is wrong with it.
[[nodiscard]] Status ParseCellLine(std::string_view line, engine::Cell* cell);

}  // namespace sippar::query
