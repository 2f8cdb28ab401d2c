// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/googlesql_names.h"

#include <utility>

#include "engine/program/calendar.h"
#include "query/analyze/compile.h"

namespace sippar::query {
namespace {

using syntax::Expr;
using syntax::ExprKind;
using Exprs = std::vector<Expr>;

// Each node that is built here has the place of the call, so an error points at what the user
// wrote.
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
  // Copies `arg` for its span, because the call of Make also moves `arg` into the children.
  Expr span_of = arg;
  Expr cast = Make(ExprKind::kCast, span_of, {std::move(arg)});
  cast.name = type;
  return cast;
}

Expr Bool(bool truth, const Expr& of) {
  Expr literal = Make(ExprKind::kLiteral, of, {});
  literal.literal.type = syntax::Literal::kBool;
  literal.literal.integer = truth ? 1 : 0;
  return literal;
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
  Expr epoch = Make(ExprKind::kLiteral, call, {});
  epoch.literal.type = syntax::Literal::kTimestamp;
  Expr since = Make(ExprKind::kBinary, call, {call.children[0], std::move(epoch)});
  since.op = syntax::BinaryOp::kSubtract;
  Expr micros = Cast("INT64", std::move(since));
  Expr start = Named("TIME_BUCKET", call, {Number(unit_us, call), std::move(micros)});
  return Named("DIV", call, {std::move(start), Number(unit_us, call)});
}

// Rewrites MAP_CONTAINS_KEY(m, k) as m[k] IS NOT NULL.
Expr HasKey(const Expr& call) {
  Expr entry = Make(ExprKind::kIndex, call, call.children);
  Expr test = Make(ExprKind::kIsNull, call, {std::move(entry)});
  test.negated = true;
  return test;
}

CallInfo Rewritten(std::string_view name, std::string_view signature, int arguments_min,
                   int arguments_max, std::string_view result, std::string_view meaning,
                   Expr (*as_ours)(const Expr& call)) {
  CallInfo call{CallInfo::kRewritten, name, arguments_min, arguments_max, result, meaning};
  call.as_ours = as_ours;
  call.signature = signature;
  return call;
}

// Rewrites the call to our name, with the same arguments. This is a template, because `as_ours` is
// a plain function pointer and cannot hold the name.
template <const char* kName>
Expr Renamed(const Expr& call) {
  return Named(kName, call, call.children);
}

constexpr char kCardinality[] = "CARDINALITY";
constexpr char kCeil[] = "CEIL";
constexpr char kCoalesce[] = "COALESCE";
constexpr char kDate[] = "DATE";
constexpr char kFormatTimestamp[] = "FORMAT_TIMESTAMP";
constexpr char kGenerateArray[] = "GENERATE_ARRAY";
constexpr char kLength[] = "LENGTH";
constexpr char kNormalizeFold[] = "NORMALIZE_FOLD";
constexpr char kNormalizeForm[] = "NORMALIZE_FORM";
constexpr char kNow[] = "NOW";
constexpr char kPower[] = "POWER";
constexpr char kRegexMatch[] = "REGEXP_MATCH";
constexpr char kSubstr[] = "SUBSTR";

constexpr int64_t kMilli = 1'000;
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

// --- Units of time ---

// GoogleSQL writes a unit as a bare word: DAY, WEEK(MONDAY).
bool IsUnit(const Expr& expr) {
  if (expr.kind == ExprKind::kName) return true;
  return expr.kind == ExprKind::kCall && expr.children.size() == 1 &&
         expr.children[0].kind == ExprKind::kName;
}

Expr Text(std::string text, const Expr& of) {
  Expr literal = Make(ExprKind::kLiteral, of, {});
  literal.literal.type = syntax::Literal::kText;
  literal.literal.text = std::move(text);
  return literal;
}

// The unit as the text that our functions take; an expression that is not a bare word stays as it
// is.
Expr UnitText(const Expr& unit) {
  if (!IsUnit(unit)) return unit;
  if (unit.kind == ExprKind::kName) return Text(unit.name, unit);
  return Text(unit.name + "(" + unit.children[0].name + ")", unit);
}

// Rewrites f(time, unit [, zone]) as TRUNC_TIME(unit, time [, zone]).
Expr TruncTime(const Expr& call) {
  Exprs args = {UnitText(call.children[1]), call.children[0]};
  if (call.children.size() == 3) args.push_back(call.children[2]);
  return Named("TRUNC_TIME", call, std::move(args));
}

// DATE_TRUNC has two orders: DATE_TRUNC(time, MONTH) as in GoogleSQL, DATE_TRUNC('month', time) as
// in PostgreSQL and DuckDB.
Expr DateTrunc(const Expr& call) {
  const bool text_first = call.children[0].kind == ExprKind::kLiteral &&
                          call.children[0].literal.type == syntax::Literal::kText;
  if (!text_first && IsUnit(call.children[1])) return TruncTime(call);
  return Named("TRUNC_TIME", call, call.children);
}

// TIMESTAMP_DIFF counts whole units.
Expr TimeDiff(const Expr& call) {
  return Named("TIME_DIFF", call, {UnitText(call.children[2]), call.children[0], call.children[1]});
}

// DATE_DIFF counts the units that begin between two times: the whole units between the starts of
// the units that the two are in.
Expr DateDiff(const Expr& call) {
  const Expr unit = UnitText(call.children[2]);
  return Named("TIME_DIFF", call,
               {unit, Named("TRUNC_TIME", call, {unit, call.children[0]}),
                Named("TRUNC_TIME", call, {unit, call.children[1]})});
}

Expr Binary(syntax::BinaryOp op, const Expr& call) {
  Expr sum = Make(ExprKind::kBinary, call, call.children);
  sum.op = op;
  return sum;
}

Expr CurrentDate(const Expr& call) {
  Exprs args = {Named(kNow, call, {})};
  if (!call.children.empty()) args.push_back(call.children[0]);
  return Named(kDate, call, std::move(args));
}

// DATE '1970-01-01' + days
Expr DateOfDays(const Expr& call) {
  Expr epoch = Make(ExprKind::kLiteral, call, {});
  epoch.literal.type = syntax::Literal::kDate;
  Expr sum = Make(ExprKind::kBinary, call, {std::move(epoch), call.children[0]});
  sum.op = syntax::BinaryOp::kAdd;
  return sum;
}

// Returns the text of a literal; "" for any other expression.
std::string_view TextOf(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral ? expr.literal.text : std::string_view();
}

// Rewrites LAST_DAY(time [, unit]) as LAST_DAY_OF(unit, time).
Expr LastDay(const Expr& call) {
  Expr unit = call.children.size() == 2 ? UnitText(call.children[1]) : Text("month", call);
  return Named("LAST_DAY_OF", call, {std::move(unit), call.children[0]});
}

// The months of an interval such as INTERVAL 2 QUARTER, which has no fixed length; 0 for others.
int64_t MonthsOfUnit(const Expr& interval) {
  // The arguments of the inner call have not been counted yet.
  if (interval.kind != ExprKind::kCall || !SameWord(interval.name, "TIME_SPAN") ||
      interval.children.size() != 2) {
    return 0;
  }
  auto unit = engine::FindUnit(TextOf(interval.children.back()));
  return unit.ok() ? unit->months : 0;
}

Expr DateArray(const Expr& call) {
  Exprs args = call.children;
  if (args.size() == 2) {
    args.push_back(Named("TIME_SPAN", call, {Number(1, call), Text("day", call)}));
  }
  const int64_t months = MonthsOfUnit(args[2]);
  if (months == 0) return Named(kGenerateArray, call, std::move(args));
  Expr step = Make(ExprKind::kBinary, call, {args[2].children[0], Number(months, call)});
  step.op = syntax::BinaryOp::kMultiply;
  return Named("MONTH_ARRAY", call, {args[0], args[1], std::move(step)});
}

// Rewrites f(text [, form]) as `kName`(form, text). GoogleSQL writes the form as a bare word, too.
template <const char* kName>
Expr Normalized(const Expr& call) {
  Expr form = call.children.size() == 2 ? UnitText(call.children[1]) : Text("NFC", call);
  return Named(kName, call, {std::move(form), call.children[0]});
}

Expr Safe(Expr call) {
  Expr of = call;
  return Named("SAFE", of, {std::move(call)});
}

std::vector<CallInfo> TimeCalls() {
  using syntax::BinaryOp;
  auto add = [](const Expr& c) { return Binary(BinaryOp::kAdd, c); };
  auto subtract = [](const Expr& c) { return Binary(BinaryOp::kSubtract, c); };
  auto micros = [](const Expr& c) { return TimeOf(1, c); };
  auto millis = [](const Expr& c) { return TimeOf(kMilli, c); };
  auto seconds = [](const Expr& c) { return TimeOf(kSecond, c); };
  return {
      Rewritten("CURRENT_DATE", "[zone]", 0, 1, "DATE", "the date of today in UTC or a zone",
                CurrentDate),
      Rewritten("CURRENT_TIMESTAMP", "", 0, 0, "TIMESTAMP", "same as NOW", Renamed<kNow>),
      Rewritten("DATE_ADD", "date, interval", 2, 2, "as argument 1", "date + INTERVAL n unit", add),
      Rewritten("DATE_DIFF", "later, earlier, unit", 3, 3, "INT64",
                "units that begin after the second, up to the first", DateDiff),
      Rewritten("DATE_FROM_UNIX_DATE", "days", 1, 1, "DATE",
                "the day so many days after 1970-01-01", DateOfDays),
      Rewritten("DATE_SUB", "date, interval", 2, 2, "as argument 1", "date - INTERVAL n unit",
                subtract),
      Rewritten("DATE_TRUNC", "date, unit [, zone]", 2, 3, "as the date",
                "start of the MONTH, DAY … of a date or time: (time, MONTH) or ('month', time)",
                DateTrunc),
      Rewritten("FORMAT_DATE", "pattern, time", 2, 2, "TEXT", "same as FORMAT_TIMESTAMP",
                Renamed<kFormatTimestamp>),
      Rewritten("GENERATE_DATE_ARRAY", "from, to [, interval]", 2, 3, "ARRAY",
                "dates from start to end by a step (1 day)", DateArray),
      Rewritten("GENERATE_TIMESTAMP_ARRAY", "from, to, interval", 3, 3, "ARRAY",
                "times from start to end by a step", Renamed<kGenerateArray>),
      Rewritten("LAST_DAY", "date [, unit]", 1, 2, "as argument 1",
                "last day of the MONTH, YEAR … of a date or time", LastDay),
      Rewritten("MAKE_DATE", "year, month, day", 3, 3, "DATE", "same as DATE", Renamed<kDate>),
      Rewritten("TIMESTAMP_ADD", "time, interval", 2, 2, "TIMESTAMP", "time + INTERVAL n unit",
                add),
      Rewritten("TIMESTAMP_DIFF", "later, earlier, unit", 3, 3, "INT64",
                "whole units from the second to the first", TimeDiff),
      Rewritten("TIMESTAMP_FROM_UNIX_MICROS", "n", 1, 1, "TIMESTAMP", "same as TIMESTAMP_MICROS",
                micros),
      Rewritten("TIMESTAMP_FROM_UNIX_MILLIS", "n", 1, 1, "TIMESTAMP", "same as TIMESTAMP_MILLIS",
                millis),
      Rewritten("TIMESTAMP_FROM_UNIX_SECONDS", "n", 1, 1, "TIMESTAMP", "same as TIMESTAMP_SECONDS",
                seconds),
      Rewritten("TIMESTAMP_MICROS", "n", 1, 1, "TIMESTAMP",
                "the time so many microseconds after 1970", micros),
      Rewritten("TIMESTAMP_MILLIS", "n", 1, 1, "TIMESTAMP",
                "the time so many milliseconds after 1970", millis),
      Rewritten("TIMESTAMP_SECONDS", "n", 1, 1, "TIMESTAMP", "the time so many seconds after 1970",
                seconds),
      Rewritten("TIMESTAMP_SUB", "time, interval", 2, 2, "TIMESTAMP", "time - INTERVAL n unit",
                subtract),
      Rewritten("TIMESTAMP_TRUNC", "time, unit [, zone]", 2, 3, "TIMESTAMP",
                "same as DATE_TRUNC(time, unit [, zone])", TruncTime),
      Rewritten("UNIX_DATE", "date", 1, 1, "INT64", "days of a date after 1970-01-01",
                [](const Expr& c) { return UnitsOf(kDay, c); }),
      Rewritten("UNIX_MICROS", "time", 1, 1, "INT64", "microseconds of a time after 1970",
                [](const Expr& c) { return UnitsOf(1, c); }),
      Rewritten("UNIX_MILLIS", "time", 1, 1, "INT64", "milliseconds of a time after 1970",
                [](const Expr& c) { return UnitsOf(kMilli, c); }),
      Rewritten("UNIX_SECONDS", "time", 1, 1, "INT64", "seconds of a time after 1970",
                [](const Expr& c) { return UnitsOf(kSecond, c); }),
  };
}

std::vector<CallInfo> OtherCalls() {
  using syntax::BinaryOp;
  auto bytes = [](const Expr& c) { return Named(kLength, c, {Cast("BYTES", c.children[0])}); };
  return {
      Rewritten("ARRAY_LENGTH", "list", 1, 1, "INT64", "same as CARDINALITY",
                Renamed<kCardinality>),
      Rewritten("BYTE_LENGTH", "text", 1, 1, "INT64", "bytes of BYTES or TEXT", bytes),
      Rewritten("CEILING", "x", 1, 1, "FLOAT64", "same as CEIL", Renamed<kCeil>),
      Rewritten("CHAR_LENGTH", "text", 1, 1, "INT64", "same as LENGTH", Renamed<kLength>),
      Rewritten("CHARACTER_LENGTH", "text", 1, 1, "INT64", "same as LENGTH", Renamed<kLength>),
      Rewritten("IFNULL", "value, otherwise", 2, 2, "as the arguments", "same as COALESCE",
                Renamed<kCoalesce>),
      Rewritten("MAP_CONTAINS_KEY", "map, key", 2, 2, "BOOL", "has a MAP an entry of that key?",
                HasKey),
      Rewritten("NORMALIZE", "text [, form]", 1, 2, "as the text",
                "the text in Unicode's form NFC, or in NFD, NFKC or NFKD",
                Normalized<kNormalizeForm>),
      Rewritten("NORMALIZE_AND_CASEFOLD", "text [, form]", 1, 2, "as the text",
                "as NORMALIZE, without differences of case", Normalized<kNormalizeFold>),
      Rewritten("NVL", "value, otherwise", 2, 2, "as the arguments", "same as COALESCE",
                Renamed<kCoalesce>),
      Rewritten("OCTET_LENGTH", "text", 1, 1, "INT64", "same as BYTE_LENGTH", bytes),
      Rewritten("POW", "x, y", 2, 2, "FLOAT64", "same as POWER", Renamed<kPower>),
      Rewritten("REGEXP_CONTAINS", "text, regex", 2, 2, "BOOL", "same as REGEXP_MATCH",
                Renamed<kRegexMatch>),
      Rewritten("SAFE_ADD", "a, b", 2, 2, "number", "a + b; NULL where that fails",
                [](const Expr& c) { return Safe(Binary(BinaryOp::kAdd, c)); }),
      Rewritten("SAFE_DIVIDE", "a, b", 2, 2, "FLOAT64", "a / b; NULL where that fails",
                [](const Expr& c) { return Safe(Binary(BinaryOp::kDivide, c)); }),
      Rewritten("SAFE_MULTIPLY", "a, b", 2, 2, "number", "a * b; NULL where that fails",
                [](const Expr& c) { return Safe(Binary(BinaryOp::kMultiply, c)); }),
      Rewritten("SAFE_NEGATE", "a", 1, 1, "number", "-a; NULL where that fails",
                [](const Expr& c) { return Safe(Make(ExprKind::kNegate, c, c.children)); }),
      Rewritten("SAFE_SUBTRACT", "a, b", 2, 2, "number", "a - b; NULL where that fails",
                [](const Expr& c) { return Safe(Binary(BinaryOp::kSubtract, c)); }),
      Rewritten("SUBSTRING", "text, from [, length]", 2, 3, "as argument 1", "same as SUBSTR",
                Renamed<kSubstr>),
      Rewritten("TO_FLOAT64", "value", 1, 1, "FLOAT64", "same as FLOAT64",
                [](const Expr& c) { return Cast("FLOAT64", c.children[0]); }),
      Rewritten("TO_INT64", "value", 1, 1, "INT64", "same as INT64",
                [](const Expr& c) { return Cast("INT64", c.children[0]); }),
  };
}

}  // namespace

std::vector<CallInfo> GoogleCalls() {
  std::vector<CallInfo> calls = TimeCalls();
  for (CallInfo& call : OtherCalls()) calls.push_back(call);
  return calls;
}

// IF(some item = x is TRUE or NULL, NULLIF(some item = x, FALSE), FALSE): without a match the
// answer is NULL if x or an item is NULL, but FALSE for a list that is empty or NULL.
Expr InUnnest(const Expr& in) {
  Expr item = Make(ExprKind::kName, in, {});
  item.name = "`";  // hides no name of the statement, since none has a backquote
  auto some = [&](Expr test) {
    Expr lambda = Make(ExprKind::kLambda, in, {item, std::move(test)});
    return Named("ARRAY_INCLUDES", in, {in.children[1], std::move(lambda)});
  };
  Expr equal = Make(ExprKind::kBinary, in, {in.children[0], item});
  equal.op = syntax::BinaryOp::kEqual;
  Expr may_equal = Named(kCoalesce, in, {equal, Bool(true, in)});
  Expr found = Named("NULLIF", in, {some(std::move(equal)), Bool(false, in)});
  return Named("IF", in, {some(std::move(may_equal)), std::move(found), Bool(false, in)});
}

}  // namespace sippar::query
