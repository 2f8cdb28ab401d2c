// What an open quote at the end of a statement stands for, for completion. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::cli {

enum class QuotedPlace : uint8_t { kOther, kRowKey, kFile };

// `before`: the statement up to the quote, such as "SELECT * FROM web WHERE row =".
QuotedPlace PlaceOfQuote(std::string_view before);

// The name of the innermost call whose brackets are open at the end of `before`; "" if none is.
std::string_view OpenCall(std::string_view before);

}  // namespace sippar::cli
