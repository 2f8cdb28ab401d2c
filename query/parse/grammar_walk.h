// What may come next? A walk over the parser's ATN with all readings at once: feed tokens, then ask
// which tokens are allowed and through which rules. Serves error messages and completion; ANTLR's
// own expected sets are wrong at optional clauses. Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SipparParser.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sippar::query {

using sippar_grammar::SipparParser;

struct AllowedToken {
  size_t type = 0;
  std::vector<size_t> rules;  // innermost first
};

class GrammarWalk {
 public:
  // `rule`: where to begin, e.g. SipparParser::RuleScript.
  explicit GrammarWalk(size_t rule);
  // Moves over one token. False, and nothing moves, when it is not allowed here.
  bool Advance(size_t token_type);
  // Each (token, rules) once.
  std::vector<AllowedToken> Allowed() const;
  bool Allows(size_t token_type) const;

 private:
  struct Config {
    antlr4::atn::ATNState* state;
    int frame;  // index into frames_, -1: outermost
    bool operator<(const Config& other) const {
      return std::pair(state, frame) < std::pair(other.state, other.frame);
    }
  };
  struct Frame {  // where to go on when a rule ends
    antlr4::atn::ATNState* follow;
    int parent;
  };

  void Close(std::vector<Config> work);
  int Push(antlr4::atn::ATNState* follow, int parent);

  std::vector<Frame> frames_;
  std::map<std::pair<antlr4::atn::ATNState*, int>, int> frame_index_;
  std::vector<Config> configs_;  // those that can take a token
};

// The word or sign of a token as a user writes it: WHERE, +=, ; or "" for kinds like IDENT.
std::string TokenWord(size_t token_type);
bool IsKeyword(size_t token_type);

// Allowed tokens folded to what a person wants to read.
struct Expectation {
  std::vector<std::string> clauses;    // keywords that continue the statement
  std::vector<std::string> signs;      // ( ) , ; = …
  std::vector<std::string> operators;  // words inside expressions: AND, LIKE, IN …
  std::vector<std::string> starts;     // words that begin an expression: CASE, NOT, CAST …
  bool expression = false;             // a value may begin here
  bool after_value = false;            // an operator may follow
  bool table = false;
  bool family = false;
  bool group = false;
  bool pattern = false;  // a column pattern, also as a value
  bool option = false;   // an option's name in CREATE, WITH …
  bool setting = false;  // a name after SET, RESET
  bool show = false;     // what SHOW shows
  bool format = false;   // a name after FORMAT
  bool name = false;     // any other name
  bool end = false;

  std::string Describe() const;  // "WHERE, LIMIT, an operator or ;"
  std::vector<std::string> AllWords() const;
};
Expectation ExpectationOf(const GrammarWalk& walk);

}  // namespace sippar::query
