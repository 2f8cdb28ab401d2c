// Row ranges out of predicates. The rule everywhere: never lose a row for which the test can be
// TRUE; the row key is never NULL, so NOT of an exact set is its complement.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/row_ranges.h"

#include <algorithm>

namespace sippar::query {
namespace {

using engine::Expression;
using engine::Function;
using engine::RowRange;
using engine::RowSet;
using engine::SlotDef;
using engine::ValueType;

RowRanges Unknown() { return {RowSet::All(), false}; }

bool IsSlot(const Expression& expression, SlotDef::Kind kind, const std::vector<SlotDef>& slots) {
  return expression.kind == Expression::kSlot && slots[expression.slot].kind == kind;
}

bool IsText(const Expression& expression) {
  return expression.IsLiteral() && expression.literal.is_string();
}

// 'a' < row is row > 'a'.
Function Flip(Function function) {
  switch (function) {
    case Function::kLess:
      return Function::kGreater;
    case Function::kLessEqual:
      return Function::kGreaterEqual;
    case Function::kGreater:
      return Function::kLess;
    case Function::kGreaterEqual:
      return Function::kLessEqual;
    default:
      return function;
  }
}

RowSet Below(std::string_view key) {
  return key.empty() ? RowSet() : RowSet(RowRange{"", std::string(key)});
}

RowRanges CompareRanges(Function function, const std::string& key) {
  RowRange range;
  switch (function) {
    case Function::kEqual:
      return {RowSet(RowRange::Single(key)), true};
    case Function::kNotEqual:
      return {RowSet(RowRange::Single(key)).Complement(), true};
    case Function::kLess:
      return {Below(key), true};
    case Function::kLessEqual:
      return {Below(engine::RowSuccessor(key)), true};
    case Function::kGreater:
      range.start = engine::RowSuccessor(key);
      return {RowSet(range), true};
    case Function::kGreaterEqual:
      range.start = key;
      return {RowSet(range), true};
    default:
      return Unknown();
  }
}

// Up to the first wildcard; exact for 'text' and 'text%'.
RowRanges LikeRanges(const std::string& pattern) {
  std::string head;
  size_t i = 0;
  for (; i < pattern.size() && pattern[i] != '%' && pattern[i] != '_'; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    head.push_back(pattern[i]);
  }
  if (i == pattern.size()) return {RowSet(RowRange::Single(head)), true};
  bool only_percent = pattern[i] == '%' && i + 1 == pattern.size();
  return {RowSet(RowRange::Prefix(head)), only_percent};
}

RowRanges RegexRanges(const Expression& test) {
  bool case_insensitive =
      test.args.size() == 3 && IsText(test.args[2]) && test.args[2].literal.bytes() == "i";
  auto regex = engine::BytesRegex::Compile(test.args[1].literal.bytes(), case_insensitive);
  if (!regex.ok()) return Unknown();
  return {RowSet(RowRange::Prefix((*regex)->LiteralPrefix())), false};
}

RowRanges InRanges(const Expression& test) {
  RowSet rows;
  for (size_t i = 1; i < test.args.size(); ++i) {
    if (!IsText(test.args[i])) return Unknown();
    rows.Add(RowRange::Single(test.args[i].literal.bytes()));
  }
  return {rows, true};
}

// Intersects many sets with one sort: what is left is what none of them leaves out.
class ManyRows {
 public:
  void Intersect(const RowSet& rows) { Add(rows.Complement(), &left_out_); }
  RowSet Result() const { return left_out_.Complement(); }

  static void Add(const RowSet& rows, RowSet* sum) {
    for (const RowRange& range : rows.ranges()) sum->Add(range);
  }

 private:
  RowSet left_out_;
};

RowRanges JunctionRanges(const Expression& test, const std::vector<SlotDef>& slots) {
  RowRanges result{RowSet(), true};
  ManyRows all;
  bool is_and = test.function == Function::kAnd;
  for (const Expression& arg : test.args) {
    RowRanges part = RangesOf(arg, slots);
    if (is_and) {
      all.Intersect(part.rows);
    } else {
      ManyRows::Add(part.rows, &result.rows);
    }
    result.exact = result.exact && part.exact;
  }
  if (is_and) result.rows = all.Result();
  return result;
}

// No row has the empty key, so a range of nothing but that key holds no row.
RowSet WithoutEmptyKey(RowSet rows) {
  const std::vector<RowRange>& ranges = rows.ranges();
  bool only = !ranges.empty() && ranges[0].start.empty() && ranges[0].IsSingle();
  if (!only) return rows;
  RowSet rest;
  for (size_t i = 1; i < ranges.size(); ++i) rest.Add(ranges[i]);
  return rest;
}

}  // namespace

RowRanges RangesOf(const Expression& test, const std::vector<SlotDef>& slots) {
  if (test.IsLiteral()) {
    if (test.literal.is_true()) return {RowSet::All(), true};
    // NOT NULL is not TRUE either, so NULL must not count as an exact empty set.
    if (test.literal.is_null()) return {RowSet(), false};
    if (test.literal.type() == ValueType::kBool) return {RowSet(), true};
    return Unknown();
  }
  if (test.kind != Expression::kCall) return Unknown();
  switch (test.function) {
    case Function::kAnd:
    case Function::kOr:
      return JunctionRanges(test, slots);
    case Function::kNot: {
      RowRanges inner = RangesOf(test.args[0], slots);
      return inner.exact ? RowRanges{inner.rows.Complement(), true} : Unknown();
    }
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
      if (IsSlot(test.args[0], SlotDef::kRow, slots) && IsText(test.args[1])) {
        return CompareRanges(test.function, test.args[1].literal.bytes());
      }
      if (IsSlot(test.args[1], SlotDef::kRow, slots) && IsText(test.args[0])) {
        return CompareRanges(Flip(test.function), test.args[0].literal.bytes());
      }
      return Unknown();
    default:
      break;
  }
  bool on_row = test.args.size() >= 2 && IsSlot(test.args[0], SlotDef::kRow, slots);
  if (!on_row || !IsText(test.args[1])) {
    return on_row && test.function == Function::kIn ? InRanges(test) : Unknown();
  }
  switch (test.function) {
    case Function::kLike:
      return LikeRanges(test.args[1].literal.bytes());
    case Function::kStartsWith:
      return {RowSet(RowRange::Prefix(test.args[1].literal.bytes())), true};
    case Function::kRegexFound:
      return RegexRanges(test);
    case Function::kIn:
      return InRanges(test);
    default:
      return Unknown();
  }
}

std::vector<Expression> SplitAnd(std::optional<Expression> where) {
  std::vector<Expression> tests;
  if (!where) return tests;
  if (where->kind == Expression::kCall && where->function == Function::kAnd) {
    for (Expression& arg : where->args) {
      for (Expression& test : SplitAnd(std::move(arg))) tests.push_back(std::move(test));
    }
  } else {
    tests.push_back(*std::move(where));
  }
  return tests;
}

std::optional<Expression> JoinAnd(std::vector<Expression> tests) {
  if (tests.empty()) return std::nullopt;
  if (tests.size() == 1) return std::move(tests[0]);
  return Expression::Call(Function::kAnd, std::move(tests));
}

RowSet ExtractRows(const std::vector<SlotDef>& slots, std::optional<Expression>* where) {
  ManyRows rows;
  std::vector<Expression> rest;
  for (Expression& test : SplitAnd(std::move(*where))) {
    RowRanges part = RangesOf(test, slots);
    rows.Intersect(part.rows);
    if (!part.exact) rest.push_back(std::move(test));
  }
  *where = JoinAnd(std::move(rest));
  return WithoutEmptyKey(rows.Result());
}

namespace {

using NamedRows = std::optional<std::set<std::string>>;

NamedRows NamedByEquality(const Expression& test, const std::vector<SlotDef>& slots) {
  bool of_row = IsSlot(test.args[0], SlotDef::kRow, slots);
  if (test.function == Function::kEqual && !of_row) {
    bool flipped = IsSlot(test.args[1], SlotDef::kRow, slots) && IsText(test.args[0]);
    return flipped ? NamedRows({test.args[0].literal.bytes()}) : std::nullopt;
  }
  if (!of_row) return std::nullopt;
  std::set<std::string> rows;
  for (size_t i = 1; i < test.args.size(); ++i) {
    if (!test.args[i].IsLiteral()) return std::nullopt;
    if (IsText(test.args[i])) rows.insert(test.args[i].literal.bytes());
  }
  return rows;
}

NamedRows NamedByJunction(const Expression& test, const std::vector<SlotDef>& slots) {
  bool is_and = test.function == Function::kAnd;
  NamedRows named;
  if (!is_and) named.emplace();
  for (const Expression& arg : test.args) {
    NamedRows part = RowsNamed(arg, slots);
    if (!is_and && !part) return std::nullopt;
    if (!part) continue;
    if (!named) {
      named = std::move(part);
    } else if (is_and) {
      std::erase_if(*named, [&](const std::string& row) { return !part->contains(row); });
    } else {
      named->merge(*part);
    }
  }
  return named;
}

}  // namespace

std::optional<std::set<std::string>> RowsNamed(const Expression& test,
                                               const std::vector<SlotDef>& slots) {
  if (test.IsLiteral() && !test.literal.is_true()) return std::set<std::string>();
  if (test.kind != Expression::kCall) return std::nullopt;
  switch (test.function) {
    case Function::kEqual:
    case Function::kIn:
      return NamedByEquality(test, slots);
    case Function::kAnd:
    case Function::kOr:
      return NamedByJunction(test, slots);
    default:
      return std::nullopt;
  }
}

namespace {

// Narrows *time by `timestamp <function> micros`; false when it cannot say it.
bool NarrowTime(Function function, int64_t micros, engine::TimeRange* time) {
  if (micros >= engine::kTimeMax - 1 || micros <= engine::kTimeMin) return false;
  int64_t start = engine::kTimeMin;
  int64_t limit = engine::kTimeMax;
  switch (function) {
    case Function::kEqual:
      start = micros;
      limit = micros + 1;
      break;
    case Function::kLess:
      limit = micros;
      break;
    case Function::kLessEqual:
      limit = micros + 1;
      break;
    case Function::kGreater:
      start = micros + 1;
      break;
    case Function::kGreaterEqual:
      start = micros;
      break;
    default:
      return false;
  }
  time->start_us = std::max(time->start_us, start);
  time->limit_us = std::min(time->limit_us, limit);
  return true;
}

bool IsTime(const Expression& expression) {
  return expression.IsLiteral() && (expression.literal.type() == ValueType::kInt64 ||
                                    expression.literal.type() == ValueType::kTimestamp);
}

}  // namespace

void ExtractTime(const std::vector<SlotDef>& slots, engine::TimeRange* time,
                 std::optional<Expression>* where) {
  std::vector<Expression> rest;
  for (Expression& test : SplitAnd(std::move(*where))) {
    bool spent = false;
    if (test.kind == Expression::kCall && test.args.size() == 2) {
      const Expression& left = test.args[0];
      const Expression& right = test.args[1];
      if (IsSlot(left, SlotDef::kTimestamp, slots) && IsTime(right)) {
        spent = NarrowTime(test.function, right.literal.integer(), time);
      } else if (IsSlot(right, SlotDef::kTimestamp, slots) && IsTime(left)) {
        spent = NarrowTime(Flip(test.function), left.literal.integer(), time);
      }
    }
    if (!spent) rest.push_back(std::move(test));
  }
  *where = JoinAnd(std::move(rest));
}

}  // namespace sippar::query
