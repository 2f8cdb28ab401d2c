// Decodes literals of the language from their source text: quoted text with escapes, bytes,
// numbers, durations, sizes, times, column patterns. Uses no ANTLR. Used by query/parse and for
// typed parameters of the command line. The functions expect text that the lexer has accepted as a
// token of its kind. Pure, but for DecodeTimestamp and DecodeDate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "query/syntax/expr.h"

namespace sippar::query {

// Why a literal is refused. `at` is the byte offset of the problem in the literal's text; 0 may
// also mean the whole literal.
struct LiteralProblem {
  std::string message;
  size_t at = 0;
};
using OptionalProblem = std::optional<LiteralProblem>;  // nullopt: the literal is good

// Decodes '…' or "…", with escapes and doubled quotes. With `bytes` the escape \u is refused.
OptionalProblem DecodeQuoted(std::string_view text, bool bytes, std::string* out);
// Decodes b'…' with escapes, or x'…' with hex digits and blanks, which are ignored.
OptionalProblem DecodeBytes(std::string_view text, std::string* out);
std::string DecodeRaw(std::string_view text);  // r'…', without escapes

// Decodes 42 or 0x2a.
OptionalProblem DecodeInt(std::string_view text, bool negative, int64_t* out);
OptionalProblem DecodeFloat(std::string_view text, double* out);
OptionalProblem DecodeDuration(std::string_view text, int64_t* micros);  // for example 1h30m
OptionalProblem DecodeSize(std::string_view text, int64_t* bytes);       // for example 64KiB
// Decodes 2026-11-20T12:00:00.000001Z and the other forms of engine/program/time_text.h. Reads the
// machine's time zone data where the text names a zone. *zone_missing says that there is no zone.
OptionalProblem DecodeTimestamp(std::string_view text, int64_t* micros, bool* zone_missing);
// Decodes 2026-11-20 to the days since 1970-01-01.
OptionalProblem DecodeDate(std::string_view text, int64_t* days);

// Decodes a whole token of a column pattern, family:qualifier.
OptionalProblem DecodePattern(std::string_view text, syntax::PatternNode* out);
// Decodes /regex/ or /regex/i; `text` begins at the slash.
engine::NamePattern DecodeRegex(std::string_view text);

}  // namespace sippar::query
