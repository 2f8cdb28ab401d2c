// Builds statements from ANTLR's parse tree: chooses the builder by the kind of the statement. All
// builders share one ExpressionBuilder, which keeps the first error. One object serves one text.
// Private to query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/parse/atomic_builder.h"
#include "query/parse/clause_builder.h"
#include "query/parse/command_builder.h"
#include "query/parse/expression_builder.h"
#include "query/parse/option_builder.h"
#include "query/parse/schema_builder.h"
#include "query/parse/select_builder.h"
#include "query/parse/write_builder.h"

namespace sippar::query {

class StatementBuilder {
 public:
  explicit StatementBuilder(LexedText* text)
      : expressions_(text),
        clauses_(&expressions_),
        options_(&expressions_),
        selects_(&expressions_, &clauses_),
        writes_(&expressions_, &clauses_, &selects_),
        atomics_(&expressions_, &clauses_, &writes_),
        schemas_(&expressions_, &clauses_, &options_),
        commands_(text, &expressions_, &clauses_, &options_, &selects_) {}
  StatementBuilder(const StatementBuilder&) = delete;  // the parts point to each other

  syntax::Statement Build(SipparParser::StatementContext* context);
  ExpressionBuilder* expressions() { return &expressions_; }
  const Status& status() const { return expressions_.status(); }

 private:
  syntax::StatementNode BuildNode(SipparParser::StatementContext* context);
  syntax::StatementNode BuildSchemaNode(SipparParser::StatementContext* context);
  syntax::StatementNode BuildOther(SipparParser::OtherContext* context);
  syntax::Explain BuildExplain(SipparParser::ExplainContext* context);

  ExpressionBuilder expressions_;
  ClauseBuilder clauses_;
  OptionBuilder options_;
  SelectBuilder selects_;
  WriteBuilder writes_;
  AtomicBuilder atomics_;
  SchemaBuilder schemas_;
  CommandBuilder commands_;
};

}  // namespace sippar::query
