// Prints values as JSON without loss, for json and jsonl, and for maps, lists and versions in csv
// and tsv.
//   bytes that are not UTF-8    {"$base64": "AP8="}
//   a map key that is not UTF-8 "$base64:AP8="; also a key that itself begins with $base64
//   INT64 and FLOAT64           their digits; "Infinity", "-Infinity" and "NaN", which JSON lacks
//   versions                    [{"timestamp": 6, "value": …}, …]
// IMPORT FORMAT jsonl decodes the two $base64 forms (query/execute/json_rows.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/program/value.h"

namespace sippar::query {

constexpr std::string_view kBase64Mark = "$base64";

// A JSON string with its quotes. `text` should be UTF-8: each malformed byte becomes the character
// whose code point is the value of the byte. Characters that a terminal would obey or hide are
// escaped; a reader of JSON gets them back unchanged.
std::string JsonText(std::string_view text);
// How strings are written. kBase64 (format jsonl-b64): every string value, including map keys and
// times, is written as the base64 of its bytes, so a reader can decode all of them in one way.
enum class JsonStrings : uint8_t { kText, kBase64 };
std::string JsonValue(const engine::Value& value, JsonStrings strings = JsonStrings::kText);
std::string JsonKey(std::string_view name);  // key of an object, with its quotes

}  // namespace sippar::query
