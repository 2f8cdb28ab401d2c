// Builds the statements SHOW, IMPORT, EXPORT, SET, RESET, COMPACT, MOVE and BALANCE, and those that
// the language knows but does not support. Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/parse/clause_builder.h"
#include "query/parse/expression_builder.h"
#include "query/parse/lexed_text.h"
#include "query/parse/option_builder.h"
#include "query/parse/select_builder.h"

namespace sippar::query {

class CommandBuilder {
 public:
  CommandBuilder(LexedText* text, ExpressionBuilder* expressions, ClauseBuilder* clauses,
                 OptionBuilder* options, SelectBuilder* selects)
      : text_(text),
        expressions_(expressions),
        clauses_(clauses),
        options_(options),
        selects_(selects) {}

  syntax::Show Build(SipparParser::ShowContext* context);
  syntax::Import Build(SipparParser::ImportFileContext* context);
  syntax::Export Build(SipparParser::ExportFileContext* context);
  syntax::SetOption Build(SipparParser::SetOptionContext* context);
  syntax::ResetOption Build(SipparParser::ResetOptionContext* context);
  syntax::Compact Build(SipparParser::CompactContext* context);
  syntax::MoveTablet Build(SipparParser::MoveTabletContext* context);
  syntax::Balance Build(SipparParser::BalanceContext* context);
  syntax::Other Build(SipparParser::OtherContext* context);

 private:
  LexedText* const text_;
  ExpressionBuilder* const expressions_;
  ClauseBuilder* const clauses_;
  OptionBuilder* const options_;
  SelectBuilder* const selects_;
};

}  // namespace sippar::query
