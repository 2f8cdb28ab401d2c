// Drives the ANTLR parser: a fast pass in SLL mode, a pass in LL mode if that fails, and for wrong
// texts a message that is made by walking the grammar.
// SPDX-License-Identifier: Apache-2.0
#include "query/parse/parse.h"

#include <SipparParser.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "query/parse/grammar_walk.h"
#include "query/parse/lexed_text.h"
#include "query/parse/sql_concept.h"
#include "query/parse/statement_builder.h"

namespace sippar::query {
namespace {

using antlr4::Token;
using antlr4::atn::PredictionMode;

// A statement with more tokens gets no list of what was expected: the walk would take too long.
constexpr size_t kWalkTokensMax = 50'000;

// Returns a hint with the keyword that the user probably meant. The misspelled word is the failing
// token or the name before it: in "FORM web" the parser reads FORM as a name and fails at web.
std::string DidYouMean(const LexedText& text, const Token& token, const Token* previous,
                       const std::vector<std::string>& here,
                       const std::vector<std::string>& before) {
  std::string near = NearestWord(text.TextOf(token), here);
  if (!near.empty()) return fmt::format("did you mean {}?", near);
  if (previous == nullptr || previous->getType() != SipparParser::IDENT) return "";
  near = NearestWord(text.TextOf(*previous), before);
  if (near.empty()) return "";
  return fmt::format("did you mean {} instead of {}?", near, text.TextOf(*previous));
}

// The error for a misspelt keyword after a table, which was read as the table's alias; OK if
// `previous` is not an alias. `before` is the state of the walk before `previous`.
Status MisspeltKeyword(const LexedText& text, const Token* previous, const GrammarWalk& before) {
  if (previous == nullptr || previous->getType() != SipparParser::IDENT) return OkStatus();
  std::vector<AllowedToken> allowed = before.Allowed();
  bool alias = std::any_of(allowed.begin(), allowed.end(), [](const AllowedToken& token) {
    return token.type == SipparParser::IDENT &&
           token.rules.front() == SipparParser::RuleSourceAlias;
  });
  if (!alias) return OkStatus();
  Expectation expected = ExpectationOf(before);
  std::string near = NearestWord(text.TextOf(*previous), expected.AllWords());
  if (near.empty()) return OkStatus();
  return ErrorAt(
      "SYNTAX", text.SpanOf(*previous),
      fmt::format("unexpected '{}', expected {}", text.TextOf(*previous), expected.Describe()),
      fmt::format("did you mean {}?", near));
}

std::string HintFor(const Expectation& expected, const Token& token) {
  bool name = token.getType() == SipparParser::IDENT || IsKeyword(token.getType());
  if (expected.pattern && !expected.expression && name) {
    return "a column is written family:qualifier, the empty qualifier as family:";
  }
  if (expected.clauses == std::vector<std::string>{"UNNEST"}) {
    return "a SELECT reads one table; UNNEST makes lines of a list of its rows";
  }
  if (token.getType() == SipparParser::STRING && expected.table) {
    return "names are not quoted; unusual ones go into backquotes";
  }
  return "";
}

// Finds the first token that no statement can have at its place, and reports what may stand there.
Status ExplainSyntax(LexedText* text, size_t rule) {
  auto tokens = text->VisibleTokens();
  GrammarWalk walk(rule);
  // `before` is the walk before the last accepted token. If that token is a misspelled keyword that
  // was read as a name or an alias, the walk fails only at the next token, and `before` tells which
  // keywords were allowed in its place.
  GrammarWalk before(rule);
  const Token* previous = nullptr;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token* token = tokens[i];
    GrammarWalk here = walk;
    if (walk.Advance(token->getType())) {
      before = std::move(here);
      previous = token;
      continue;
    }
    if (auto concept_of_sql = FindSqlConcept(*text, tokens, i)) {
      return ToStatus(*concept_of_sql, StatusCode::kUnimplemented);
    }
    RETURN_IF_ERROR(MisspeltKeyword(*text, previous, before));
    Expectation expected = ExpectationOf(walk);
    std::string found = token->getType() == Token::EOF
                            ? "unexpected end of the statement"
                            : fmt::format("unexpected '{}'", text->TextOf(*token));
    std::string hint =
        DidYouMean(*text, *token, previous, expected.AllWords(), ExpectationOf(before).AllWords());
    if (hint.empty()) hint = HintFor(expected, *token);
    return ErrorAt("SYNTAX", text->SpanOf(*token),
                   fmt::format("{}, expected {}", found, expected.Describe()), hint);
  }
  return ErrorAt("SYNTAX", Span(), "the text is not a statement");
}

// Ends the parse at the first error and keeps the token at which it failed; if the text is too long
// for the walk, the message names only this token. ANTLR's own recovery would cost time and report
// errors at misleading places. It could also skip tokens: if it read "() 1" as "( 1", the parser
// could nest deeper than Check has counted.
class EndAtError final : public antlr4::BailErrorStrategy {
 public:
  void reportError(antlr4::Parser*, const antlr4::RecognitionException& error) override {
    token_ = error.getOffendingToken();
  }
  Token* recoverInline(antlr4::Parser* parser) override {
    token_ = parser->getCurrentToken();
    return BailErrorStrategy::recoverInline(parser);
  }
  const Token* token() const { return token_; }

 private:
  const Token* token_ = nullptr;
};

// Ends the parse if the statement is to stop: the parser calls it at every rule.
class StopListener final : public antlr4::tree::ParseTreeListener {
 public:
  explicit StopListener(const engine::StopSignal* stop) : poll_(stop) {}
  void visitTerminal(antlr4::tree::TerminalNode*) override {}
  void visitErrorNode(antlr4::tree::ErrorNode*) override {}
  void enterEveryRule(antlr4::ParserRuleContext*) override { poll_.Poll(); }
  void exitEveryRule(antlr4::ParserRuleContext*) override {}

 private:
  StopPoll poll_;
};

// Owns the parser and its tree, so a tree must not be used after its run.
class ParserRun {
 public:
  explicit ParserRun(LexedText* text) : text_(text), stop_(text->stop()), parser_(text->tokens()) {
    parser_.removeErrorListeners();
    parser_.addParseListener(&stop_);
    parser_.setErrorHandler(end_at_error_);
  }

  // Calls `parse`, which runs one rule of the parser. Returns nullptr and sets status() if the text
  // does not fit the rule.
  template <typename Parse>
  auto Run(size_t rule, Parse parse) -> decltype(parse(std::declval<SipparParser*>())) {
    for (PredictionMode mode : {PredictionMode::SLL, PredictionMode::LL}) {
      try {
        parser_.reset();
        parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
        return parse(&parser_);
      } catch (const antlr4::ParseCancellationException&) {
        // SLL is much faster but may refuse what LL accepts, so only a refusal by LL counts.
      }
    }
    bool short_text = text_->tokens()->size() <= kWalkTokensMax;
    status_ = short_text ? ExplainSyntax(text_, rule) : FirstError();
    return nullptr;
  }
  const Status& status() const { return status_; }

 private:
  Status FirstError() const {
    const Token* token = end_at_error_->token();
    if (token == nullptr) return ErrorAt("SYNTAX", Span(), "the text is not a statement");
    return ErrorAt("SYNTAX", text_->SpanOf(*token),
                   fmt::format("unexpected '{}'", text_->TextOf(*token)));
  }

  LexedText* text_;
  StopListener stop_;
  std::shared_ptr<EndAtError> end_at_error_ = std::make_shared<EndAtError>();
  SipparParser parser_;
  Status status_;
};

// Turns exceptions into a Status. ANTLR throws std exceptions and its own; none may leave this
// file.
template <typename Body>
auto Guarded(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const ParseStopped& stopped) {
    return stopped.status;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory while parsing");
  } catch (const std::exception& problem) {
    return Internal(fmt::format("the parser failed: {}", problem.what()));
  }
}

StatusOr<std::vector<syntax::Statement>> ParseAll(std::string_view text,
                                                  const engine::StopSignal* stop) {
  LexedText lexed(text, stop);
  RETURN_IF_ERROR(lexed.Check());
  ParserRun run(&lexed);
  auto* script =
      run.Run(SipparParser::RuleScript, [](SipparParser* parser) { return parser->script(); });
  if (script == nullptr) return run.status();
  StatementBuilder builder(&lexed);
  std::vector<syntax::Statement> statements;
  for (auto* statement : script->statement()) {
    statements.push_back(builder.Build(statement));
    RETURN_IF_ERROR(builder.status());
  }
  return statements;
}

}  // namespace

StatusOr<std::vector<syntax::Statement>> ParseScript(std::string_view text,
                                                     const engine::StopSignal* stop) {
  return Guarded([&] { return ParseAll(text, stop); });
}

StatusOr<syntax::Statement> ParseStatement(std::string_view text, const engine::StopSignal* stop) {
  ASSIGN_OR_RETURN(std::vector<syntax::Statement> statements, ParseScript(text, stop));
  if (statements.empty()) {
    return ErrorAt("SYNTAX", Span{1, 1, 0, 0}, "expected a statement, found none");
  }
  if (statements.size() > 1) {
    return ErrorAt("SYNTAX", statements[1].span, "expected one statement, found more");
  }
  return std::move(statements[0]);
}

StatusOr<syntax::Expr> ParseExpression(std::string_view text) {
  return Guarded([&]() -> StatusOr<syntax::Expr> {
    LexedText lexed(text);
    RETURN_IF_ERROR(lexed.Check());
    ParserRun run(&lexed);
    auto* context = run.Run(SipparParser::RuleSingleExpression,
                            [](SipparParser* parser) { return parser->singleExpression(); });
    if (context == nullptr) return run.status();
    StatementBuilder builder(&lexed);
    syntax::Expr expr = builder.expressions()->Build(context->expression());
    RETURN_IF_ERROR(builder.status());
    return expr;
  });
}

StatusOr<syntax::PatternNode> ParsePattern(std::string_view text) {
  return Guarded([&]() -> StatusOr<syntax::PatternNode> {
    LexedText lexed(text);
    RETURN_IF_ERROR(lexed.Check());
    ParserRun run(&lexed);
    auto* context = run.Run(SipparParser::RuleSinglePattern,
                            [](SipparParser* parser) { return parser->singlePattern(); });
    if (context == nullptr) return run.status();
    StatementBuilder builder(&lexed);
    syntax::PatternNode pattern = builder.expressions()->Build(context->columnPattern());
    RETURN_IF_ERROR(builder.status());
    return pattern;
  });
}

}  // namespace sippar::query
