// The table of functions that see all their arguments evaluated. Used by evaluate.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"
#include "engine/model/search_regex.h"
#include "engine/program/function.h"
#include "engine/program/value.h"

namespace sippar::engine {

// What a call site keeps between rows.
struct CallSite {
  Function function = Function::kAnd;
  ValueType cast_type = ValueType::kNull;
  std::shared_ptr<const SearchRegex> regex;  // of regex_text, once one was compiled
  std::string regex_text;
  bool regex_case_insensitive = false;
  std::optional<std::string> rewrite;  // one that fits the regex
  StopBudget* budget = nullptr;        // spent by loops that cost more than their arguments' bytes
};

using Arguments = std::span<const Value* const>;
using ScalarFunction = Status (*)(CallSite* site, Arguments args, Value* out);

struct ScalarEntry {
  ScalarFunction run = nullptr;
  bool null_if_any_null = true;
};
// run == nullptr: evaluate.cc runs it itself (AND, OR, CASE …).
ScalarEntry FindScalar(Function function);

// One per file.
ScalarEntry FindNumberFunction(Function function);
ScalarEntry FindTextFunction(Function function);
ScalarEntry FindMatchFunction(Function function);
ScalarEntry FindBytesFunction(Function function);
ScalarEntry FindTimeFunction(Function function);
ScalarEntry FindItemFunction(Function function);

// CAST. DECODE when the content does not fit, TYPE when there is no such conversion.
[[nodiscard]] Status ConvertValue(const Value& value, ValueType type, Value* out);
// Compiles site->regex for this text unless it is already.
[[nodiscard]] Status PrepareRegex(CallSite* site, std::string_view text, bool case_insensitive);
// BAD_REGEX for groups that site->regex has not. Requires: site->regex.
[[nodiscard]] Status CheckRewrite(CallSite* site, std::string_view rewrite);
[[nodiscard]] Status CheckRegexGroup(const CallSite& site, int64_t group);
[[nodiscard]] Status TypeError(const CallSite& site, Arguments args, std::string_view hint = {});

// TOO_LARGE: results are bounded as values are; nested calls could ask for any amount of memory.
[[nodiscard]] Status CheckTextSize(size_t size);
// Bytes of the character at the start of `text` (1 for bytes that are no UTF-8).
size_t CharacterSize(std::string_view text);
bool LikeMatches(std::string_view text, std::string_view pattern, bool by_character);
// The same, spending `budget`: patterns of many wildcards cost up to text times pattern.
[[nodiscard]] StatusOr<bool> LikeMatches(std::string_view text, std::string_view pattern,
                                         bool by_character, StopBudget* budget);
// ISO 8601 with zone: "2026-11-20T12:00:00.5Z", "2026-11-20 12:00:00+01:00", "2026-11-20" (UTC).
bool ParseTimestamp(std::string_view text, int64_t* micros);
bool IsValidUtf8(std::string_view text);

}  // namespace sippar::engine
