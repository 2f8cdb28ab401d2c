// Expressions and column patterns of the query language, as trees of plain values. query/parse
// makes them, the planner reads them, syntax/ast_print.h prints them. They can be copied and
// compared; places in the text do not count in a comparison. limits::kExpressionDepthMax bounds the
// depth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/column_pattern.h"
#include "query/syntax/span.h"

namespace sippar::query::syntax {

struct Identifier {  // name of a table, family, group, alias … as written, without backquotes
  std::string text;
  Span span;
  bool empty() const { return text.empty(); }
  bool operator==(const Identifier&) const = default;
};

// `family:qualifier`. Either side is an exact name, a /regex/ or *. The qualifier may also be a
// ^prefix or a parameter (anchor:@site).
struct PatternNode {
  engine::NamePattern family;
  engine::NamePattern qualifier;  // not used if `qualifier_param` is set
  std::string qualifier_param;    // parameter's name without @; "": none
  Span span;

  bool HasParam() const { return !qualifier_param.empty(); }
  // True if the pattern names one column. A parameter stands for one qualifier.
  bool IsExact() const {
    return family.kind == engine::NamePattern::kExact &&
           (HasParam() || qualifier.kind == engine::NamePattern::kExact);
  }
  // The pattern for the engine. The first form requires !HasParam(); `bound_qualifier` is the value
  // of the parameter.
  engine::ColumnPattern ToColumnPattern() const { return {family, qualifier}; }
  engine::ColumnPattern ToColumnPattern(std::string_view bound_qualifier) const {
    return {family, HasParam() ? engine::NamePattern::Exact(bound_qualifier) : qualifier};
  }
  bool operator==(const PatternNode&) const = default;
};

struct Literal {
  enum Type : uint8_t {  // each comment names the member that holds the value
    kNull,
    kBool,       // `integer`: 0 or 1
    kInt64,      // `integer`
    kFloat64,    // `real`
    kText,       // `text` ('…', "…", r'…'); UTF-8, unless \x escapes add other bytes
    kBytes,      // `text` (b'…', x'…')
    kDuration,   // `integer`: microseconds
    kSize,       // `integer`: bytes
    kTimestamp,  // `integer`: microseconds since 1970
    kDate,       // `integer`: days since 1970-01-01
  };
  Type type = kNull;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  // True for a kTimestamp written without a zone: `integer` was computed as if its zone were UTC,
  // and the compiler still has to subtract the session's offset.
  bool zone_missing = false;

  bool operator==(const Literal&) const = default;
};

enum class BinaryOp : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kMatch,     // a ~ b with a computed regex; a literal one is ExprKind::kRegexTest
  kNotMatch,  // a !~ b
  kLike,
  kNotLike,
  kILike,  // LIKE that ignores case
  kNotILike,
  kStartsWith,
  kDistinct,  // IS DISTINCT FROM: unequal, where NULL equals NULL and NaN equals NaN
  kNotDistinct,
  kAdd,
  kSubtract,
  kConcat,
  kMultiply,
  kDivide,
  kModulo,
};

// The kinds of nodes. Each comment shows the text of the node and the members of Expr that hold its
// parts.
enum class ExprKind : uint8_t {
  kLiteral,    // 42, 'text': `literal`
  kName,       // row, value, an alias …: `name`
  kPattern,    // family:qualifier: `pattern`
  kParam,      // @name: `name`, without @
  kCall,       // name(children); star: COUNT(*); distinct: COUNT(DISTINCT x)
  kCast,       // CAST(children[0] AS name); negated: TRY_CAST; of_items: to ARRAY<name>
  kCase,       // [operand] (when, then)… [else], see has_operand and has_else
  kNegate,     // -children[0]
  kNot,        // NOT children[0]
  kAnd,        // children, two or more. 'a' <= row < 'b' arrives as an AND of two tests
  kOr,         // children, two or more
  kBinary,     // children[0] op children[1]
  kRegexTest,  // children[0] ~ /regex/; negated: !~
  kBetween,    // children: value, low, high; negated: NOT BETWEEN
  kIn,         // children: value, then the list; negated: NOT IN; unnest: value, then one ARRAY
  kIsNull,     // children[0] IS NULL; negated: IS NOT NULL
  kIndex,      // children[0][children[1]]
  kArray,      // [children]
  kLambda,     // children: names of the variables, then the body: (x, i) -> x + i
};

// One node of the tree; its kind says which members it uses.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Span span;
  Literal literal;
  std::string name;  // spelled as in the text
  PatternNode pattern;
  engine::NamePattern regex;
  BinaryOp op = BinaryOp::kEqual;
  bool negated = false;
  bool star = false;
  bool distinct = false;
  bool unnest = false;
  bool has_operand = false;
  bool has_else = false;
  bool of_items = false;
  std::vector<Expr> children;

  bool operator==(const Expr&) const = default;
};

using OptionalExpr = std::optional<Expr>;

}  // namespace sippar::query::syntax
