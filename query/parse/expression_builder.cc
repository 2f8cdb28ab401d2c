// Expressions from ANTLR's parse tree, see expression_builder.h. SPDX-License-Identifier:
// Apache-2.0
#include "query/parse/expression_builder.h"

#include <fmt/format.h>

#include "engine/base/limits.h"

namespace sippar::query {

using syntax::BinaryOp;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Literal;

namespace {

// The token of a child that is a token, or nullptr.
const antlr4::Token* TokenOf(antlr4::tree::ParseTree* node) {
  auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(node);
  return terminal == nullptr ? nullptr : terminal->getSymbol();
}

Expr MakeExpr(ExprKind kind, const Span& span) {
  Expr expr;
  expr.kind = kind;
  expr.span = span;
  return expr;
}

Span Join(const Span& first, const Span& last) {
  Span span = first;
  span.end = last.end;
  return span;
}

Expr MakeBinary(BinaryOp op, Expr left, Expr right) {
  Expr expr = MakeExpr(ExprKind::kBinary, Join(left.span, right.span));
  expr.op = op;
  expr.children.push_back(std::move(left));
  expr.children.push_back(std::move(right));
  return expr;
}

BinaryOp OperatorOf(size_t token_type) {
  switch (token_type) {
    case SipparParser::EQ:
      return BinaryOp::kEqual;
    case SipparParser::NE:
      return BinaryOp::kNotEqual;
    case SipparParser::LT:
      return BinaryOp::kLess;
    case SipparParser::LE:
      return BinaryOp::kLessEqual;
    case SipparParser::GT:
      return BinaryOp::kGreater;
    case SipparParser::GE:
      return BinaryOp::kGreaterEqual;
    case SipparParser::MATCH:
      return BinaryOp::kMatch;
    case SipparParser::NOMATCH:
      return BinaryOp::kNotMatch;
    case SipparParser::PLUS:
      return BinaryOp::kAdd;
    case SipparParser::MINUS:
      return BinaryOp::kSubtract;
    case SipparParser::CAT:
      return BinaryOp::kConcat;
    case SipparParser::STAR:
      return BinaryOp::kMultiply;
    case SipparParser::SLASH:
      return BinaryOp::kDivide;
    default:
      return BinaryOp::kModulo;
  }
}

// < and <= point up (1), > and >= down (-1), everything else is no order test (0).
int DirectionOf(SipparParser::ComparisonTailContext* tail) {
  if (tail->LT() != nullptr || tail->LE() != nullptr) return 1;
  if (tail->GT() != nullptr || tail->GE() != nullptr) return -1;
  return 0;
}

}  // namespace

Span ExpressionBuilder::SpanOf(antlr4::ParserRuleContext* context) const {
  return text_->SpanOf(*context->getStart(), *context->getStop());
}

std::string_view ExpressionBuilder::TextOf(antlr4::ParserRuleContext* context) const {
  Span span = SpanOf(context);
  return text_->text().substr(span.begin, span.end - span.begin);
}

void ExpressionBuilder::Fail(const QueryError& error) {
  if (status_.ok()) status_ = ToStatus(error);
}

void ExpressionBuilder::Fail(std::string_view code, const Span& span, std::string_view message,
                             std::string_view hint) {
  if (status_.ok()) status_ = ErrorAt(code, span, message, hint);
}

void ExpressionBuilder::Report(const OptionalProblem& problem, const antlr4::Token& token) {
  if (!problem) return;
  Span span = text_->SpanOf(token);
  bool escape = problem->at > 0;  // else the whole literal is meant
  if (escape) span = text_->SpanAt(span.begin + problem->at, span.begin + problem->at + 2);
  Fail(escape && text_->text()[span.begin] == '\\' ? "BAD_ESCAPE" : "BAD_LITERAL", span,
       problem->message);
}

bool ExpressionBuilder::TooDeep(size_t levels, antlr4::ParserRuleContext* context) {
  if (depth_ + levels <= limits::kExpressionDepthMax) return false;
  Fail("TOO_DEEP", SpanOf(context),
       fmt::format("an expression of more than {} levels", limits::kExpressionDepthMax),
       "long chains of || and + count one level for each operator; use CONCAT(…) or IN (…)");
  return true;
}

syntax::Identifier ExpressionBuilder::Name(const antlr4::Token& token) {
  std::string_view text = text_->TextOf(token);
  if (text.size() > 1 && text[0] == '`') text = text.substr(1, text.size() - 2);
  return {std::string(text), text_->SpanOf(token)};
}

syntax::Identifier ExpressionBuilder::Name(antlr4::ParserRuleContext* context) {
  return Name(*context->getStart());
}

syntax::Identifier ExpressionBuilder::NameOrString(antlr4::ParserRuleContext* context) {
  const antlr4::Token& token = *context->getStart();
  if (token.getType() != SipparParser::STRING) return Name(token);
  syntax::Identifier name{"", text_->SpanOf(token)};
  Report(DecodeQuoted(text_->TextOf(token), false, &name.text), token);
  return name;
}

syntax::PatternNode ExpressionBuilder::Build(SipparParser::ColumnPatternContext* context) {
  syntax::PatternNode pattern;
  const antlr4::Token& token = *context->getStart();
  Report(DecodePattern(text_->TextOf(token), &pattern), token);
  pattern.span = text_->SpanOf(token);
  return pattern;
}

Expr ExpressionBuilder::Build(SipparParser::ExpressionContext* context) {
  if (TooDeep(1, context)) return {};
  ++depth_;
  auto parts = context->conjunction();
  Expr expr;
  if (parts.size() == 1) {
    expr = BuildAnd(parts[0]);
  } else {
    expr = MakeExpr(ExprKind::kOr, SpanOf(context));
    for (auto* part : parts) expr.children.push_back(BuildAnd(part));
  }
  --depth_;
  return expr;
}

Expr ExpressionBuilder::BuildAnd(SipparParser::ConjunctionContext* context) {
  auto parts = context->negation();
  if (parts.size() == 1) return BuildNot(parts[0]);
  Expr expr = MakeExpr(ExprKind::kAnd, SpanOf(context));
  for (auto* part : parts) {
    Expr child = BuildNot(part);
    // A chain ('a' <= row < 'b') in an AND is two more tests of it; (a AND b) in brackets as well,
    // which keeps the printed form and the tree one to one.
    if (child.kind == ExprKind::kAnd) {
      for (Expr& test : child.children) expr.children.push_back(std::move(test));
    } else {
      expr.children.push_back(std::move(child));
    }
  }
  return expr;
}

Expr ExpressionBuilder::BuildNot(SipparParser::NegationContext* context) {
  if (context->NOT() == nullptr) return BuildComparison(context->comparison());
  if (TooDeep(1, context)) return {};
  ++depth_;
  Expr expr = MakeExpr(ExprKind::kNot, SpanOf(context));
  expr.children.push_back(BuildNot(context->negation()));
  --depth_;
  return expr;
}

Expr ExpressionBuilder::BuildComparison(SipparParser::ComparisonContext* context) {
  auto tails = context->comparisonTail();
  if (TooDeep(tails.size(), context)) return {};
  size_t order_tests = 0;
  for (auto* tail : tails) order_tests += DirectionOf(tail) != 0;
  if (tails.size() > 1 && order_tests == tails.size()) return BuildChain(context);
  if (tails.size() > 1 && order_tests > 1) {
    Fail("SYNTAX", SpanOf(context), "order tests and other tests in one chain",
         "use AND, or put one of the tests into ( )");
    return {};
  }
  depth_ += tails.size();
  Expr expr = BuildSum(context->sum());
  for (auto* tail : tails) expr = ApplyTail(std::move(expr), tail);
  depth_ -= tails.size();
  return expr;
}

// 'a' <= row < 'b' means both tests; they must point the same way.
Expr ExpressionBuilder::BuildChain(SipparParser::ComparisonContext* context) {
  auto tails = context->comparisonTail();
  Expr all = MakeExpr(ExprKind::kAnd, SpanOf(context));
  ++depth_;
  Expr left = BuildSum(context->sum());
  for (auto* tail : tails) {
    const antlr4::Token& sign = *tail->getStart();
    if (DirectionOf(tail) != DirectionOf(tails[0])) {
      QueryError error;
      error.code = "RANGE_DIRECTION";
      error.message = fmt::format("a chain of order tests must point one way, {} and {} do not",
                                  text_->TextOf(*tails[0]->getStart()), text_->TextOf(sign));
      error.span = text_->SpanOf(*tails[0]->getStart());
      error.more.push_back(text_->SpanOf(sign));
      error.hint = "write 'a' < row < 'b', or two tests with AND";
      Fail(error);
    }
    Expr right = BuildSum(tail->sum(0));
    all.children.push_back(MakeBinary(OperatorOf(sign.getType()), left, right));
    left = std::move(right);
  }
  --depth_;
  return all;
}

Expr ExpressionBuilder::ApplyTail(Expr left, SipparParser::ComparisonTailContext* context) {
  Expr expr = MakeExpr(ExprKind::kBinary, Join(left.span, SpanOf(context)));
  expr.negated = context->NOT() != nullptr;
  expr.children.push_back(std::move(left));
  const antlr4::Token& first = *context->getStart();
  if (first.getType() == SipparParser::REGEX_TEST) {
    std::string_view text = text_->TextOf(first);
    expr.kind = ExprKind::kRegexTest;
    expr.negated = text[0] == '!';
    expr.regex = DecodeRegex(text.substr(text.find('/')));
  } else if (context->NULL_() != nullptr) {
    expr.kind = ExprKind::kIsNull;
  } else if (context->IN_() != nullptr) {
    expr.kind = ExprKind::kIn;
    for (auto* item : context->expression()) expr.children.push_back(Build(item));
  } else if (context->BETWEEN() != nullptr) {
    expr.kind = ExprKind::kBetween;
    for (auto* bound : context->sum()) expr.children.push_back(BuildSum(bound));
  } else {
    if (context->LIKE() != nullptr) {
      expr.op = expr.negated ? BinaryOp::kNotLike : BinaryOp::kLike;
      expr.negated = false;
    } else {
      bool starts = context->STARTS() != nullptr;
      expr.op = starts ? BinaryOp::kStartsWith : OperatorOf(first.getType());
    }
    expr.children.push_back(BuildSum(context->sum(0)));
  }
  return expr;
}

Expr ExpressionBuilder::BuildSum(SipparParser::SumContext* context) {
  const auto& parts = context->children;  // term, sign, term, …
  size_t levels = parts.size() / 2;
  if (TooDeep(levels, context)) return {};
  depth_ += levels;
  Expr expr = BuildTerm(dynamic_cast<SipparParser::TermContext*>(parts[0]));
  for (size_t i = 1; i + 1 < parts.size(); i += 2) {
    Expr right = BuildTerm(dynamic_cast<SipparParser::TermContext*>(parts[i + 1]));
    expr = MakeBinary(OperatorOf(TokenOf(parts[i])->getType()), std::move(expr), std::move(right));
  }
  depth_ -= levels;
  return expr;
}

Expr ExpressionBuilder::BuildTerm(SipparParser::TermContext* context) {
  const auto& parts = context->children;
  size_t levels = parts.size() / 2;
  if (TooDeep(levels, context)) return {};
  depth_ += levels;
  Expr expr = BuildUnary(dynamic_cast<SipparParser::UnaryContext*>(parts[0]));
  for (size_t i = 1; i + 1 < parts.size(); i += 2) {
    Expr right = BuildUnary(dynamic_cast<SipparParser::UnaryContext*>(parts[i + 1]));
    expr = MakeBinary(OperatorOf(TokenOf(parts[i])->getType()), std::move(expr), std::move(right));
  }
  depth_ -= levels;
  return expr;
}

Expr ExpressionBuilder::BuildUnary(SipparParser::UnaryContext* context) {
  if (context->MINUS() == nullptr) return BuildPostfix(context->postfix());
  if (TooDeep(1, context)) return {};
  // A sign directly before a number belongs to it, so that the smallest INT64 can be written.
  auto* postfix = context->unary()->postfix();
  if (postfix != nullptr && postfix->children.size() == 1) {
    auto* literal = postfix->primary()->literal();
    if (literal != nullptr && (literal->INT() != nullptr || literal->FLOAT() != nullptr ||
                               literal->DURATION() != nullptr)) {
      Expr expr = BuildLiteral(literal, true);
      expr.span = SpanOf(context);
      return expr;
    }
  }
  ++depth_;
  Expr expr = MakeExpr(ExprKind::kNegate, SpanOf(context));
  expr.children.push_back(BuildUnary(context->unary()));
  --depth_;
  return expr;
}

Expr ExpressionBuilder::BuildPostfix(SipparParser::PostfixContext* context) {
  auto indexes = context->expression();
  if (TooDeep(indexes.size(), context)) return {};
  depth_ += indexes.size();
  Expr expr = BuildPrimary(context->primary());
  for (auto* index : indexes) {
    Expr outer = MakeExpr(ExprKind::kIndex, SpanOf(context));
    outer.children.push_back(std::move(expr));
    outer.children.push_back(Build(index));
    expr = std::move(outer);
  }
  depth_ -= indexes.size();
  return expr;
}

Expr ExpressionBuilder::BuildPrimary(SipparParser::PrimaryContext* context) {
  if (auto* literal = context->literal()) return BuildLiteral(literal, false);
  if (auto* call = context->call()) return BuildCall(call);
  if (auto* case_when = context->caseWhen()) return BuildCase(case_when);
  if (auto* pattern = context->columnPattern()) {
    Expr expr = MakeExpr(ExprKind::kPattern, SpanOf(context));
    expr.pattern = Build(pattern);
    return expr;
  }
  if (context->CAST() != nullptr || context->TRY_CAST() != nullptr) {
    Expr expr = MakeExpr(ExprKind::kCast, SpanOf(context));
    expr.negated = context->TRY_CAST() != nullptr;
    expr.name = Name(context->name()).text;
    expr.children.push_back(Build(context->expression(0)));
    return expr;
  }
  if (auto* name = context->name()) {
    Expr expr = MakeExpr(ExprKind::kName, SpanOf(context));
    expr.name = Name(name).text;
    return expr;
  }
  if (context->PARAM() != nullptr) {
    Expr expr = MakeExpr(ExprKind::kParam, SpanOf(context));
    expr.name = std::string(TextOf(context).substr(1));
    return expr;
  }
  if (context->LPAREN() != nullptr) {
    Expr expr = Build(context->expression(0));
    expr.span = SpanOf(context);
    return expr;
  }
  Expr expr = MakeExpr(ExprKind::kArray, SpanOf(context));
  for (auto* item : context->expression()) expr.children.push_back(Build(item));
  return expr;
}

Expr ExpressionBuilder::BuildCall(SipparParser::CallContext* context) {
  Expr expr = MakeExpr(ExprKind::kCall, SpanOf(context));
  expr.name = Name(*context->getStart()).text;
  expr.star = context->STAR() != nullptr;
  expr.distinct = context->DISTINCT() != nullptr;
  for (auto* argument : context->expression()) expr.children.push_back(Build(argument));
  return expr;
}

Expr ExpressionBuilder::BuildCase(SipparParser::CaseWhenContext* context) {
  Expr expr = MakeExpr(ExprKind::kCase, SpanOf(context));
  if (auto* operand = context->caseOperand()) {
    expr.has_operand = true;
    expr.children.push_back(Build(operand->expression()));
  }
  for (auto* part : context->expression()) expr.children.push_back(Build(part));
  if (auto* otherwise = context->caseElse()) {
    expr.has_else = true;
    expr.children.push_back(Build(otherwise->expression()));
  }
  return expr;
}

Expr ExpressionBuilder::BuildLiteral(SipparParser::LiteralContext* context, bool negative) {
  Expr expr = MakeExpr(ExprKind::kLiteral, SpanOf(context));
  DecodeLiteral(context, negative, &expr.literal);
  return expr;
}

Literal ExpressionBuilder::Build(SipparParser::LiteralContext* context) {
  Literal literal;
  DecodeLiteral(context, false, &literal);
  return literal;
}

bool ExpressionBuilder::DecodeLiteral(SipparParser::LiteralContext* context, bool negative,
                                      Literal* out) {
  const antlr4::Token& token = *context->getStop();  // of TIMESTAMP '…' the text
  std::string_view text = text_->TextOf(token);
  OptionalProblem problem;
  if (context->INT() != nullptr) {
    out->type = Literal::kInt64;
    problem = DecodeInt(text, negative, &out->integer);
  } else if (context->FLOAT() != nullptr) {
    out->type = Literal::kFloat64;
    problem = DecodeFloat(text, &out->real);
    if (negative) out->real = -out->real;
  } else if (context->TIMESTAMP() != nullptr) {
    out->type = Literal::kTimestamp;
    std::string time;
    problem = DecodeQuoted(text, false, &time);
    if (!problem) problem = DecodeTimestamp(time, &out->integer, &out->zone_missing);
    if (problem) problem->at = 0;  // the whole literal is meant
  } else if (context->STRING() != nullptr) {
    out->type = Literal::kText;
    problem = DecodeQuoted(text, false, &out->text);
  } else if (context->RAW_STRING() != nullptr) {
    out->type = Literal::kText;
    out->text = DecodeRaw(text);
  } else if (context->BYTES() != nullptr) {
    out->type = Literal::kBytes;
    problem = DecodeBytes(text, &out->text);
  } else if (context->DURATION() != nullptr) {
    out->type = Literal::kDuration;
    problem = DecodeDuration(text, &out->integer);
    if (negative) out->integer = -out->integer;
  } else if (context->SIZE() != nullptr) {
    out->type = Literal::kSize;
    problem = DecodeSize(text, &out->integer);
  } else if (context->NULL_() == nullptr) {
    out->type = Literal::kBool;
    out->integer = context->TRUE_() != nullptr ? 1 : 0;
  }
  Report(problem, token);
  return !problem;
}

}  // namespace sippar::query
