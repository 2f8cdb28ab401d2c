// Builds statements on schemas, imports and settings. SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "query/parse/statement_builder.h"

namespace sippar::query {
namespace {

// The user may write these words in any case; later stages compare them in upper case.
std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

// A template, because the grammar has two rules with the same parts: an element of CREATE or ALTER,
// and one that ALTER adds.
template <typename Context>
syntax::FamilyDef StatementBuilder::BuildFamily(Context* context) {
  return {expressions_.NameOrString(context->familyName()), options_.Build(context->option())};
}

template <typename Context>
syntax::GroupDef StatementBuilder::BuildGroup(Context* context) {
  syntax::GroupDef group;
  group.name = expressions_.NameOrString(context->groupName());
  for (auto* family : context->familyName()) {
    group.families.push_back(expressions_.NameOrString(family));
  }
  group.options = options_.Build(context->option());
  return group;
}

syntax::CreateTable StatementBuilder::BuildCreate(P::CreateTableContext* context) {
  syntax::CreateTable create;
  create.table = expressions_.Name(context->tableName(0));
  create.if_not_exists = context->EXISTS() != nullptr;
  if (context->LIKE() != nullptr) create.like = expressions_.Name(context->tableName(1));
  for (auto* element : context->tableElement()) {
    if (auto* family = element->familyElement()) create.families.push_back(BuildFamily(family));
    if (auto* group = element->groupElement()) create.groups.push_back(BuildGroup(group));
  }
  create.options = options_.Build(context->optionList());
  if (context->tuple() != nullptr) create.split_at = clauses_.Tuple(context->tuple()).values;
  return create;
}

syntax::AlterAction StatementBuilder::BuildAction(P::AlterActionContext* context) {
  using syntax::AlterAction;
  AlterAction action;
  action.span = expressions_.SpanOf(context);
  if (auto* family = context->addedFamily()) {
    action.kind = AlterAction::kAddFamily;
    action.if_not_exists = family->EXISTS() != nullptr;
    action.family = BuildFamily(family);
  } else if (auto* group = context->addedGroup()) {
    action.kind = AlterAction::kAddGroup;
    action.if_not_exists = group->EXISTS() != nullptr;
    action.group = BuildGroup(group);
  } else if (auto* element = context->tableElement()) {
    if (element->familyElement() != nullptr) {
      action.kind = AlterAction::kAlterFamily;
      action.family = BuildFamily(element->familyElement());
    } else {
      action.kind = AlterAction::kAlterGroup;
      action.group = BuildGroup(element->groupElement());
    }
  } else if (context->groupName() != nullptr) {
    // Before the test for DROP, which both kinds of DROP have.
    action.kind = AlterAction::kDropGroup;
    action.group.name = expressions_.NameOrString(context->groupName());
  } else if (context->DROP() != nullptr) {
    action.kind = AlterAction::kDropFamily;
    action.if_exists = context->EXISTS() != nullptr;
    action.family.name = expressions_.NameOrString(context->familyName(0));
  } else if (context->SET() != nullptr) {
    action.kind = AlterAction::kSetOptions;
    action.options = options_.Build(context->option());
  } else {
    // RENAME FAMILY a TO b has two names, RENAME TO b has one; the last is the new one.
    bool of_family = context->FAMILY() != nullptr;
    action.kind = of_family ? AlterAction::kRenameFamily : AlterAction::kRenameTable;
    if (of_family) action.family.name = expressions_.NameOrString(context->familyName(0));
    action.new_name = expressions_.NameOrString(context->familyName().back());
  }
  return action;
}

syntax::AlterTable StatementBuilder::BuildAlter(P::AlterTableContext* context) {
  syntax::AlterTable alter;
  alter.table = expressions_.Name(context->tableName());
  for (auto* action : context->alterAction()) alter.actions.push_back(BuildAction(action));
  return alter;
}

syntax::Show StatementBuilder::BuildShow(P::ShowContext* context) {
  syntax::Show show;
  auto* what = context->showWhat();
  // CREATE and LOCALITY are keywords, so the grammar does not read them as a name.
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
  if (context->name() == nullptr) return {};  // RESET ALL
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

// Statements that the language knows but does not support. The name is for the error that refuses
// them, the words are for printing.
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
