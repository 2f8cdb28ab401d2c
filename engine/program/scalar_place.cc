// Functions that find the n-th occurrence of a text or the n-th match of a regex from a position
// on.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status CheckPositive(const CallSite& site, std::string_view what, int64_t number) {
  if (number > 0) return OkStatus();
  return ProgramError("RANGE", fmt::format("{}: the {} is {}; it counts from 1",
                                           FindFunction(site.function)->name, what, number));
}

bool AreIntegers(Arguments args, size_t from) {
  return std::all_of(args.begin() + static_cast<std::ptrdiff_t>(std::min(from, args.size())),
                     args.end(), [](const Value* v) { return v->type() == kInt64; });
}

int64_t IntegerOr(Arguments args, size_t index, int64_t otherwise) {
  return index < args.size() ? args[index]->integer() : otherwise;
}

// The offset of the n-th occurrence of `part`, counted backwards from the last occurrence that
// begins at or before `end`.
StatusOr<size_t> FindBackwards(std::string_view text, std::string_view part, size_t end, int64_t n,
                               StopBudget* budget) {
  std::vector<size_t> places;
  for (size_t at = 0; at <= text.size(); ++at) {
    RETURN_IF_ERROR(budget->Spend(part.size() + StopBudget::kStep));
    at = FindPart(text, part, at);
    if (at > end) break;  // npos is above `end`, too
    places.push_back(at);
  }
  if (static_cast<uint64_t>(n) > places.size()) return text.npos;
  return places[places.size() - static_cast<size_t>(n)];
}

StatusOr<size_t> FindForwards(std::string_view text, std::string_view part, size_t at, int64_t n,
                              StopBudget* budget) {
  for (; at <= text.size(); ++at) {
    RETURN_IF_ERROR(budget->Spend(part.size() + StopBudget::kStep));
    at = FindPart(text, part, at);
    if (at == text.npos || --n == 0) return at;
  }
  return text.npos;
}

Status Instr(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !args[1]->is_string() || !AreIntegers(args, 2)) {
    return TypeError(*site, args);
  }
  const ValueType type = args[0]->type();
  const std::string_view text = args[0]->bytes();
  const std::string_view part = args[1]->bytes();
  const int64_t position = IntegerOr(args, 2, 1);
  const int64_t occurrence = IntegerOr(args, 3, 1);
  if (position == 0) return CheckPositive(*site, "position", 0);
  RETURN_IF_ERROR(CheckPositive(*site, "occurrence", occurrence));
  *out = Value::Int64(0);
  if (part.empty()) return OkStatus();
  const int64_t units = CountUnits(type, text);
  if (position > units || position < -units) return OkStatus();
  const int64_t skipped = position > 0 ? position - 1 : units + position;
  const size_t from = BytesOfUnits(type, text, skipped);
  auto found = position > 0 ? FindForwards(text, part, from, occurrence, site->budget)
                            : FindBackwards(text, part, from, occurrence, site->budget);
  RETURN_IF_ERROR(found.status());
  if (*found == text.npos) return OkStatus();
  *out = Value::Int64(CountUnits(type, text.substr(0, *found)) + 1);
  return OkStatus();
}

// Finds the matches of the regex args[1] in args[0] from position args[2] on. Sets *asked to the
// number of matches wanted, args[3], and finds at most that many.
Status FindMatches(CallSite* site, Arguments args, std::vector<RegexMatch>* matches,
                   int64_t* asked) {
  const std::string_view text = args[0]->bytes();
  const int64_t position = IntegerOr(args, 2, 1);
  *asked = IntegerOr(args, 3, 1);
  RETURN_IF_ERROR(CheckPositive(*site, "position", position));
  RETURN_IF_ERROR(CheckPositive(*site, "occurrence", *asked));
  RETURN_IF_ERROR(PrepareRegex(site, args[1]->bytes(), false, RegexUnitOf(*args[0], *args[1])));
  if (position > CountUnits(args[0]->type(), text) + 1) return OkStatus();
  const size_t from = BytesOfUnits(args[0]->type(), text, position - 1);
  ASSIGN_OR_RETURN(*matches,
                   site->regex->Matches(text, from, static_cast<size_t>(*asked), site->budget));
  return OkStatus();
}

Status RegexSubstr(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !args[1]->is_string() || !AreIntegers(args, 2)) {
    return TypeError(*site, args);
  }
  std::vector<RegexMatch> matches;
  int64_t asked = 0;
  RETURN_IF_ERROR(FindMatches(site, args, &matches, &asked));
  *out = Value::Null();
  if (matches.size() < static_cast<size_t>(asked)) return OkStatus();
  const RegexMatch& match = matches.back();
  if (!match.has_part) return OkStatus();
  std::string part = args[0]->bytes().substr(match.begin, match.end - match.begin);
  out->AssignBytes(args[0]->type(), part);
  return OkStatus();
}

Status RegexInstr(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !args[1]->is_string() || !AreIntegers(args, 2)) {
    return TypeError(*site, args);
  }
  const int64_t end = IntegerOr(args, 4, 0);
  if (end != 0 && end != 1) {
    return ProgramError("RANGE", fmt::format("REGEXP_INSTR: the fifth argument is {}; it is 0 for "
                                             "the start of the match or 1 for its end",
                                             end));
  }
  std::vector<RegexMatch> matches;
  int64_t asked = 0;
  RETURN_IF_ERROR(FindMatches(site, args, &matches, &asked));
  *out = Value::Int64(0);
  if (matches.size() < static_cast<size_t>(asked) || !matches.back().has_part) return OkStatus();
  const size_t at = end == 0 ? matches.back().begin : matches.back().end;
  const std::string_view before = std::string_view(args[0]->bytes()).substr(0, at);
  *out = Value::Int64(CountUnits(args[0]->type(), before) + 1);
  return OkStatus();
}

Status RegexExtractAll(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const std::string& text = args[0]->bytes();
  RETURN_IF_ERROR(PrepareRegex(site, args[1]->bytes(), false, RegexUnitOf(*args[0], *args[1])));
  // Asks for one match more than an ARRAY can hold, so that CheckArraySize refuses too many.
  ASSIGN_OR_RETURN(
      std::vector<RegexMatch> matches,
      site->regex->Matches(text, 0, limits::kValueSizeMax / sizeof(Value) + 1, site->budget));
  RETURN_IF_ERROR(CheckArraySize(matches.size(), text.size()));
  Value::Items items(matches.size());
  for (size_t i = 0; i < matches.size(); ++i) {
    std::string part = text.substr(matches[i].begin, matches[i].end - matches[i].begin);
    items[i].AssignBytes(args[0]->type(), part);
  }
  *out = Value::Array(std::move(items));
  return OkStatus();
}

}  // namespace

ScalarEntry FindPlaceFunction(Function function) {
  switch (function) {
    case Function::kInstr:
      return {Instr};
    case Function::kRegexSubstr:
      return {RegexSubstr};
    case Function::kRegexInstr:
      return {RegexInstr};
    case Function::kRegexExtractAll:
      return {RegexExtractAll};
    default:
      return {};
  }
}

}  // namespace sippar::engine
