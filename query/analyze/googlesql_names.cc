// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/googlesql_names.h"

#include <utility>

namespace sippar::query {
namespace {

using syntax::Expr;
using syntax::ExprKind;
using Exprs = std::vector<Expr>;

// Every made node has the place of the call, so an error in it points at what the user wrote.
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
  // A copy, because `arg` is moved into the children by the same call.
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

// CAST(count * unit_us AS TIMESTAMP): a time given as a count of units since 1970.
Expr TimeOf(int64_t unit_us, const Expr& call) {
  Expr product = Make(ExprKind::kBinary, call, {call.children[0], Number(unit_us, call)});
  product.op = syntax::BinaryOp::kMultiply;
  return Cast("TIMESTAMP", std::move(product));
}

// Whole units since 1970. DIV rounds towards zero, so the time is first moved down to the start of
// its unit; otherwise times before 1970 would be rounded up.
Expr UnitsOf(int64_t unit_us, const Expr& call) {
  Expr start = Named("TIME_BUCKET", call, {Number(unit_us, call), call.children[0]});
  return Named("DIV", call, {Cast("INT64", std::move(start)), Number(unit_us, call)});
}

// MAP_CONTAINS_KEY(m, k) as m[k] IS NOT NULL.
Expr HasKey(const Expr& call) {
  Expr entry = Make(ExprKind::kIndex, call, call.children);
  Expr test = Make(ExprKind::kIsNull, call, {std::move(entry)});
  test.negated = true;
  return test;
}

CallInfo Rewritten(std::string_view name, int arguments_min, int arguments_max,
                   std::string_view result, std::string_view meaning,
                   Expr (*as_ours)(const Expr& call)) {
  CallInfo call{CallInfo::kRewritten, name, arguments_min, arguments_max, result, meaning};
  call.as_ours = as_ours;
  return call;
}

// The same arguments under our name. A template, because `as_ours` is a plain function pointer and
// cannot hold a name.
template <const char* kName>
Expr Renamed(const Expr& call) {
  return Named(kName, call, call.children);
}

constexpr char kCardinality[] = "CARDINALITY";
constexpr char kCoalesce[] = "COALESCE";
constexpr char kLength[] = "LENGTH";
constexpr char kNow[] = "NOW";
constexpr char kRegexMatch[] = "REGEXP_MATCH";
constexpr char kSubstr[] = "SUBSTR";

}  // namespace

std::vector<CallInfo> GoogleCalls() {
  return {
      Rewritten("ARRAY_LENGTH", 1, 1, "INT64", "same as CARDINALITY", Renamed<kCardinality>),
      Rewritten("BYTE_LENGTH", 1, 1, "INT64", "bytes of BYTES or TEXT",
                [](const Expr& c) { return Named(kLength, c, {Cast("BYTES", c.children[0])}); }),
      Rewritten("CHAR_LENGTH", 1, 1, "INT64", "same as LENGTH", Renamed<kLength>),
      Rewritten("CURRENT_TIMESTAMP", 0, 0, "TIMESTAMP", "same as NOW", Renamed<kNow>),
      Rewritten("IFNULL", 2, 2, "as the arguments", "same as COALESCE", Renamed<kCoalesce>),
      Rewritten("MAP_CONTAINS_KEY", 2, 2, "BOOL", "has a MAP an entry of that key?", HasKey),
      Rewritten("REGEXP_CONTAINS", 2, 2, "BOOL", "same as REGEXP_MATCH", Renamed<kRegexMatch>),
      Rewritten("SUBSTRING", 2, 3, "as argument 1", "same as SUBSTR", Renamed<kSubstr>),
      Rewritten("TIMESTAMP_MICROS", 1, 1, "TIMESTAMP", "the time so many microseconds after 1970",
                [](const Expr& c) { return TimeOf(1, c); }),
      Rewritten("TIMESTAMP_MILLIS", 1, 1, "TIMESTAMP", "the time so many milliseconds after 1970",
                [](const Expr& c) { return TimeOf(1'000, c); }),
      Rewritten("TIMESTAMP_SECONDS", 1, 1, "TIMESTAMP", "the time so many seconds after 1970",
                [](const Expr& c) { return TimeOf(1'000'000, c); }),
      Rewritten("TO_INT64", 1, 1, "INT64", "same as INT64",
                [](const Expr& c) { return Cast("INT64", c.children[0]); }),
      Rewritten("UNIX_MICROS", 1, 1, "INT64", "microseconds of a time after 1970",
                [](const Expr& c) { return UnitsOf(1, c); }),
      Rewritten("UNIX_MILLIS", 1, 1, "INT64", "milliseconds of a time after 1970",
                [](const Expr& c) { return UnitsOf(1'000, c); }),
      Rewritten("UNIX_SECONDS", 1, 1, "INT64", "seconds of a time after 1970",
                [](const Expr& c) { return UnitsOf(1'000'000, c); }),
  };
}

}  // namespace sippar::query
