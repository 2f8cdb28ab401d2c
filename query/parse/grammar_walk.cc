// SPDX-License-Identifier: Apache-2.0
#include "query/parse/grammar_walk.h"

#include <algorithm>
#include <array>
#include <set>

#include "query/parse/lexed_text.h"

namespace sippar::query {
namespace {

using antlr4::atn::ATNState;
using antlr4::atn::Transition;

// A parser of an empty text, which provides the ATN and the names of tokens. It is never freed,
// because references to its tables are kept until the process ends.
SipparParser& TableParser() {
  static ByteStream* input = new ByteStream("");
  static SilentLexer* lexer = new SilentLexer(input);
  static antlr4::CommonTokenStream* tokens = new antlr4::CommonTokenStream(lexer);
  static SipparParser* parser = new SipparParser(tokens);
  return *parser;
}

const antlr4::atn::ATN& Atn() {
  static const antlr4::atn::ATN& atn = TableParser().getATN();
  return atn;
}

// Sort key of a keyword in messages: the keywords that users most likely look for come first, all
// others after them in alphabetical order.
size_t Weight(const std::string& word) {
  static const auto& order = *new std::vector<std::string>(
      {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "SHOW", "FROM", "INTO", "SET", "VALUES",
       "WHERE", "GROUP", "ORDER", "LIMIT", "VERSIONS", "TIME"});
  return static_cast<size_t>(std::find(order.begin(), order.end(), word) - order.begin());
}

bool Contains(const std::vector<size_t>& rules, size_t rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

void AddWord(std::vector<std::string>* words, const std::string& word) {
  if (std::find(words->begin(), words->end(), word) == words->end()) words->push_back(word);
}

// True for rules that match any name. The rule around such a rule, for example tableName, says what
// the name stands for.
bool IsNameRule(size_t rule) {
  return rule == SipparParser::RuleName || rule == SipparParser::RuleAnyWord ||
         rule == SipparParser::RuleSoftKeyword || rule == SipparParser::RuleHardKeyword;
}

// Records which kind of name is allowed. The kind depends on the innermost rule for which
// IsNameRule is false.
void AddName(const std::vector<size_t>& rules, Expectation* out) {
  auto rule =
      std::find_if(rules.begin(), rules.end(), [](size_t each) { return !IsNameRule(each); });
  switch (rule == rules.end() ? size_t{SipparParser::RuleName} : *rule) {
    case SipparParser::RuleTableName:
      out->table = true;
      break;
    case SipparParser::RuleFamilyName:
      out->family = true;
      break;
    case SipparParser::RuleGroupName:
      out->group = true;
      break;
    case SipparParser::RulePrimary:
    case SipparParser::RuleCall:
      out->expression = true;
      break;
    case SipparParser::RuleOption:
    case SipparParser::RuleOptionCall:
      out->option = true;
      break;
    case SipparParser::RuleSetOption:
    case SipparParser::RuleResetOption:
      out->setting = true;
      break;
    case SipparParser::RuleShowWhat:
      out->show = true;
      break;
    case SipparParser::RuleFileFormat:
    case SipparParser::RuleExplain:
      out->format = true;
      break;
    case SipparParser::RuleBalanceMode:
      AddWord(&out->clauses, "NOW");
      AddWord(&out->clauses, "OFF");
      break;
    default:
      out->name = true;
  }
}

// The innermost rule alone does not distinguish a token that begins a value from one that continues
// it: RulePrimary takes CAST, but also the AS and the closing bracket of that CAST. Tokens that
// continue a value are excluded by their type.
bool IsExpressionStart(size_t type, size_t rule) {
  switch (rule) {
    case SipparParser::RuleLiteral:
    case SipparParser::RuleUnary:
    case SipparParser::RuleNegation:
      return true;
    case SipparParser::RulePrimary:
      return type != SipparParser::AS && type != SipparParser::RPAREN &&
             type != SipparParser::RBRACKET && type != SipparParser::COMMA;
    case SipparParser::RuleCaseWhen:
      return type == SipparParser::CASE;
    case SipparParser::RuleCall:
      return type == SipparParser::IF;
    case SipparParser::RuleTypedArray:
      return type == SipparParser::ARRAY;
    case SipparParser::RuleStructOf:
      return type == SipparParser::STRUCT;
    case SipparParser::RuleExtract:
      return type == SipparParser::EXTRACT;
    case SipparParser::RuleInterval:
      return type == SipparParser::INTERVAL;
    case SipparParser::RuleLambda:
      return type == SipparParser::LPAREN;
    default:
      return false;
  }
}

bool IsOperatorRule(size_t type, size_t rule) {
  // This is the dot of SAFE.f(x). The grammar accepts any name in place of SAFE, so a dot, like an
  // operator, may follow every name in an expression.
  if (rule == SipparParser::RuleCall && type == SipparParser::DOT) return true;
  return rule == SipparParser::RuleExpression || rule == SipparParser::RuleConjunction ||
         rule == SipparParser::RuleComparisonTail || rule == SipparParser::RuleSum ||
         rule == SipparParser::RuleTerm || rule == SipparParser::RulePostfix ||
         rule == SipparParser::RuleBitOperator || rule == SipparParser::RuleLambda;
}

// The operator rules contain these signs, too, as in x IN (a, b) and x[1]. They do not join two
// values, so a message does not say "an operator" where only these signs may follow.
constexpr std::string_view kBracketsAndComma = "()[],";

void AddAllowed(const AllowedToken& allowed, Expectation* out) {
  // The order of the tests matters: a soft keyword such as TIME is also a name, and a user who must
  // write a name should read "a name" rather than 40 keywords. Names therefore come before
  // keywords.
  size_t rule = allowed.rules.front();
  std::string word = TokenWord(allowed.type);
  bool keyword = IsKeyword(allowed.type);
  if (allowed.type == antlr4::Token::EOF) {
    out->end = true;
  } else if (rule == SipparParser::RuleSourceAlias && allowed.type == SipparParser::IDENT) {
    // An alias may follow a table without AS. Messages leave this out: "a name" among the things
    // expected after every table would not help the user.
  } else if (IsNameRule(rule) || allowed.type == SipparParser::IDENT) {
    AddName(allowed.rules, out);
  } else if (rule == SipparParser::RuleColumnPattern) {
    out->pattern = true;
    if (Contains(allowed.rules, SipparParser::RulePrimary)) out->expression = true;
  } else if (IsExpressionStart(allowed.type, rule)) {
    // The message says "a value" also for an option, where only a literal is allowed.
    out->expression = true;
    if (keyword) AddWord(&out->starts, word);
  } else if (IsOperatorRule(allowed.type, rule)) {
    const bool is_bracket_or_comma =
        word.size() == 1 && kBracketsAndComma.find(word) != std::string_view::npos;
    if (!is_bracket_or_comma) out->after_value = true;
    if (keyword) AddWord(&out->operators, word);
  } else if (keyword) {
    AddWord(&out->clauses, word);
  } else if (!word.empty()) {
    AddWord(&out->signs, word);
  } else if (allowed.type == SipparParser::STRING) {
    // The name of a family or group may be written as a string.
    out->name = true;
  }
}

// Joins the parts as in "a, b or c".
std::string JoinedByOr(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace

GrammarWalk::GrammarWalk(size_t rule) { Close({{Atn().ruleToStartState[rule], -1}}); }

// Returns the existing frame if there is an equal one, which keeps the number of readings small. If
// each call made a new frame, readings that continue alike would not compare equal, and an
// ambiguous text would double the number of readings at each token.
int GrammarWalk::Push(ATNState* follow, int parent) {
  auto [found, added] =
      frame_index_.try_emplace({follow, parent}, static_cast<int>(frames_.size()));
  if (added) frames_.push_back({follow, parent});
  return found->second;
}

// Follows all transitions that take no token. The states reached that can take a token become
// configs_. `seen` prevents a reading from being followed twice.
void GrammarWalk::Close(std::vector<Config> work) {
  std::set<Config> seen(work.begin(), work.end());
  configs_.clear();
  auto visit = [&](ATNState* state, int frame) {
    if (seen.insert({state, frame}).second) work.push_back({state, frame});
  };
  while (!work.empty()) {
    Config config = work.back();
    work.pop_back();
    // ANTLR's transitions out of a stop state lead to every place that calls the rule. Only the
    // frame knows which of these places this reading came from.
    if (config.state->getStateType() == ATNState::RULE_STOP) {
      if (config.frame >= 0) {
        Frame frame = frames_[static_cast<size_t>(config.frame)];
        visit(frame.follow, frame.parent);
      }
      continue;
    }
    bool consumes = false;
    for (const auto& transition : config.state->transitions) {
      if (transition->getSerializationType() == Transition::RULE) {
        auto* call = static_cast<const antlr4::atn::RuleTransition*>(&*transition);
        visit(call->target, Push(call->followState, config.frame));
      } else if (transition->isEpsilon()) {
        visit(transition->target, config.frame);
      } else {
        consumes = true;
      }
    }
    if (consumes) configs_.push_back(config);
  }
}

bool GrammarWalk::Advance(size_t token_type) {
  std::vector<Config> next;
  for (const Config& config : configs_) {
    for (const auto& transition : config.state->transitions) {
      if (transition->isEpsilon()) continue;
      antlr4::misc::IntervalSet label = transition->label();
      if (label.contains(token_type)) next.push_back({transition->target, config.frame});
    }
  }
  if (next.empty()) return false;
  Close(std::move(next));
  return true;
}

std::vector<AllowedToken> GrammarWalk::Allowed() const {
  std::vector<AllowedToken> all;
  for (const Config& config : configs_) {
    std::vector<size_t> rules = {config.state->ruleIndex};
    for (int at = config.frame; at >= 0; at = frames_[static_cast<size_t>(at)].parent) {
      rules.push_back(frames_[static_cast<size_t>(at)].follow->ruleIndex);
    }
    for (const auto& transition : config.state->transitions) {
      if (transition->isEpsilon()) continue;
      // `label` is a variable, because a temporary in the loop's range would be destroyed too
      // early.
      antlr4::misc::IntervalSet label = transition->label();
      for (ssize_t type : label.toList()) all.push_back({static_cast<size_t>(type), rules});
    }
  }
  return all;
}

bool IsKeyword(size_t token_type) {
  return token_type >= SipparParser::ADD && token_type <= SipparParser::WITH;
}

std::string TokenWord(size_t token_type) {
  if (token_type == antlr4::Token::EOF) return "";
  // The grammar spells a keyword by letter rules that match both cases. ANTLR therefore has no
  // literal for it, and only its symbolic name spells the word. A sign has a literal, in quotes.
  auto& vocabulary = TableParser().getVocabulary();
  if (IsKeyword(token_type)) {
    std::string word = vocabulary.getSymbolicName(token_type);
    // The grammar calls these NULL_, IN_ and so on, because the bare words may be macros in C.
    if (word.back() == '_') word.pop_back();
    return word;
  }
  std::string quoted = vocabulary.getLiteralName(token_type);
  return quoted.size() > 2 ? quoted.substr(1, quoted.size() - 2) : "";
}

Expectation ExpectationOf(const GrammarWalk& walk) {
  Expectation out;
  for (const AllowedToken& allowed : walk.Allowed()) AddAllowed(allowed, &out);
  for (auto* words : {&out.clauses, &out.signs, &out.operators, &out.starts}) {
    std::sort(words->begin(), words->end(), [](const std::string& a, const std::string& b) {
      return std::pair(Weight(a), a) < std::pair(Weight(b), b);
    });
  }
  return out;
}

std::vector<std::string> Expectation::AllWords() const {
  std::vector<std::string> words = clauses;
  words.insert(words.end(), operators.begin(), operators.end());
  words.insert(words.end(), starts.begin(), starts.end());
  return words;
}

// The allowed tokens that are not fixed words, in the words of a message: "a table name".
std::vector<std::string> Expectation::Things() const {
  const std::array<std::pair<bool, const char*>, 10> things = {
      {{table, "a table name"},
       {family, "a family name"},
       {group, "a group name"},
       {pattern && !expression, "a column pattern"},
       {expression, "a value"},
       {option, "an option"},
       {setting, "a setting"},
       {format, "a format"},
       {show, "what to show"},
       {name, "a name"}}};
  std::vector<std::string> names;
  for (const auto& [is_expected, thing] : things) {
    if (is_expected) names.push_back(thing);
  }
  return names;
}

std::string Expectation::Describe() const {
  // At the start of a statement more than 30 keywords are allowed. A longer list would hide the
  // word that the user looks for; Weight puts the likely ones first.
  constexpr size_t kWordsShown = 8;
  std::vector<std::string> parts = Things();
  for (size_t i = 0; i < clauses.size(); ++i) {
    if (i == kWordsShown && clauses.size() > kWordsShown + 1) {
      parts.back() += ", …";
      break;
    }
    bool by = clauses[i] == "GROUP" || clauses[i] == "ORDER";
    parts.push_back(clauses[i] + (by ? " BY" : ""));
  }
  // Operators are listed only if nothing else can follow, as after `x NOT`. Elsewhere they would
  // outnumber the clauses, and "an operator" says enough.
  if (parts.empty() && signs.empty()) {
    for (const std::string& word : operators) parts.push_back(word);
  } else if (after_value) {
    parts.push_back("an operator");
  }
  for (const std::string& sign : signs) parts.push_back(sign == "," ? "a comma" : sign);
  if (parts.empty() && end) parts.push_back("the end");
  return JoinedByOr(parts);
}

}  // namespace sippar::query
