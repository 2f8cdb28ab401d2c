// The part of ast.h for CREATE TABLE, ALTER TABLE, DROP TABLE and for options. A member whose
// comment names kinds is used by these kinds only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/syntax/expr.h"

namespace sippar::query::syntax {

// The value of an option: a literal (3, 8MiB, 'x') or a call such as ZSTD(LEVEL(3), WINDOW(8MiB)).
// A bare name is a call without arguments.
struct OptionValue {
  std::optional<Literal> literal;
  std::string call;  // name of the call as written, if there is no literal
  std::vector<OptionValue> args;
  Span span;
  bool operator==(const OptionValue&) const = default;
};

struct Option {
  Identifier name;
  std::optional<OptionValue> value;  // none: the option is a flag such as IN_MEMORY
  bool operator==(const Option&) const = default;
};

struct FamilyDef {
  Identifier name;
  std::vector<Option> options;
  bool operator==(const FamilyDef&) const = default;
};

struct GroupDef {
  Identifier name;
  std::vector<Identifier> families;
  std::vector<Option> options;
  bool operator==(const GroupDef&) const = default;
};

struct CreateTable {
  Identifier table;
  bool if_not_exists = false;
  Identifier like;  // u of CREATE TABLE t LIKE u; empty: none
  std::vector<FamilyDef> families;
  std::vector<GroupDef> groups;
  std::vector<Option> options;  // options in WITH (…)
  std::vector<Expr> split_at;
  bool operator==(const CreateTable&) const = default;
};

struct AlterAction {
  enum Kind : uint8_t {
    kAddFamily,
    kAddGroup,
    kAlterFamily,
    kAlterGroup,
    kDropFamily,
    kDropGroup,
    kSetOptions,
    kRenameTable,
    kRenameFamily,
  };
  Kind kind = kAddFamily;
  FamilyDef family;             // kAddFamily, kAlterFamily; name only: kDropFamily, kRenameFamily
  GroupDef group;               // kAddGroup, kAlterGroup; name only: kDropGroup
  bool if_exists = false;       // only for kDropFamily
  bool if_not_exists = false;   // only for kAddFamily, kAddGroup
  std::vector<Option> options;  // only for kSetOptions
  Identifier new_name;          // only for kRename…
  Span span;
  bool operator==(const AlterAction&) const = default;
};

struct AlterTable {
  Identifier table;
  std::vector<AlterAction> actions;
  bool operator==(const AlterTable&) const = default;
};

struct DropTable {
  Identifier table;
  bool if_exists = false;
  bool operator==(const DropTable&) const = default;
};

}  // namespace sippar::query::syntax
