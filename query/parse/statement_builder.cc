// SPDX-License-Identifier: Apache-2.0
#include "query/parse/statement_builder.h"

#include <cctype>

namespace sippar::query {
namespace {

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

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
  if (auto* node = context->createTable()) return schemas_.Build(node);
  if (auto* node = context->alterTable()) return schemas_.Build(node);
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

syntax::Show StatementBuilder::BuildShow(P::ShowContext* context) {
  syntax::Show show;
  auto* what = context->showWhat();
  if (what->CREATE() != nullptr) {
    show.what.text = "CREATE TABLE";
  } else if (what->LOCALITY() != nullptr) {
    show.what.text = "LOCALITY GROUPS";
  } else {
    show.what.text = Upper(expressions_.Name(what->name()).text);
  }
  show.what.span = text_->SpanOf(*what->getStart());
  if (what->tableName() != nullptr) show.table = expressions_.Name(what->tableName());
  show.like = clauses_.Optional(context->expression());
  show.where = clauses_.Where(context->where());
  return show;
}

syntax::Import StatementBuilder::BuildImport(P::ImportFileContext* context) {
  syntax::Import import_file;
  import_file.table = expressions_.Name(context->tableName());
  import_file.from = Expression(context->expression());
  if (context->fileFormat() != nullptr) {
    import_file.format = expressions_.Name(context->fileFormat());
  }
  for (auto* item : context->mapItem()) {
    import_file.mapping.push_back(
        {clauses_.Target(item->columnTarget()), Expression(item->expression())});
  }
  import_file.options = options_.Build(context->optionList());
  return import_file;
}

syntax::Export StatementBuilder::BuildExport(P::ExportFileContext* context) {
  syntax::Export export_file;
  if (context->tableName() != nullptr) export_file.table = expressions_.Name(context->tableName());
  if (context->select() != nullptr) {
    export_file.select = syntax::Box(selects_.Build(context->select()));
  }
  export_file.to = Expression(context->expression());
  if (context->fileFormat() != nullptr) {
    export_file.format = expressions_.Name(context->fileFormat());
  }
  export_file.options = options_.Build(context->optionList());
  return export_file;
}

syntax::SetOption StatementBuilder::BuildSet(P::SetOptionContext* context) {
  syntax::SetOption set;
  set.name = expressions_.Name(context->name());
  if (context->expression() != nullptr) {
    set.value = Expression(context->expression());
    return set;
  }
  // ON and ALL are keywords and no expressions; the tree has them as names, like OFF.
  set.value.kind = syntax::ExprKind::kName;
  set.value.name = context->ON() != nullptr ? "ON" : "ALL";
  set.value.span = text_->SpanOf(*context->getStop());
  return set;
}

syntax::ResetOption StatementBuilder::BuildReset(P::ResetOptionContext* context) {
  if (context->name() == nullptr) return {};
  return {expressions_.Name(context->name())};
}

syntax::Compact StatementBuilder::BuildCompact(P::CompactContext* context) {
  syntax::Compact compact;
  compact.table = expressions_.Name(context->tableName());
  if (context->groupName() != nullptr) {
    compact.group = expressions_.NameOrString(context->groupName());
  }
  auto* kind = context->MAJOR() != nullptr ? context->MAJOR() : context->MINOR();
  if (kind != nullptr) {
    compact.kind = expressions_.Name(*kind->getSymbol());
    compact.kind.text = Upper(compact.kind.text);
  }
  compact.where = clauses_.Where(context->where());
  return compact;
}

syntax::Other StatementBuilder::BuildOther(P::OtherContext* context) {
  syntax::Other other;
  // Tokens, not the text between them, so that comments and blanks are dropped.
  size_t last = context->getStop()->getTokenIndex();
  for (size_t i = context->getStart()->getTokenIndex(); i <= last; ++i) {
    const antlr4::Token& token = *text_->tokens()->get(i);
    if (token.getChannel() != antlr4::Token::DEFAULT_CHANNEL) continue;
    other.words.emplace_back(text_->TextOf(token));
  }
  other.name = Upper(other.words.front());
  other.words.front() = other.name;
  return other;
}

}  // namespace sippar::query
