// SPDX-License-Identifier: Apache-2.0
#include "query/execute/schema_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/transaction.h"
#include "query/plan/schema_options.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::FamilySchema;
using engine::LocalityGroupSchema;
using engine::TableSchema;
using syntax::AlterAction;

std::string Families(size_t count) {
  return fmt::format("{} famil{}", count, count == 1 ? "y" : "ies");
}

// Like TableSchema::FindFamily, but returns a family that ALTER can change in the schema.
FamilySchema* FindFamily(TableSchema* schema, std::string_view name) {
  for (FamilySchema& family : schema->families) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

// Moves the families into `group`: a family is in one group only.
void MoveFamilies(const syntax::GroupDef& def, LocalityGroupSchema* group, TableSchema* schema) {
  for (const syntax::Identifier& family : def.families) {
    for (LocalityGroupSchema& each : schema->groups) std::erase(each.families, family.text);
    group->families.push_back(family.text);
  }
}

Status AddFamily(const syntax::FamilyDef& def, TableSchema* schema) {
  if (FindFamily(schema, def.name.text) != nullptr) {
    return ErrorAt("DUPLICATE", def.name.span,
                   fmt::format("family {} is named twice", def.name.text), {},
                   StatusCode::kAlreadyExists);
  }
  FamilySchema family;
  family.name = def.name.text;
  RETURN_IF_ERROR(ApplyFamilyOptions(def, &family));
  schema->families.push_back(std::move(family));
  return OkStatus();
}

// Adds a locality group. `grouped` holds the families that this statement has already put into a
// group; DUPLICATE if it names one of them again.
Status AddGroup(const syntax::GroupDef& def, std::set<std::string>* grouped, TableSchema* schema,
                std::vector<std::string>* notices) {
  if (schema->FindGroup(def.name.text) == nullptr) {
    schema->groups.emplace_back().name = def.name.text;
    // The default group always exists, so the statement may name it to set its options.
  } else if (def.name.text != engine::kDefaultGroup) {
    return ErrorAt("DUPLICATE", def.name.span,
                   fmt::format("locality group {} is named twice", def.name.text), {},
                   StatusCode::kAlreadyExists);
  }
  LocalityGroupSchema* group = schema->FindGroup(def.name.text);
  for (const syntax::Identifier& family : def.families) {
    if (FindFamily(schema, family.text) == nullptr) {
      return UnknownFamily(*schema, family.text, family.span);
    }
    if (!grouped->insert(family.text).second) {
      return ErrorAt("DUPLICATE", family.span,
                     fmt::format("family {} is already in a locality group", family.text),
                     "a family is in one locality group", StatusCode::kAlreadyExists);
    }
  }
  MoveFamilies(def, group, schema);
  return ApplyGroupOptions(def, schema->FindGroup(def.name.text), notices);
}

StatusOr<std::vector<std::string>> SplitKeys(const StatementContext& context,
                                             const std::vector<syntax::Expr>& exprs) {
  std::vector<std::string> keys;
  for (const syntax::Expr& expr : exprs) {
    ASSIGN_OR_RETURN(std::string key, CompileRowKey(context, expr));
    keys.push_back(std::move(key));
  }
  // The order in the statement has no meaning, and the call requires sorted keys.
  std::sort(keys.begin(), keys.end());
  // Equal keys would make empty tablets.
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// Number of groups that have families. The default group always exists; while it has no families,
// users do not see it as a group.
size_t UsedGroups(const TableSchema& schema) {
  auto used = [](const LocalityGroupSchema& group) { return !group.families.empty(); };
  return static_cast<size_t>(std::count_if(schema.groups.begin(), schema.groups.end(), used));
}

}  // namespace

Status ExecuteCreateTable(const StatementContext& context, const syntax::CreateTable& create) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "CREATE TABLE"));
  std::vector<std::string>& notices = context.summary->notices;
  TableSchema schema;
  if (!create.like.empty()) {
    ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, create.like));
    // A copy of the LIKE table with all of its options; the clauses of this statement change the
    // copy.
    schema = info.schema;
  }
  schema.name = create.table.text;
  for (const syntax::FamilyDef& def : create.families) RETURN_IF_ERROR(AddFamily(def, &schema));
  std::set<std::string> grouped;
  for (const syntax::GroupDef& def : create.groups) {
    RETURN_IF_ERROR(AddGroup(def, &grouped, &schema, &notices));
  }
  RETURN_IF_ERROR(ApplyTableOptions(create.options, &schema));
  ASSIGN_OR_RETURN(std::vector<std::string> keys, SplitKeys(context, create.split_at));
  // Families that are named in no group go to the default group. Only then is the schema complete
  // enough to be validated.
  schema.Normalize();
  Status valid = schema.Validate();
  if (!valid.ok()) return ErrorAt("BAD_SCHEMA", create.table.span, MessageOf(valid));
  Status status = context.DoAdmin(cluster::calls::CreateTable{schema, keys});
  // The call itself reports whether the table exists. A check before the call would be too early,
  // because another client may create the table in between.
  if (status.code() == StatusCode::kAlreadyExists) {
    if (create.if_not_exists) {
      context.summary->tag = fmt::format("table {} already exists, skipped", schema.name);
      return OkStatus();
    }
    return ErrorAt("TABLE_EXISTS", create.table.span,
                   fmt::format("table {} already exists", schema.name),
                   "CREATE TABLE IF NOT EXISTS", StatusCode::kAlreadyExists);
  }
  RETURN_IF_ERROR(HintIfInterrupted(status, "SHOW TABLES has the table if it was created"));
  context.summary->tag =
      fmt::format("table {} created: {}, {}, {}", schema.name, Families(schema.families.size()),
                  Plural(UsedGroups(schema), "locality group"), Plural(keys.size() + 1, "tablet"));
  return OkStatus();
}

namespace {

struct AlterCounts {
  uint64_t added = 0, changed = 0, dropped = 0;
  std::set<std::string> grouped;
  // Actions that were skipped because of IF [NOT] EXISTS, each as "f: no such family" or as
  // "f: exists".
  std::vector<std::string> skipped;
};

// Sets *add if ADD creates something new. An object that already exists is an error, or is skipped
// if the statement says IF NOT EXISTS.
Status CheckNew(std::string_view what, bool exists, const AlterAction& action,
                const syntax::Identifier& name, bool* add, AlterCounts* counts) {
  *add = !exists;
  if (!exists) return OkStatus();
  if (!action.if_not_exists) {
    return ErrorAt("DUPLICATE", name.span, fmt::format("{} {} already exists", what, name.text),
                   fmt::format("ALTER FAMILY changes a family; ADD {} IF NOT EXISTS passes over it",
                               what == "family" ? "FAMILY" : "LOCALITY GROUP"),
                   StatusCode::kAlreadyExists);
  }
  counts->skipped.push_back(fmt::format("{}: exists", name.text));
  return OkStatus();
}

Status AlterFamily(const AlterAction& action, TableSchema* schema) {
  FamilySchema* family = FindFamily(schema, action.family.name.text);
  if (family == nullptr) {
    return UnknownFamily(*schema, action.family.name.text, action.family.name.span);
  }
  engine::FamilyType before = family->type;
  RETURN_IF_ERROR(ApplyFamilyOptions(action.family, family));
  // The stored cells have the form of the old type and could not be read as the new one.
  if (family->type == before) return OkStatus();
  return ErrorAt("UNSUPPORTED", action.family.name.span, "a family's type cannot be changed",
                 "add a family with the type wanted", StatusCode::kUnimplemented);
}

Status DropFamily(const AlterAction& action, TableSchema* schema, AlterCounts* counts) {
  const std::string& name = action.family.name.text;
  if (FindFamily(schema, name) == nullptr) {
    if (!action.if_exists) return UnknownFamily(*schema, name, action.family.name.span);
    counts->skipped.push_back(fmt::format("{}: no such family", name));
    return OkStatus();
  }
  schema->DropFamily(name);
  ++counts->dropped;
  return OkStatus();
}

Status AlterGroup(const AlterAction& action, TableSchema* schema,
                  std::vector<std::string>* notices) {
  LocalityGroupSchema* group = schema->FindGroup(action.group.name.text);
  if (group == nullptr) {
    return UnknownName("locality group", action.group.name.text, action.group.name.span, {});
  }
  std::vector<std::string> families;
  for (const syntax::Identifier& family : action.group.families) families.push_back(family.text);
  std::vector<std::string> present = group->families;
  std::sort(families.begin(), families.end());
  std::sort(present.begin(), present.end());
  // The statement may name the families that the group already has, since the output of SHOW CREATE
  // TABLE names them.
  if (!families.empty() && families != present) {
    return ErrorAt(
        "UNSUPPORTED", action.group.name.span,
        "ALTER LOCALITY GROUP does not move families; ADD LOCALITY GROUP moves them to a new group",
        {}, StatusCode::kUnimplemented);
  }
  return ApplyGroupOptions(action.group, group, notices);
}

// The families of the group go to the default group (Normalize): their cells stay, and reads find
// them where they are until compactions have moved them.
Status DropGroup(const AlterAction& action, TableSchema* schema, AlterCounts* counts) {
  const syntax::Identifier& name = action.group.name;
  if (name.text == engine::kDefaultGroup) {
    return ErrorAt(
        "BAD_SCHEMA", name.span,
        "locality group default cannot be dropped: it has the families of no other group");
  }
  const size_t dropped = std::erase_if(
      schema->groups, [&](const LocalityGroupSchema& group) { return group.name == name.text; });
  if (dropped == 0) {
    std::vector<std::string> known;
    for (const LocalityGroupSchema& group : schema->groups) known.push_back(group.name);
    return UnknownName("locality group", name.text, name.span, known);
  }
  counts->dropped += dropped;
  return OkStatus();
}

Status Refuse(const AlterAction& action, const std::string& table) {
  if (action.kind == AlterAction::kRenameTable) {
    return ErrorAt(
        "UNSUPPORTED", action.span, "a table cannot be renamed; copy it under the new name",
        fmt::format("CREATE TABLE {1} LIKE {0}; INSERT INTO {1} SELECT CELLS * FROM {0} VERSIONS "
                    "ALL; DROP TABLE {0}",
                    QuoteName(table), QuoteName(action.new_name.text)),
        StatusCode::kUnimplemented);
  }
  return ErrorAt("UNSUPPORTED", action.span, "a family cannot be renamed",
                 "ADD FAMILY with the new name, write its cells there, DROP FAMILY",
                 StatusCode::kUnimplemented);
}

// Actions apply to the schema in their order, so DROP FAMILY f, ADD FAMILY f is allowed and empties
// the family.
Status Alter(const AlterAction& action, const TableSchema& before, TableSchema* schema,
             AlterCounts* counts, std::vector<std::string>* notices) {
  switch (action.kind) {
    case AlterAction::kAddFamily: {
      const syntax::Identifier& name = action.family.name;
      bool add = false;
      RETURN_IF_ERROR(
          CheckNew("family", FindFamily(schema, name.text) != nullptr, action, name, &add, counts));
      if (!add) return OkStatus();
      ++counts->added;
      RETURN_IF_ERROR(AddFamily(action.family, schema));
      // An earlier action of this statement dropped a family of this name. The new incarnation
      // keeps its cells, which are still in the sstables, out of the new family.
      if (const FamilySchema* old = before.FindFamily(action.family.name.text)) {
        schema->families.back().incarnation = old->incarnation + 1;
      }
      return OkStatus();
    }
    case AlterAction::kAddGroup: {
      const syntax::Identifier& name = action.group.name;
      bool exists = name.text != engine::kDefaultGroup && schema->FindGroup(name.text) != nullptr;
      bool add = false;
      RETURN_IF_ERROR(CheckNew("locality group", exists, action, name, &add, counts));
      if (!add) return OkStatus();
      ++counts->added;
      return AddGroup(action.group, &counts->grouped, schema, notices);
    }
    case AlterAction::kAlterFamily:
      ++counts->changed;
      return AlterFamily(action, schema);
    case AlterAction::kAlterGroup:
      ++counts->changed;
      return AlterGroup(action, schema, notices);
    case AlterAction::kDropFamily:
      return DropFamily(action, schema, counts);
    case AlterAction::kDropGroup:
      return DropGroup(action, schema, counts);
    case AlterAction::kSetOptions:
      ++counts->changed;
      return ApplyTableOptions(action.options, schema);
    default:
      return Refuse(action, schema->name);
  }
}

}  // namespace

Status ExecuteAlterTable(const StatementContext& context, const syntax::AlterTable& alter) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "ALTER TABLE"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, alter.table));
  TableSchema schema = info.schema;
  AlterCounts counts;
  for (const AlterAction& action : alter.actions) {
    RETURN_IF_ERROR(Alter(action, info.schema, &schema, &counts, &context.summary->notices));
  }
  schema.Normalize();
  Status valid = schema.Validate();
  if (!valid.ok()) return ErrorAt("BAD_SCHEMA", alter.table.span, MessageOf(valid));
  if (!(schema == info.schema)) {
    // Fails if the schema has changed since it was read: all actions are checked against one schema
    // and take effect together.
    RETURN_IF_ERROR(
        HintIfInterrupted(context.DoAdmin(cluster::calls::AlterTable{schema, info.schema_version}),
                          "SHOW CREATE TABLE tells whether the table was altered"));
  }
  std::string parts;
  auto add = [&](uint64_t count, const char* what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  };
  add(counts.added, "added");
  add(counts.changed, "changed");
  add(counts.dropped, "dropped");
  std::string skipped;
  for (const std::string& name : counts.skipped) {
    skipped += fmt::format(" ({}, skipped)", name);
  }
  context.summary->tag = fmt::format("table {} altered: {}{}", schema.name,
                                     parts.empty() ? "nothing" : parts, skipped);
  return OkStatus();
}

Status ExecuteDropTable(const StatementContext& context, const syntax::DropTable& drop) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "DROP TABLE"));
  auto info = FindTable(context, drop.table);
  if (!info.ok()) {
    // Only a missing table may be skipped: if the cluster cannot answer, the statement must fail.
    if (info.status().code() != StatusCode::kNotFound || !drop.if_exists) return info.status();
    context.summary->tag = fmt::format("table {} not found, skipped", drop.table.text);
    return OkStatus();
  }
  RETURN_IF_ERROR(HintIfInterrupted(context.DoAdmin(cluster::calls::DropTable{info->schema.name}),
                                    "SHOW TABLES has the table if it was not dropped"));
  context.summary->tag = fmt::format("table {} dropped", info->schema.name);
  return OkStatus();
}

Status ExecuteSet(const StatementContext& context, const syntax::SetOption& set) {
  Value value;
  // The parser stores ON, OFF and ALL as names.
  if (set.value.kind == syntax::ExprKind::kName) {
    value = Value::Text(set.value.name);
  } else {
    ASSIGN_OR_RETURN(value, CompileConstant(context, set.value));
  }
  auto known = ChangeSetting(set.name.text, value, &context.session->settings);
  if (!known.ok()) return ErrorAt("BAD_OPTION", set.value.span, MessageOf(known.status()));
  if (!*known) return UnknownName("setting", set.name.text, set.name.span, SettingNames());
  context.summary->tag = "ok";
  return OkStatus();
}

Status ExecuteReset(const StatementContext& context, const syntax::ResetOption& reset) {
  context.summary->tag = "ok";
  if (reset.name.empty()) {
    // Parameters are not settings and keep their values.
    context.session->settings = {};
    return OkStatus();
  }
  if (ResetSetting(reset.name.text, &context.session->settings)) return OkStatus();
  return UnknownName("setting", reset.name.text, reset.name.span, SettingNames());
}

}  // namespace sippar::query
