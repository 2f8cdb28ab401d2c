// Escapes bytes for messages and text files. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

// Which bytes an escaped text keeps as they are.
struct EscapeRules {
  // kAscii keeps printable ASCII. kUtf8 keeps all well-formed UTF-8 except control characters.
  // kVisible keeps what kUtf8 keeps, except hidden characters (IsHiddenSequence of printable.h).
  enum Kept : uint8_t { kAscii, kUtf8, kVisible };
  Kept kept = kVisible;
  // Pairs: a character, then the letter that replaces it after a backslash. "\nn" stands for a
  // newline that is written as \n.
  std::string_view letters = {};
  // Printable ASCII characters to write as \xHH nevertheless.
  std::string_view as_hex = {};
};

// Writes every byte that the rules do not keep, and for which they have no letter, as \xHH. JSON
// has escapes of its own (query/format/json_value.h).
std::string EscapeBytes(std::string_view bytes, const EscapeRules& rules);

// Puts the bytes in double quotes and keeps printable ASCII, except quotes and backslashes: these
// and all other bytes become \xHH.
std::string QuotedBytes(std::string_view bytes);

}  // namespace sippar::engine
