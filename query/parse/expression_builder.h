// From ANTLR's parse tree to query/syntax: names, literals, patterns, expressions. The statements
// are in statement_builder.h. The first error is kept and building goes on with dummies; the caller
// looks at status() in the end. Private to query/parse. SPDX-License-Identifier: Apache-2.0
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
  syntax::Identifier Name(antlr4::ParserRuleContext* context);  // name, tableName, anyWord …
  syntax::Identifier NameOrString(antlr4::ParserRuleContext* context);  // familyName, groupName
  syntax::Identifier Name(const antlr4::Token& token);
  Span SpanOf(antlr4::ParserRuleContext* context) const;
  std::string_view TextOf(antlr4::ParserRuleContext* context) const;

  // What `alias`.name means from now on: the name. Gives the alias before; "": none.
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
  syntax::Expr BuildSum(SipparParser::SumContext* context);
  syntax::Expr BuildTerm(SipparParser::TermContext* context);
  syntax::Expr BuildUnary(SipparParser::UnaryContext* context);
  syntax::Expr BuildPostfix(SipparParser::PostfixContext* context);
  syntax::Expr BuildField(syntax::Expr of, SipparParser::AnyWordContext* context);
  syntax::Expr BuildPrimary(SipparParser::PrimaryContext* context);
  syntax::Expr BuildCall(SipparParser::CallContext* context);
  syntax::Expr BuildCase(SipparParser::CaseWhenContext* context);
  syntax::Expr BuildLiteral(SipparParser::LiteralContext* context, bool negative);
  bool DecodeLiteral(SipparParser::LiteralContext* context, bool negative, syntax::Literal* out);
  void Report(const OptionalProblem& problem, const antlr4::Token& token);
  // True, with an error noted, when `levels` more would be too deep. A chain of n operators makes a
  // tree of n levels.
  bool TooDeep(size_t levels, antlr4::ParserRuleContext* context);

  LexedText* text_;
  Status status_;
  size_t depth_ = 0;
  std::string source_alias_;
};

}  // namespace sippar::query
