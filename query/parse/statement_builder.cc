// SPDX-License-Identifier: Apache-2.0
#include "query/parse/statement_builder.h"

namespace sippar::query {

syntax::Statement StatementBuilder::Build(P::StatementContext* context) {
  syntax::Statement statement;
  statement.node = BuildNode(context);
  statement.span = expressions_.SpanOf(context);
  return statement;
}

syntax::StatementNode StatementBuilder::BuildNode(P::StatementContext* context) {
  if (auto* node = context->explain()) return BuildExplain(node);
  if (auto* node = context->select()) return selects_.Build(node);
  if (auto* node = context->tail()) return selects_.Build(node);
  if (auto* node = context->insert()) return writes_.Build(node);
  if (auto* node = context->update()) return writes_.Build(node);
  if (auto* node = context->deleteRows()) return writes_.Build(node);
  if (auto* node = context->increment()) return writes_.Build(node);
  if (auto* node = context->append()) return writes_.Build(node);
  if (auto* node = context->atomic()) return atomics_.Build(node);
  if (auto* node = context->beginRow()) {
    return syntax::BeginRow{expressions_.Name(node->tableName()), Expression(node->expression())};
  }
  if (context->commit() != nullptr) return syntax::Commit{};
  if (context->rollback() != nullptr) return syntax::Rollback{};
  return BuildSchemaNode(context);
}

syntax::StatementNode StatementBuilder::BuildSchemaNode(P::StatementContext* context) {
  if (auto* node = context->createTable()) return BuildCreate(node);
  if (auto* node = context->alterTable()) return BuildAlter(node);
  if (auto* node = context->dropTable()) {
    return syntax::DropTable{expressions_.Name(node->tableName()), node->EXISTS() != nullptr};
  }
  if (auto* node = context->show()) return BuildShow(node);
  if (auto* node = context->describe()) {
    return syntax::Describe{expressions_.Name(node->tableName())};
  }
  if (auto* node = context->importFile()) return BuildImport(node);
  if (auto* node = context->exportFile()) return BuildExport(node);
  if (auto* node = context->setOption()) return BuildSet(node);
  if (auto* node = context->resetOption()) return BuildReset(node);
  if (auto* node = context->compact()) return BuildCompact(node);
  if (auto* node = context->flush()) return syntax::Flush{expressions_.Name(node->tableName())};
  // The only two of the rule `other` that are supported.
  if (auto* node = context->other()->split()) {
    return syntax::SplitTable{expressions_.Name(node->tableName()),
                              clauses_.Tuple(node->tuple()).values};
  }
  if (auto* node = context->other()->merge()) {
    return syntax::MergeTablets{expressions_.Name(node->tableName()),
                                clauses_.Where(node->where())};
  }
  return BuildOther(context->other());
}

syntax::Explain StatementBuilder::BuildExplain(P::ExplainContext* context) {
  syntax::Explain explain;
  explain.analyze = context->ANALYZE() != nullptr;
  if (context->name() != nullptr) explain.format = expressions_.Name(context->name());
  explain.statement = syntax::Box(Build(context->statement()));
  return explain;
}

}  // namespace sippar::query
