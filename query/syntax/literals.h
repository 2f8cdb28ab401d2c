// Decoding of the literals of the language from their source text: quoted text with escapes, bytes,
// numbers, durations, sizes, times, column patterns. No ANTLR here. Used by tree_builder and by
// typed parameters of the command line. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "query/syntax/expr.h"

namespace sippar::query {

// Why a literal is no good: `at` is the byte offset inside the literal's text.
struct LiteralProblem {
  std::string message;
  size_t at = 0;
};
using OptionalProblem = std::optional<LiteralProblem>;  // nullopt: fine

// '…' or "…" with escapes and doubled quotes. `bytes`: \u is refused.
OptionalProblem DecodeQuoted(std::string_view text, bool bytes, std::string* out);
// b'…', x'…' (hex, blanks ignored).
OptionalProblem DecodeBytes(std::string_view text, std::string* out);
std::string DecodeRaw(std::string_view text);  // r'…'

OptionalProblem DecodeInt(std::string_view text, bool negative, int64_t* out);  // 42, 0x2a
OptionalProblem DecodeFloat(std::string_view text, double* out);
OptionalProblem DecodeDuration(std::string_view text, int64_t* micros);  // 1h30m
OptionalProblem DecodeSize(std::string_view text, int64_t* bytes);       // 64KiB
// 2026-11-20T12:00:00.000001Z, +01:00; blank for T; date alone. *zone_missing when none is given.
OptionalProblem DecodeTimestamp(std::string_view text, int64_t* micros, bool* zone_missing);

// A whole column pattern token.
OptionalProblem DecodePattern(std::string_view text, syntax::PatternNode* out);
// /regex/ with optional i behind it; `text` begins at the slash.
engine::NamePattern DecodeRegex(std::string_view text);

bool IsUtf8(std::string_view text);

}  // namespace sippar::query
