// SPDX-License-Identifier: Apache-2.0
#include "query/parse/schema_builder.h"

namespace sippar::query {

// This is a template, because two rules of the grammar have the same parts: familyElement in CREATE
// and ALTER, and addedFamily in ALTER … ADD.
template <typename Context>
syntax::FamilyDef SchemaBuilder::Family(Context* context) {
  return {expressions_->NameOrString(context->familyName()), options_->Build(context->option())};
}

template <typename Context>
syntax::GroupDef SchemaBuilder::Group(Context* context) {
  syntax::GroupDef group;
  group.name = expressions_->NameOrString(context->groupName());
  for (auto* family : context->familyName()) {
    group.families.push_back(expressions_->NameOrString(family));
  }
  group.options = options_->Build(context->option());
  return group;
}

syntax::CreateTable SchemaBuilder::Build(SipparParser::CreateTableContext* context) {
  syntax::CreateTable create;
  create.table = expressions_->Name(context->tableName(0));
  create.if_not_exists = context->EXISTS() != nullptr;
  if (context->LIKE() != nullptr) create.like = expressions_->Name(context->tableName(1));
  for (auto* element : context->tableElement()) {
    // Families and groups may be mixed in the text; they are collected separately because a group
    // may name a family that is declared after it.
    if (auto* family = element->familyElement()) create.families.push_back(Family(family));
    if (auto* group = element->groupElement()) create.groups.push_back(Group(group));
  }
  create.options = options_->Build(context->optionList());
  if (context->tuple() != nullptr) create.split_at = clauses_->Tuple(context->tuple()).values;
  return create;
}

syntax::AlterAction SchemaBuilder::Action(SipparParser::AlterActionContext* context) {
  using syntax::AlterAction;
  AlterAction action;
  action.span = expressions_->SpanOf(context);
  if (auto* family = context->addedFamily()) {
    action.kind = AlterAction::kAddFamily;
    action.if_not_exists = family->EXISTS() != nullptr;
    action.family = Family(family);
  } else if (auto* group = context->addedGroup()) {
    action.kind = AlterAction::kAddGroup;
    action.if_not_exists = group->EXISTS() != nullptr;
    action.group = Group(group);
  } else if (auto* element = context->tableElement()) {
    if (element->familyElement() != nullptr) {
      action.kind = AlterAction::kAlterFamily;
      action.family = Family(element->familyElement());
    } else {
      action.kind = AlterAction::kAlterGroup;
      action.group = Group(element->groupElement());
    }
  } else if (context->groupName() != nullptr) {
    // This is DROP LOCALITY GROUP. It comes before the branch of DROP FAMILY, which tests only for
    // DROP.
    action.kind = AlterAction::kDropGroup;
    action.group.name = expressions_->NameOrString(context->groupName());
  } else if (context->DROP() != nullptr) {
    action.kind = AlterAction::kDropFamily;
    action.if_exists = context->EXISTS() != nullptr;
    action.family.name = expressions_->NameOrString(context->familyName(0));
  } else if (context->SET() != nullptr) {
    action.kind = AlterAction::kSetOptions;
    action.options = options_->Build(context->option());
  } else {
    // RENAME FAMILY a TO b has two names, RENAME TO b has one; the last is the new name.
    bool of_family = context->FAMILY() != nullptr;
    action.kind = of_family ? AlterAction::kRenameFamily : AlterAction::kRenameTable;
    if (of_family) action.family.name = expressions_->NameOrString(context->familyName(0));
    action.new_name = expressions_->NameOrString(context->familyName().back());
  }
  return action;
}

syntax::AlterTable SchemaBuilder::Build(SipparParser::AlterTableContext* context) {
  syntax::AlterTable alter;
  alter.table = expressions_->Name(context->tableName());
  for (auto* action : context->alterAction()) alter.actions.push_back(Action(action));
  return alter;
}

syntax::Backup SchemaBuilder::Build(SipparParser::BackupContext* context) {
  return {expressions_->Name(context->tableName()), expressions_->Name(context->name()),
          options_->Build(context->optionList())};
}

syntax::AlterBackup SchemaBuilder::Build(SipparParser::AlterBackupContext* context) {
  return {expressions_->Name(context->name()), options_->Build(context->option())};
}

}  // namespace sippar::query
