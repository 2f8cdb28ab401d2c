// All functions here return ranges that contain every row for which the test can be TRUE; they may
// contain more. The row key is never NULL, so NOT of an exact set is the complement of the set.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/row_ranges.h"

#include <algorithm>

#include "engine/base/stoppable_sort.h"
#include "engine/model/bytes_regex.h"

namespace sippar::query {
namespace {

using engine::Expression;
using engine::Function;
using engine::RowRange;
using engine::RowSet;
using engine::SlotDef;
using engine::StopBudget;
using engine::ValueType;

RowRanges Unknown() { return {RowSet::All(), false}; }

bool IsSlot(const Expression& expression, SlotDef::Kind kind, const std::vector<SlotDef>& slots) {
  return expression.kind == Expression::kSlot && slots[expression.slot].kind == kind;
}

bool IsText(const Expression& expression) {
  return expression.IsLiteral() && expression.literal.is_string();
}

// The comparison with its sides exchanged: 'a' < row is row > 'a'.
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

// The rows before `key`; none for the empty key, since an empty limit of a range means no end.
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

// The rows that begin with the pattern's text up to its first wildcard. Exact for 'text' and
// 'text%'.
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

// The rows that begin with the literal prefix of an anchored regex; never exact.
// RE2 finds a regex anywhere, so only one that begins with ^ restricts the key; LiteralPrefix is
// empty for all others, whose range is every row.
RowRanges RegexRanges(const Expression& test) {
  bool case_insensitive =
      test.args.size() == 3 && IsText(test.args[2]) && test.args[2].literal.bytes() == "i";
  auto regex = engine::BytesRegex::Compile(test.args[1].literal.bytes(), case_insensitive);
  if (!regex.ok()) return Unknown();
  return {RowSet(RowRange::Prefix((*regex)->LiteralPrefix())), false};
}

// Computes the union or the intersection of many sets with one sort. Joining the sets one by one
// would take time quadratic in their number. Use an object either for a union (Add, AddKey, Sum) or
// for an intersection (Intersect, Intersection), never for both.
class ManyRows {
 public:
  explicit ManyRows(StopBudget* budget) : budget_(budget) {}
  Status Add(const RowSet& rows) {
    RETURN_IF_ERROR(budget_->Spend((1 + rows.ranges().size()) * StopBudget::kStep));
    ranges_.insert(ranges_.end(), rows.ranges().begin(), rows.ranges().end());
    return OkStatus();
  }
  Status AddKey(std::string_view key) {
    RETURN_IF_ERROR(budget_->Spend());
    ranges_.push_back(RowRange::Single(key));
    return OkStatus();
  }
  // An intersection is the complement of the union of the complements.
  Status Intersect(const RowSet& rows) { return Add(rows.Complement()); }

  StatusOr<RowSet> Sum() {
    RETURN_IF_ERROR(StoppableSort(
        &ranges_, budget_, [](const RowRange& a, const RowRange& b) { return a.start < b.start; }));
    RowSet sum;
    for (RowRange& range : ranges_) sum.Add(std::move(range));
    return sum;
  }
  StatusOr<RowSet> Intersection() {
    ASSIGN_OR_RETURN(RowSet left_out, Sum());
    return left_out.Complement();
  }

 private:
  StopBudget* budget_;
  std::vector<RowRange> ranges_;
};

StatusOr<RowRanges> InRanges(const Expression& test, StopBudget* budget) {
  ManyRows rows(budget);
  for (size_t i = 1; i < test.args.size(); ++i) {
    if (!IsText(test.args[i])) return Unknown();
    RETURN_IF_ERROR(rows.AddKey(test.args[i].literal.bytes()));
  }
  ASSIGN_OR_RETURN(RowSet sum, rows.Sum());
  return RowRanges{std::move(sum), true};
}

StatusOr<RowRanges> JunctionRanges(const Expression& test, const std::vector<SlotDef>& slots,
                                   StopBudget* budget) {
  RowRanges result{RowSet(), true};
  ManyRows all(budget);
  bool is_and = test.function == Function::kAnd;
  for (const Expression& arg : test.args) {
    ASSIGN_OR_RETURN(RowRanges part, RangesOf(arg, slots, budget));
    RETURN_IF_ERROR(is_and ? all.Intersect(part.rows) : all.Add(part.rows));
    result.exact = result.exact && part.exact;
  }
  ASSIGN_OR_RETURN(result.rows, is_and ? all.Intersection() : all.Sum());
  return result;
}

// Removes the first range if it has only the empty key: no row has the empty key.
RowSet WithoutEmptyKey(RowSet rows) {
  const std::vector<RowRange>& ranges = rows.ranges();
  bool only = !ranges.empty() && ranges[0].start.empty() && ranges[0].IsSingle();
  if (!only) return rows;
  RowSet rest;
  for (size_t i = 1; i < ranges.size(); ++i) rest.Add(ranges[i]);
  return rest;
}

RowRanges LiteralRanges(const engine::Value& value) {
  if (value.is_true()) return {RowSet::All(), true};
  // The test NULL holds for no row, but the empty set is not exact: NOT of an exact empty set would
  // be all rows, and NOT NULL holds for no row.
  if (value.is_null()) return {RowSet(), false};
  return value.type() == ValueType::kBool ? RowRanges{RowSet(), true} : Unknown();
}

// Returns the rows for which the comparison can be TRUE. Handles a comparison of the row key with a
// constant, such as row = 'text' or 'text' < row.
RowRanges ComparisonRanges(const Expression& test, const std::vector<SlotDef>& slots) {
  const Expression& left = test.args[0];
  const Expression& right = test.args[1];
  if (IsSlot(left, SlotDef::kRow, slots) && IsText(right)) {
    return CompareRanges(test.function, right.literal.bytes());
  }
  if (IsSlot(right, SlotDef::kRow, slots) && IsText(left)) {
    return CompareRanges(Flip(test.function), left.literal.bytes());
  }
  return Unknown();
}

// Returns the rows for which the test can be TRUE. Handles a LIKE, STARTS_WITH or regex test that
// compares the row key with a constant.
RowRanges TextTestRanges(const Expression& test, const std::vector<SlotDef>& slots) {
  if (!IsSlot(test.args[0], SlotDef::kRow, slots) || !IsText(test.args[1])) return Unknown();
  const std::string& text = test.args[1].literal.bytes();
  if (test.function == Function::kLike) return LikeRanges(text);
  if (test.function == Function::kRegexFound) return RegexRanges(test);
  return {RowSet(RowRange::Prefix(text)), true};
}

}  // namespace

StatusOr<RowRanges> RangesOf(const Expression& test, const std::vector<SlotDef>& slots,
                             StopBudget* budget) {
  if (test.IsLiteral()) return LiteralRanges(test.literal);
  if (test.kind != Expression::kCall) return Unknown();
  switch (test.function) {
    case Function::kAnd:
    case Function::kOr:
      return JunctionRanges(test, slots, budget);
    // Only an exact set is complemented. An inexact set may contain too many rows, and its
    // complement would then lack rows for which NOT is TRUE.
    case Function::kNot: {
      ASSIGN_OR_RETURN(RowRanges inner, RangesOf(test.args[0], slots, budget));
      return inner.exact ? RowRanges{inner.rows.Complement(), true} : Unknown();
    }
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
      return ComparisonRanges(test, slots);
    case Function::kLike:
    case Function::kStartsWith:
    case Function::kRegexFound:
      return TextTestRanges(test, slots);
    case Function::kIn:
      if (IsSlot(test.args[0], SlotDef::kRow, slots) && test.args.size() > 1)
        return InRanges(test, budget);
      return Unknown();
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

StatusOr<RowSet> ExtractRows(const std::vector<SlotDef>& slots, std::optional<Expression>* where,
                             StopBudget* budget) {
  ManyRows rows(budget);
  std::vector<Expression> rest;
  for (Expression& test : SplitAnd(std::move(*where))) {
    ASSIGN_OR_RETURN(RowRanges part, RangesOf(test, slots, budget));
    RETURN_IF_ERROR(rows.Intersect(part.rows));
    if (!part.exact) rest.push_back(std::move(test));
  }
  *where = JoinAnd(std::move(rest));
  ASSIGN_OR_RETURN(RowSet left, rows.Intersection());
  return WithoutEmptyKey(std::move(left));
}

namespace {

StatusOr<NamedRows> NamedByEquality(const Expression& test, const std::vector<SlotDef>& slots,
                                    StopBudget* budget) {
  bool of_row = IsSlot(test.args[0], SlotDef::kRow, slots);
  if (test.function == Function::kEqual && !of_row) {
    bool flipped = IsSlot(test.args[1], SlotDef::kRow, slots) && IsText(test.args[0]);
    return flipped ? NamedRows({test.args[0].literal.bytes()}) : NamedRows();
  }
  if (!of_row) return NamedRows();
  std::set<std::string> rows;
  for (size_t i = 1; i < test.args.size(); ++i) {
    RETURN_IF_ERROR(budget->Spend());
    if (!test.args[i].IsLiteral()) return NamedRows();
    if (IsText(test.args[i])) rows.insert(test.args[i].literal.bytes());
  }
  return NamedRows(std::move(rows));
}

StatusOr<NamedRows> NamedByJunction(const Expression& test, const std::vector<SlotDef>& slots,
                                    StopBudget* budget) {
  bool is_and = test.function == Function::kAnd;
  NamedRows named;
  // OR names rows only if each of its parts does: a part such as LIKE may hold for any row. In an
  // AND the parts that name no rows are ignored.
  if (!is_and) named.emplace();
  for (const Expression& arg : test.args) {
    ASSIGN_OR_RETURN(NamedRows part, RowsNamed(arg, slots, budget));
    size_t looked_at = is_and && named ? named->size() : 1;
    RETURN_IF_ERROR(budget->Spend(looked_at * StopBudget::kStep));
    if (!is_and && !part) return NamedRows();
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

StatusOr<NamedRows> RowsNamed(const Expression& test, const std::vector<SlotDef>& slots,
                              StopBudget* budget) {
  // FALSE and NULL hold for no row: they name the empty set, not "any row".
  if (test.IsLiteral() && !test.literal.is_true()) return NamedRows(std::set<std::string>());
  if (test.kind != Expression::kCall) return NamedRows();
  switch (test.function) {
    case Function::kEqual:
    case Function::kIn:
      return NamedByEquality(test, slots, budget);
    case Function::kAnd:
    case Function::kOr:
      return NamedByJunction(test, slots, budget);
    default:
      return NamedRows();
  }
}

namespace {

// Narrows *time by `timestamp <function> micros`. False if a time range cannot express the test.
bool NarrowTime(Function function, int64_t micros, engine::TimeRange* time) {
  // Near the largest time `micros + 1` would overflow or mean no end, and kTimeMin means no start.
  // Such a test stays in WHERE.
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
