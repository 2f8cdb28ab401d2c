// The table of functions whose arguments are all evaluated before the call. Used by the evaluator
// (evaluate*.cc).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_budget.h"
#include "engine/model/search_regex.h"
#include "engine/program/function.h"
#include "engine/program/json_path.h"
#include "engine/program/value.h"

namespace sippar::engine {

// State of one call in an expression. It is kept between rows.
struct CallSite {
  Function function = Function::kAnd;
  ValueType cast_type = ValueType::kNull;
  std::shared_ptr<const SearchRegex> regex;  // compiled regex_text; null: not compiled yet
  std::string regex_text;
  bool regex_case_insensitive = false;
  RegexUnit regex_unit = RegexUnit::kByte;
  // regex_text compiled for the RegexUnit that is not regex_unit; null: not compiled yet.
  std::shared_ptr<const SearchRegex> other_regex;
  std::optional<std::string> rewrite;         // the last rewrite that was checked against the regex
  std::shared_ptr<const JsonPath> json_path;  // parsed json_path_text; null: not parsed yet
  std::string json_path_text;
  // Loops that may take more steps than their arguments have bytes spend this budget.
  StopBudget* budget = nullptr;
  uint64_t evaluations = 0;  // calls of RAND so far
};

using Arguments = std::span<const Value* const>;
using ScalarFunction = Status (*)(CallSite* site, Arguments args, Value* out);

struct ScalarEntry {
  ScalarFunction run = nullptr;
  bool null_if_any_null = true;
};
// `run` is null for functions that the evaluator runs itself (AND, IN, ARRAY_FILTER …).
ScalarEntry FindScalar(Function function);

// One table per file; FindScalar searches them in turn.
ScalarEntry FindNumberFunction(Function function);
ScalarEntry FindTextFunction(Function function);
ScalarEntry FindMatchFunction(Function function);
ScalarEntry FindBytesFunction(Function function);
ScalarEntry FindJsonFunction(Function function);
ScalarEntry FindTimeFunction(Function function);
ScalarEntry FindCastFunction(Function function);
ScalarEntry FindItemFunction(Function function);
ScalarEntry FindRealFunction(Function function);
ScalarEntry FindBitFunction(Function function);
ScalarEntry FindHashFunction(Function function);
ScalarEntry FindPadFunction(Function function);
ScalarEntry FindFormatFunction(Function function);
ScalarEntry FindPlaceFunction(Function function);
ScalarEntry FindCodePointFunction(Function function);
ScalarEntry FindUnicodeFunction(Function function);
ScalarEntry FindCalendarFunction(Function function);
ScalarEntry FindDateFunction(Function function);
ScalarEntry FindArrayFunction(Function function);
ScalarEntry FindArrayPartFunction(Function function);
ScalarEntry FindVectorFunction(Function function);

// Runs CAST. Error DECODE if the content does not fit, OVERFLOW if the number or date is out of
// range, TYPE if there is no such conversion.
[[nodiscard]] Status ConvertValue(const Value& value, ValueType type, Value* out);
// A regex that is TEXT matches TEXT by characters. Keys and names are TEXT, but may be any bytes:
// if either of the two is not UTF-8, bytes are matched.
RegexUnit RegexUnitOf(const Value& text, const Value& regex);
// Compiles site->regex for this regex, unless the call site has it already.
[[nodiscard]] Status PrepareRegex(CallSite* site, std::string_view regex, bool case_insensitive,
                                  RegexUnit unit);
// Error BAD_REGEX if `rewrite` names a group that site->regex does not have, or has a wrong escape.
// Requires: site->regex is set.
[[nodiscard]] Status CheckRewrite(CallSite* site, std::string_view rewrite);
[[nodiscard]] Status CheckRegexGroup(const CallSite& site, int64_t group);
[[nodiscard]] Status TypeError(const CallSite& site, Arguments args, std::string_view hint = {});
// Error DECODE: the TEXT argument of the call is not UTF-8.
[[nodiscard]] Status NotUtf8(const CallSite& site);

// Sets *out to one ARRAY of the items of all arguments. Error TYPE if an argument is not an
// ARRAY.
[[nodiscard]] Status JoinArrays(const CallSite& site, Arguments args, Value* out);

// Error TOO_LARGE if a result exceeds the size limit of a value: nested calls could otherwise ask
// for any amount of memory.
[[nodiscard]] Status CheckTextSize(size_t size);
// As CheckTextSize, for the memory of an ARRAY of `items` items that have `bytes` bytes in all.
[[nodiscard]] Status CheckArraySize(size_t items, size_t bytes);
bool AllStrings(Arguments args);
// Offset of the first `part` in `text` from `at` on; npos if there is none.
size_t FindPart(std::string_view text, std::string_view part, size_t at = 0);
// Bytes of the UTF-8 character at the start of `text`; 1 for bytes that are not UTF-8.
size_t CharacterSize(std::string_view text);
// Byte offsets of the characters of `text`, then text.size().
std::vector<size_t> CharacterStarts(std::string_view text);
// A unit is a character of TEXT or a byte of BYTES. CountUnits returns the number of units in
// `text`, BytesOfUnits the number of bytes in its first `count` units.
int64_t CountUnits(ValueType type, std::string_view text);
size_t BytesOfUnits(ValueType type, std::string_view text, int64_t count);
// Removes the first unit from *text and returns it. Requires: `text` is not empty.
std::string_view TakeUnit(ValueType type, std::string_view* text);
bool LikeMatches(std::string_view text, std::string_view pattern, bool by_character);
// As the function above, but spends `budget`: with many wildcards the cost is up to text times
// pattern.
[[nodiscard]] StatusOr<bool> LikeMatches(std::string_view text, std::string_view pattern,
                                         bool by_character, StopBudget* budget);
// Reads a time as time_text.h does. Without a zone it is UTC.
bool ParseTimestamp(std::string_view text, int64_t* micros);
// Error OVERFLOW: the result of the call is no day or time of the years 1 to 9999.
[[nodiscard]] Status OutsideOfYears(const CallSite& site);
// Sets *out to the time `micros` in the type of `like`, which is a time; to its day if that is a
// DATE.
[[nodiscard]] Status SetTimeLike(const CallSite& site, const Value& like, int64_t micros,
                                 Value* out);
// Runs +, - or * where one of the two arguments is a DATE.
[[nodiscard]] Status DateArithmetic(const CallSite& site, Arguments args, Value* out);

}  // namespace sippar::engine
