// Builds calls, lambdas, casts and the forms of an expression that begin with a word: ARRAY,
// STRUCT, EXTRACT, INTERVAL. STRUCT, EXTRACT and most INTERVALs become calls of functions.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "query/parse/expr_node.h"
#include "query/parse/expression_builder.h"

namespace sippar::query {

using syntax::Expr;
using syntax::ExprKind;

namespace {

std::string Lower(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

Expr MakeNumber(int64_t number, const Span& span) {
  Expr expr = MakeExpr(ExprKind::kLiteral, span);
  expr.literal.type = syntax::Literal::kInt64;
  expr.literal.integer = number;
  return expr;
}

// Reads all of `text` as a number; false if it is not a number.
bool ReadNumber(std::string_view text, int64_t* number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Builds an expression from the text of an INTERVAL, '5 days 3 hours' or '1h30m'; false for other
// texts.
bool ReadInterval(std::string_view text, const Span& span, Expr* out) {
  Expr literal = MakeExpr(ExprKind::kLiteral, span);
  literal.literal.type = syntax::Literal::kDuration;
  if (!text.empty() && !DecodeDuration(text, &literal.literal.integer)) {
    *out = std::move(literal);
    return true;
  }
  std::vector<std::string_view> words = WordsOf(text);
  if (words.empty() || words.size() % 2 != 0) return false;
  for (size_t i = 0; i < words.size(); i += 2) {
    int64_t number = 0;
    if (!ReadNumber(words[i], &number)) return false;
    std::vector<Expr> parts;
    parts.push_back(MakeNumber(number, span));
    parts.push_back(MakeText(Lower(words[i + 1]), span));
    Expr part = MakeCall("TIME_SPAN", span, std::move(parts));
    *out = i == 0 ? std::move(part)
                  : MakeBinary(syntax::BinaryOp::kAdd, std::move(*out), std::move(part));
  }
  return true;
}

}  // namespace

Expr ExpressionBuilder::BuildCall(SipparParser::CallContext* context) {
  Expr expr = MakeExpr(ExprKind::kCall, SpanOf(context));
  const bool prefixed = context->DOT() != nullptr;
  // IF is a keyword and a function, so the grammar lists it next to `name`.
  expr.name = context->IF() != nullptr ? "IF" : Name(context->name().back()).text;
  expr.star = context->STAR() != nullptr;
  expr.distinct = context->DISTINCT() != nullptr;
  for (auto* argument : context->argument()) {
    expr.children.push_back(argument->lambda() != nullptr ? BuildLambda(argument->lambda())
                                                          : Build(argument->expression()));
  }
  if (!prefixed) return expr;
  const syntax::Identifier prefix = Name(context->name(0));
  if (Lower(prefix.text) != "safe") {
    Fail("UNKNOWN_FUNCTION", prefix.span, fmt::format("unknown prefix {}", prefix.text),
         "SAFE.f(x) is NULL where f(x) fails; other functions have no prefix");
  }
  const Span span = expr.span;
  return MakeCall("SAFE", span, {std::move(expr)});
}

Expr ExpressionBuilder::BuildLambda(SipparParser::LambdaContext* context) {
  Expr lambda = MakeExpr(ExprKind::kLambda, SpanOf(context));
  for (auto* name : context->name()) {
    Expr variable = MakeExpr(ExprKind::kName, SpanOf(name));
    variable.name = Name(name).text;
    lambda.children.push_back(std::move(variable));
  }
  lambda.children.push_back(Build(context->expression()));
  return lambda;
}

Expr ExpressionBuilder::CastTo(SipparParser::TypeNameContext* type, Expr value) {
  // A value of type ARRAY<…> or STRUCT<…> gets no cast. If it is a typed literal itself, its items
  // have already been cast to the types that the literal names.
  if (type == nullptr || type->typeArguments() != nullptr) return value;
  Expr cast = MakeExpr(ExprKind::kCast, value.span);
  cast.name = Name(type->name()).text;
  cast.children.push_back(std::move(value));
  return cast;
}

Expr ExpressionBuilder::BuildCast(SipparParser::PrimaryContext* context) {
  Expr cast = MakeExpr(ExprKind::kCast, SpanOf(context));
  // SAFE_CAST arrives as the token TRY_CAST: the lexer gives GoogleSQL's spelling the same type.
  cast.negated = context->TRY_CAST() != nullptr;
  cast.children.push_back(Build(context->expression(0)));
  auto* type = context->typeName();
  cast.name = Name(type->name()).text;
  auto* arguments = type->typeArguments();
  if (arguments == nullptr) return cast;
  auto fields = arguments->typeField();
  cast.of_items = Lower(cast.name) == "array" && fields.size() == 1 &&
                  fields[0]->name() == nullptr && fields[0]->typeName()->typeArguments() == nullptr;
  if (cast.of_items) {
    cast.name = Name(fields[0]->typeName()->name()).text;
  } else {
    Fail("UNSUPPORTED", SpanOf(type), fmt::format("CAST to {} is not supported", TextOf(type)),
         "CAST(x AS ARRAY<INT64>), ARRAY_TRANSFORM(x, e -> CAST(e AS INT64))");
  }
  return cast;
}

Expr ExpressionBuilder::BuildTypedArray(SipparParser::TypedArrayContext* context) {
  Expr array = MakeExpr(ExprKind::kArray, SpanOf(context));
  SipparParser::TypeNameContext* type = nullptr;
  if (auto* arguments = context->typeArguments()) {
    if (arguments->typeField().size() != 1) {
      Fail("ARITY", SpanOf(arguments), "an ARRAY has one type of items", "ARRAY<INT64>[1, 2]");
      return array;
    }
    type = arguments->typeField(0)->typeName();
  }
  for (auto* item : context->expression()) array.children.push_back(CastTo(type, Build(item)));
  return array;
}

Expr ExpressionBuilder::BuildStruct(SipparParser::StructOfContext* context) {
  auto fields = context->structField();
  auto* arguments = context->typeArguments();
  std::vector<SipparParser::TypeFieldContext*> types;
  if (arguments != nullptr) types = arguments->typeField();
  if (arguments != nullptr && types.size() != fields.size()) {
    Fail("ARITY", SpanOf(context),
         fmt::format("the STRUCT has {} values and {} types", fields.size(), types.size()));
    return {};
  }
  std::vector<Expr> parts;
  for (size_t i = 0; i < fields.size(); ++i) {
    Expr value = Build(fields[i]->expression());
    std::string name = value.kind == ExprKind::kName ? value.name : fmt::format("_{}", i + 1);
    if (fields[i]->anyWord() != nullptr) name = Name(fields[i]->anyWord()).text;
    if (arguments != nullptr) {
      if (types[i]->name() != nullptr) name = Name(types[i]->name()).text;
      value = CastTo(types[i]->typeName(), std::move(value));
    }
    parts.push_back(MakeText(std::move(name), SpanOf(fields[i])));
    parts.push_back(std::move(value));
  }
  return MakeCall("NAMED_STRUCT", SpanOf(context), std::move(parts));
}

Expr ExpressionBuilder::BuildExtract(SipparParser::ExtractContext* context) {
  auto* part = context->timePart();
  const std::string unit = Lower(TextOf(part));
  std::vector<Expr> arguments;
  // EXTRACT(DATE FROM t) is DATE(t).
  const bool is_date = unit == "date";
  if (!is_date) arguments.push_back(MakeText(unit, SpanOf(part)));
  arguments.push_back(Build(context->expression(0)));
  if (context->AT() != nullptr) {
    if (Lower(TextOf(context->name())) != "zone") {
      Fail("SYNTAX", SpanOf(context->name()), "expected ZONE", "AT TIME ZONE 'Europe/Berlin'");
    }
    arguments.push_back(Build(context->expression(1)));
  }
  return MakeCall(is_date ? "DATE" : "DATE_PART", SpanOf(context), std::move(arguments));
}

Expr ExpressionBuilder::BuildInterval(SipparParser::IntervalContext* context) {
  const Span span = SpanOf(context);
  std::string text;
  if (context->IDENT() == nullptr) {
    const antlr4::Token& token = *context->getStop();
    Report(DecodeQuoted(text_->TextOf(token), false, &text), token);
    Expr interval;
    if (ReadInterval(text, span, &interval)) return interval;
    Fail("BAD_LITERAL", span, fmt::format("'{}' is not an interval", text),
         "INTERVAL 5 DAY, INTERVAL '5 days 3 hours', 1h30m");
    return {};
  }
  Expr count = BuildUnary(context->unary());
  int64_t number = 0;
  const bool quoted =
      count.kind == ExprKind::kLiteral && count.literal.type == syntax::Literal::kText;
  if (quoted && ReadNumber(count.literal.text, &number)) count = MakeNumber(number, count.span);
  std::vector<Expr> arguments;
  arguments.push_back(std::move(count));
  arguments.push_back(MakeText(Lower(text_->TextOf(*context->getStop())), span));
  return MakeCall("TIME_SPAN", span, std::move(arguments));
}

}  // namespace sippar::query
