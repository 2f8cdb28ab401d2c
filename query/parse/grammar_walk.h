// Tells which tokens may come next, and in which rules. GrammarWalk follows all ways in which the
// grammar can read the tokens so far ("readings") through the ATN, ANTLR's state machine of the
// grammar. Error messages and completion use it, since the sets of expected tokens that ANTLR
// reports are wrong at optional clauses. Private to query/parse.
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
  std::vector<size_t> rules;  // rules that contain the token, innermost first
};

class GrammarWalk {
 public:
  // Begins at the start of `rule`, for example SipparParser::RuleScript.
  explicit GrammarWalk(size_t rule);
  // Moves over one token. If the token is not allowed, returns false and does not move.
  bool Advance(size_t token_type);
  // The tokens that are allowed next. A token that several states accept is listed for each state.
  std::vector<AllowedToken> Allowed() const;

 private:
  // One reading of the tokens so far: a state of the ATN and the rules that are open.
  struct Config {
    antlr4::atn::ATNState* state;
    int frame;  // index into frames_; -1: outermost rule
    bool operator<(const Config& other) const {
      return std::pair(state, frame) < std::pair(other.state, other.frame);
    }
  };
  // An open rule: the state to continue with when it ends, and the frame of the rule around it.
  // Equal frames are shared, so that equal readings compare equal.
  struct Frame {
    antlr4::atn::ATNState* follow;
    int parent;
  };

  void Close(std::vector<Config> work);
  int Push(antlr4::atn::ATNState* follow, int parent);

  std::vector<Frame> frames_;
  std::map<std::pair<antlr4::atn::ATNState*, int>, int> frame_index_;
  std::vector<Config> configs_;  // all readings; the next transition of each takes a token
};

// The word or sign of a token as a user writes it (WHERE, +=, ;), or "" for kinds such as IDENT.
std::string TokenWord(size_t token_type);
bool IsKeyword(size_t token_type);

// The allowed tokens, grouped by the way in which a message names them.
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
  bool pattern = false;  // column pattern, alone or as a value
  bool option = false;   // name of an option in CREATE, WITH …
  bool setting = false;  // name after SET, RESET
  bool show = false;     // name after SHOW
  bool format = false;   // name after FORMAT
  bool name = false;     // any other name
  bool end = false;      // the text may end

  std::string Describe() const;  // for example "WHERE, LIMIT, an operator or ;"
  std::vector<std::string> AllWords() const;

 private:
  std::vector<std::string> Things() const;
};
Expectation ExpectationOf(const GrammarWalk& walk);

}  // namespace sippar::query
