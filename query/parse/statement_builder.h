// Builds statements from ANTLR's parse tree; expression_builder.h builds their expressions. One
// object serves one text. The functions are in select_builder.cc (reading), write_builder.cc
// (writing, row transactions) and schema_builder.cc (schema, import, settings). Private to
// query/parse. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "query/parse/atomic_builder.h"
#include "query/parse/clause_builder.h"
#include "query/parse/expression_builder.h"
#include "query/parse/option_builder.h"
#include "query/parse/schema_builder.h"
#include "query/parse/select_builder.h"
#include "query/parse/write_builder.h"

namespace sippar::query {

class StatementBuilder {
 public:
  explicit StatementBuilder(LexedText* text)
      : text_(text),
        expressions_(text),
        clauses_(&expressions_),
        options_(&expressions_),
        selects_(&expressions_, &clauses_),
        writes_(&expressions_, &clauses_, &selects_),
        atomics_(&expressions_, &clauses_, &writes_),
        schemas_(&expressions_, &clauses_, &options_) {}

  StatementBuilder(const StatementBuilder&) = delete;  // the parts point to each other

  syntax::Statement Build(SipparParser::StatementContext* context);
  ExpressionBuilder* expressions() { return &expressions_; }
  const Status& status() const { return expressions_.status(); }

 private:
  using P = SipparParser;

  syntax::Explain BuildExplain(P::ExplainContext* context);
  syntax::Expr Expression(P::ExpressionContext* context) { return expressions_.Build(context); }

  syntax::Show BuildShow(P::ShowContext* context);
  syntax::Import BuildImport(P::ImportFileContext* context);
  syntax::Export BuildExport(P::ExportFileContext* context);
  syntax::SetOption BuildSet(P::SetOptionContext* context);
  syntax::ResetOption BuildReset(P::ResetOptionContext* context);
  syntax::Compact BuildCompact(P::CompactContext* context);
  syntax::Other BuildOther(P::OtherContext* context);
  syntax::StatementNode BuildNode(P::StatementContext* context);
  syntax::StatementNode BuildSchemaNode(P::StatementContext* context);

  LexedText* text_;
  ExpressionBuilder expressions_;
  ClauseBuilder clauses_;
  OptionBuilder options_;
  SelectBuilder selects_;
  WriteBuilder writes_;
  AtomicBuilder atomics_;
  SchemaBuilder schemas_;
};

}  // namespace sippar::query
