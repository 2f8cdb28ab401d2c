// SPDX-License-Identifier: Apache-2.0
#include "query/parse/statement_builder.h"

namespace sippar::query {

syntax::Statement StatementBuilder::Build(SipparParser::StatementContext* context) {
  syntax::Statement statement;
  statement.node = BuildNode(context);
  statement.span = expressions_.SpanOf(context);
  return statement;
}

// The rule `statement` has one alternative for each kind, so exactly one of these contexts is set
// and the order of the tests does not matter. They are split over two functions only to keep each
// function short.
syntax::StatementNode StatementBuilder::BuildNode(SipparParser::StatementContext* context) {
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
    return syntax::BeginRow{expressions_.Name(node->tableName()),
                            expressions_.Build(node->expression())};
  }
  if (context->commit() != nullptr) return syntax::Commit{};
  if (context->rollback() != nullptr) return syntax::Rollback{};
  return BuildSchemaNode(context);
}

syntax::StatementNode StatementBuilder::BuildSchemaNode(SipparParser::StatementContext* context) {
  if (auto* node = context->createTable()) return schemas_.Build(node);
  if (auto* node = context->alterTable()) return schemas_.Build(node);
  if (auto* node = context->dropTable()) {
    return syntax::DropTable{expressions_.Name(node->tableName()), node->EXISTS() != nullptr};
  }
  if (auto* node = context->show()) return commands_.Build(node);
  if (auto* node = context->describe()) {
    return syntax::Describe{expressions_.Name(node->tableName())};
  }
  if (auto* node = context->importFile()) return commands_.Build(node);
  if (auto* node = context->exportFile()) return commands_.Build(node);
  if (auto* node = context->setOption()) return commands_.Build(node);
  if (auto* node = context->resetOption()) return commands_.Build(node);
  if (auto* node = context->compact()) return commands_.Build(node);
  if (auto* node = context->flush()) return syntax::Flush{expressions_.Name(node->tableName())};
  return BuildOther(context->other());
}

// Builds the supported statements of the rule `other`. For an unsupported statement, keeps only its
// words.
syntax::StatementNode StatementBuilder::BuildOther(SipparParser::OtherContext* context) {
  if (auto* node = context->split()) {
    return syntax::SplitTable{expressions_.Name(node->tableName()),
                              clauses_.Tuple(node->tuple()).values};
  }
  if (auto* node = context->merge()) {
    return syntax::MergeTablets{expressions_.Name(node->tableName()),
                                clauses_.Clause(node->where())};
  }
  if (auto* node = context->moveTablet()) return commands_.Build(node);
  if (auto* node = context->balance()) return commands_.Build(node);
  if (auto* node = context->backup()) return schemas_.Build(node);
  if (auto* node = context->restore()) {
    return syntax::Restore{expressions_.Name(node->tableName()), expressions_.Name(node->name()),
                           clauses_.Optional(node->expression())};
  }
  if (auto* node = context->alterBackup()) return schemas_.Build(node);
  if (auto* node = context->dropBackup()) {
    return syntax::DropBackup{expressions_.Name(node->name()), node->EXISTS() != nullptr};
  }
  if (auto* node = context->cancel()) {
    syntax::Cancel cancel;
    if (node->name() != nullptr) cancel.kind = expressions_.Name(node->name());
    cancel.id = expressions_.Build(node->expression());
    return cancel;
  }
  return commands_.Build(context);
}

syntax::Explain StatementBuilder::BuildExplain(SipparParser::ExplainContext* context) {
  syntax::Explain explain;
  explain.analyze = context->ANALYZE() != nullptr;
  if (context->name() != nullptr) explain.format = expressions_.Name(context->name());
  // The grammar accepts EXPLAIN before any statement, even before another EXPLAIN. ExecuteExplain
  // refuses statements without a plan, with a message that a syntax error could not give.
  explain.statement = syntax::Box(Build(context->statement()));
  return explain;
}

}  // namespace sippar::query
