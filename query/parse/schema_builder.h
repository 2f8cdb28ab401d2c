// Builds CREATE TABLE, ALTER TABLE and the statements on backups that have options. Private to
// query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/parse/clause_builder.h"
#include "query/parse/expression_builder.h"
#include "query/parse/option_builder.h"

namespace sippar::query {

class SchemaBuilder {
 public:
  SchemaBuilder(ExpressionBuilder* expressions, ClauseBuilder* clauses, OptionBuilder* options)
      : expressions_(expressions), clauses_(clauses), options_(options) {}

  syntax::CreateTable Build(SipparParser::CreateTableContext* context);
  syntax::AlterTable Build(SipparParser::AlterTableContext* context);
  syntax::Backup Build(SipparParser::BackupContext* context);
  syntax::AlterBackup Build(SipparParser::AlterBackupContext* context);

 private:
  template <typename Context>
  syntax::FamilyDef Family(Context* context);
  template <typename Context>
  syntax::GroupDef Group(Context* context);
  syntax::AlterAction Action(SipparParser::AlterActionContext* context);

  ExpressionBuilder* const expressions_;
  ClauseBuilder* const clauses_;
  OptionBuilder* const options_;
};

}  // namespace sippar::query
