// SPDX-License-Identifier: Apache-2.0
#include "query/parse/expression_builder.h"

#include <fmt/format.h>

#include "engine/base/limits.h"
#include "query/parse/expr_node.h"

namespace sippar::query {

using syntax::Expr;
using syntax::ExprKind;

namespace {

// The token of a child; nullptr if the child is a rule.
const antlr4::Token* TokenOf(antlr4::tree::ParseTree* node) {
  auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(node);
  return terminal == nullptr ? nullptr : terminal->getSymbol();
}

}  // namespace

Span ExpressionBuilder::SpanOf(antlr4::ParserRuleContext* context) const {
  return text_->SpanOf(*context->getStart(), *context->getStop());
}

std::string_view ExpressionBuilder::TextOf(antlr4::ParserRuleContext* context) const {
  Span span = SpanOf(context);
  return text_->text().substr(span.begin, span.end - span.begin);
}

// Keeps only the first error. Later errors are often its consequences: the builder replaces a wrong
// node by a dummy node, which has no children.
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
  // A decoder knows only the offset of the problem within its literal. An offset above 0 is the
  // place of the problem; 0 means the whole literal.
  bool escape = problem->at > 0;
  if (escape) span = text_->SpanAt(span.begin + problem->at, span.begin + problem->at + 2);
  Fail(escape && text_->text()[span.begin] == '\\' ? "BAD_ESCAPE" : "BAD_LITERAL", span,
       problem->message);
}

bool ExpressionBuilder::TooDeep(size_t levels, antlr4::ParserRuleContext* context) {
  // LexedText::Check limits only the depth of brackets and prefix operators, on which the parser
  // recurses. The parser reads a chain of 100,000 plus signs in a loop, but the tree of the chain
  // has 100,000 levels.
  if (depth_ + levels <= limits::kExpressionDepthMax) return false;
  Fail("TOO_DEEP", SpanOf(context),
       fmt::format("the expression is nested deeper than {} levels", limits::kExpressionDepthMax),
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
    // All operands of OR become children of one node rather than a tree of pairs: 16,000 tests
    // joined by OR would exceed the depth that evaluation allows.
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
    // An AND inside this AND, either a chain ('a' <= row < 'b') or an AND in brackets, is merged
    // into this one. So `a AND (b AND c)` has the same tree and the same printed text as `a AND b
    // AND c`.
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
  if (context->postfix() != nullptr) return BuildPostfix(context->postfix());
  if (TooDeep(1, context)) return {};
  if (context->MINUS() == nullptr) {
    ++depth_;
    Expr operand = BuildUnary(context->unary());
    --depth_;
    // A plus sign before a value changes nothing.
    if (context->PLUS() != nullptr) return operand;
    return MakeCall("BITWISE_NOT", SpanOf(context), {std::move(operand)});
  }
  // A minus directly before a number belongs to the number: the smallest INT64 could not be written
  // otherwise, since its absolute value does not fit into INT64.
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
  size_t levels = context->expression().size() + context->anyWord().size();
  if (TooDeep(levels, context)) return {};
  depth_ += levels;
  Expr expr = BuildPrimary(context->primary());
  // Indexes and fields apply from left to right: in a[1].b the field is taken from a[1].
  for (auto* part : context->children) {
    if (auto* field = dynamic_cast<SipparParser::AnyWordContext*>(part)) {
      expr = BuildField(std::move(expr), field);
    } else if (auto* index = dynamic_cast<SipparParser::ExpressionContext*>(part)) {
      Expr outer = MakeExpr(ExprKind::kIndex, SpanOf(context));
      outer.children.push_back(std::move(expr));
      outer.children.push_back(Build(index));
      expr = std::move(outer);
    }
  }
  depth_ -= levels;
  return expr;
}

// x.name: a column of the table whose alias is x, or the field of a STRUCT, built as x['name'].
Expr ExpressionBuilder::BuildField(Expr of, SipparParser::AnyWordContext* context) {
  std::string name = Name(context).text;
  // x.name becomes name here if x is the alias of the table, so later stages know no such aliases.
  // They need none: each SELECT reads one source, so a name without an alias is unambiguous.
  if (of.kind == ExprKind::kName && !source_alias_.empty() && of.name == source_alias_) {
    of.name = std::move(name);
    return of;
  }
  Expr field = MakeExpr(ExprKind::kIndex, of.span);
  field.children.push_back(std::move(of));
  Expr word = MakeExpr(ExprKind::kLiteral, SpanOf(context));
  word.literal.type = syntax::Literal::kText;
  word.literal.text = std::move(name);
  field.children.push_back(std::move(word));
  return field;
}

Expr ExpressionBuilder::BuildPrimary(SipparParser::PrimaryContext* context) {
  if (auto* literal = context->literal()) return BuildLiteral(literal, false);
  if (auto* array = context->typedArray()) return BuildTypedArray(array);
  if (auto* fields = context->structOf()) return BuildStruct(fields);
  if (auto* extract = context->extract()) return BuildExtract(extract);
  if (auto* interval = context->interval()) return BuildInterval(interval);
  if (auto* call = context->call()) return BuildCall(call);
  if (auto* case_when = context->caseWhen()) return BuildCase(case_when);
  if (auto* pattern = context->columnPattern()) {
    Expr expr = MakeExpr(ExprKind::kPattern, SpanOf(context));
    expr.pattern = Build(pattern);
    return expr;
  }
  if (context->CAST() != nullptr || context->TRY_CAST() != nullptr) {
    return BuildCast(context);
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
    // Parentheses make no node, since the tree already shows the grouping. The span includes them,
    // so that an error underlines the whole expression.
    Expr expr = Build(context->expression(0));
    expr.span = SpanOf(context);
    return expr;
  }
  Expr expr = MakeExpr(ExprKind::kArray, SpanOf(context));
  for (auto* item : context->expression()) expr.children.push_back(Build(item));
  return expr;
}

Expr ExpressionBuilder::BuildCase(SipparParser::CaseWhenContext* context) {
  Expr expr = MakeExpr(ExprKind::kCase, SpanOf(context));
  if (auto* operand = context->caseOperand()) {
    expr.has_operand = true;
    expr.children.push_back(Build(operand->expression()));
  }
  // The expressions of WHEN and THEN alternate, so no node is needed for each pair. The operand and
  // ELSE are separate rules of the grammar and not among these expressions.
  for (auto* part : context->expression()) expr.children.push_back(Build(part));
  if (auto* otherwise = context->caseElse()) {
    expr.has_else = true;
    expr.children.push_back(Build(otherwise->expression()));
  }
  return expr;
}

}  // namespace sippar::query
