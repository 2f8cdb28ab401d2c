// Builds the names, literals, patterns and expressions of query/syntax from ANTLR's parse tree;
// statement_builder.h builds the statements. The first error is kept and building continues with
// dummy nodes, so the caller checks status() at the end. Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SipparParser.h>

#include <string>
#include <utility>
#include <vector>

#include "query/parse/lexed_text.h"
#include "query/syntax/ast.h"
#include "query/syntax/literals.h"

namespace sippar::query {

using sippar_grammar::SipparParser;

class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(LexedText* text) : text_(text) {}

  syntax::Expr Build(SipparParser::ExpressionContext* context);
  syntax::PatternNode Build(SipparParser::ColumnPatternContext* context);
  syntax::Literal Build(SipparParser::LiteralContext* context);
  // Returns the name in the only token of `context`, without its backquotes. The rule of `context`
  // must match a single token (name, tableName, anyWord …).
  syntax::Identifier Name(antlr4::ParserRuleContext* context);
  // The name of a family or group, which may also be written as a string.
  syntax::Identifier NameOrString(antlr4::ParserRuleContext* context);
  syntax::Identifier Name(const antlr4::Token& token);
  Span SpanOf(antlr4::ParserRuleContext* context) const;
  std::string_view TextOf(antlr4::ParserRuleContext* context) const;

  // Sets the alias of the table that is read: from now on `alias`.name means name. "": no alias.
  // Returns the previous alias, which the caller sets again after a subselect.
  std::string NameSource(std::string alias) {
    return std::exchange(source_alias_, std::move(alias));
  }

  void Fail(std::string_view code, const Span& span, std::string_view message,
            std::string_view hint = {});
  void Fail(const QueryError& error);
  const Status& status() const { return status_; }

 private:
  syntax::Expr BuildAnd(SipparParser::ConjunctionContext* context);
  syntax::Expr BuildNot(SipparParser::NegationContext* context);
  syntax::Expr BuildComparison(SipparParser::ComparisonContext* context);
  syntax::Expr BuildChain(SipparParser::ComparisonContext* context);
  syntax::Expr ApplyTail(syntax::Expr left, SipparParser::ComparisonTailContext* context);
  syntax::Expr BuildOperand(SipparParser::OperandContext* context);
  syntax::Expr BuildSum(SipparParser::SumContext* context);
  syntax::Expr BuildTerm(SipparParser::TermContext* context);
  syntax::Expr BuildUnary(SipparParser::UnaryContext* context);
  syntax::Expr BuildPostfix(SipparParser::PostfixContext* context);
  syntax::Expr BuildField(syntax::Expr of, SipparParser::AnyWordContext* context);
  syntax::Expr BuildPrimary(SipparParser::PrimaryContext* context);
  // form_builder.cc has the functions from here to CastTo: they build the forms of `primary` that
  // begin with a word.
  syntax::Expr BuildCall(SipparParser::CallContext* context);
  syntax::Expr BuildLambda(SipparParser::LambdaContext* context);
  syntax::Expr BuildCast(SipparParser::PrimaryContext* context);
  syntax::Expr BuildTypedArray(SipparParser::TypedArrayContext* context);
  syntax::Expr BuildStruct(SipparParser::StructOfContext* context);
  syntax::Expr BuildExtract(SipparParser::ExtractContext* context);
  syntax::Expr BuildInterval(SipparParser::IntervalContext* context);
  // Returns `value` cast to the type; `value` itself if `type` is nullptr or has arguments.
  syntax::Expr CastTo(SipparParser::TypeNameContext* type, syntax::Expr value);
  syntax::Expr BuildCase(SipparParser::CaseWhenContext* context);
  syntax::Expr BuildLiteral(SipparParser::LiteralContext* context, bool negative);
  bool DecodeLiteral(SipparParser::LiteralContext* context, bool negative, syntax::Literal* out);
  void Report(const OptionalProblem& problem, const antlr4::Token& token);
  // Reports an error and returns true if `levels` more levels would exceed
  // limits::kExpressionDepthMax. A chain of n operators makes a tree of n levels. The bound keeps
  // recursive walks over the tree (compiling, evaluating) within the stack.
  bool TooDeep(size_t levels, antlr4::ParserRuleContext* context);

  LexedText* text_;
  Status status_;
  size_t depth_ = 0;          // levels above the node being built
  std::string source_alias_;  // alias of the table that is read; "": no alias
};

}  // namespace sippar::query
