// Examines a statement before the caret, for completion: what kind of text an open quote holds,
// which call is open, which setting is being set, whether the type of a family follows. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::cli {

enum class QuotedPlace : uint8_t { kOther, kRowKey, kFile, kStatementId };

// `before`: the statement up to the quote, such as "SELECT * FROM web WHERE row =".
QuotedPlace PlaceOfQuote(std::string_view before);

// The name of the innermost call whose parenthesis is still open at the end of `before`; "" if none
// is.
std::string_view OpenCall(std::string_view before);

// The name of the setting, in upper case, if `before` is a SET statement up to its value:
// "VERSIONS" for "SET versions ="; otherwise "".
std::string SettingToSet(std::string_view before);

// True if the name of a family's type follows `before`, as in "CREATE TABLE t (FAMILY f TYPE =".
bool IsBeforeType(std::string_view before);

}  // namespace sippar::cli
