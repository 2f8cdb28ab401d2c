// GoogleSQL's names. SPDX-License-Identifier: Apache-2.0
#include "query/analyze/google_calls.h"

#include <fmt/format.h>

#include <utility>

#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using syntax::Expr;
using syntax::ExprKind;
using Exprs = std::vector<Expr>;

Expr Make(ExprKind kind, const Expr& of, Exprs children) {
  Expr made;
  made.kind = kind;
  made.span = of.span;
  made.children = std::move(children);
  return made;
}

Expr Named(std::string_view name, const Expr& of, Exprs children) {
  Expr call = Make(ExprKind::kCall, of, std::move(children));
  call.name = name;
  return call;
}

Expr Cast(std::string_view type, Expr arg) {
  Expr span_of = arg;
  Expr cast = Make(ExprKind::kCast, span_of, {std::move(arg)});
  cast.name = type;
  return cast;
}

Expr Number(int64_t number, const Expr& of) {
  Expr literal = Make(ExprKind::kLiteral, of, {});
  literal.literal.type = syntax::Literal::kInt64;
  literal.literal.integer = number;
  return literal;
}

// Of a count of units of so many microseconds.
Expr TimeOf(int64_t unit_us, const Expr& call) {
  Expr product = Make(ExprKind::kBinary, call, {call.children[0], Number(unit_us, call)});
  product.op = syntax::BinaryOp::kMultiply;
  return Cast("TIMESTAMP", std::move(product));
}

// The count of whole units, also of times before 1970: those of the bucket's start.
Expr UnitsOf(int64_t unit_us, const Expr& call) {
  Expr start = Named("TIME_BUCKET", call, {Number(unit_us, call), call.children[0]});
  return Named("DIV", call, {Cast("INT64", std::move(start)), Number(unit_us, call)});
}

Expr HasKey(const Expr& call) {
  Expr entry = Make(ExprKind::kIndex, call, call.children);
  Expr test = Make(ExprKind::kIsNull, call, {std::move(entry)});
  test.negated = true;
  return test;
}

struct GoogleCall {
  std::string_view name;
  size_t arguments_min;
  size_t arguments_max;
  Expr (*as_ours)(const Expr& call);
};

constexpr GoogleCall kCalls[] = {
    {"ARRAY_LENGTH", 1, 1, [](const Expr& c) { return Named("CARDINALITY", c, c.children); }},
    {"BYTE_LENGTH", 1, 1,
     [](const Expr& c) { return Named("LENGTH", c, {Cast("BYTES", c.children[0])}); }},
    {"CHAR_LENGTH", 1, 1, [](const Expr& c) { return Named("LENGTH", c, c.children); }},
    {"CURRENT_TIMESTAMP", 0, 0, [](const Expr& c) { return Named("NOW", c, {}); }},
    {"IFNULL", 2, 2, [](const Expr& c) { return Named("COALESCE", c, c.children); }},
    {"MAP_CONTAINS_KEY", 2, 2, HasKey},
    {"REGEXP_CONTAINS", 2, 2, [](const Expr& c) { return Named("REGEXP_MATCH", c, c.children); }},
    {"SUBSTRING", 2, 3, [](const Expr& c) { return Named("SUBSTR", c, c.children); }},
    {"TIMESTAMP_MICROS", 1, 1, [](const Expr& c) { return TimeOf(1, c); }},
    {"TIMESTAMP_MILLIS", 1, 1, [](const Expr& c) { return TimeOf(1'000, c); }},
    {"TIMESTAMP_SECONDS", 1, 1, [](const Expr& c) { return TimeOf(1'000'000, c); }},
    {"TO_INT64", 1, 1, [](const Expr& c) { return Cast("INT64", c.children[0]); }},
    {"UNIX_MICROS", 1, 1, [](const Expr& c) { return UnitsOf(1, c); }},
    {"UNIX_MILLIS", 1, 1, [](const Expr& c) { return UnitsOf(1'000, c); }},
    {"UNIX_SECONDS", 1, 1, [](const Expr& c) { return UnitsOf(1'000'000, c); }},
};

}  // namespace

StatusOr<std::optional<Expr>> CallAsOurs(const Expr& call) {
  for (const GoogleCall& known : kCalls) {
    if (!SameWord(call.name, known.name)) continue;
    size_t count = call.children.size();
    bool fits = count >= known.arguments_min && count <= known.arguments_max;
    if (fits && !call.star && !call.distinct) return std::optional(known.as_ours(call));
    std::string wanted = known.arguments_min == known.arguments_max
                             ? fmt::format("{}", known.arguments_min)
                             : fmt::format("{} to {}", known.arguments_min, known.arguments_max);
    return ErrorAt("ARITY", call.span,
                   fmt::format("{} takes {} arguments, not {}", known.name, wanted,
                               call.star ? "*" : fmt::format("{}", count)));
  }
  return std::optional<Expr>();
}

std::vector<std::string_view> GoogleCallNames() {
  std::vector<std::string_view> names;
  for (const GoogleCall& known : kCalls) names.push_back(known.name);
  return names;
}

}  // namespace sippar::query
