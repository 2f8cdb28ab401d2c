// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/restore_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"
#include "engine/model/change_config.h"
#include "engine/model/schema_change.h"

namespace sippar::cli {
namespace {

constexpr std::string_view kMagic = "sippar-restore-1";

// True if the table was left by an interrupted restore. A table that a user has created since then
// under the same name has another id.
bool IsUnfinished(const ExistingTable& existing, const std::optional<RestoreMark>& mark) {
  if (!mark) return false;
  return mark->table_id == 0 ? existing.is_empty : mark->table_id == existing.id;
}

// True if the schema has a family of an aggregate type. Writing a cell of such a family again would
// add its state twice, so a restore of the table cannot be continued.
bool HasAggregates(const engine::TableSchema& schema) {
  return std::any_of(
      schema.families.begin(), schema.families.end(),
      [](const engine::FamilySchema& family) { return engine::IsAggregate(family.type); });
}

}  // namespace

std::string RestoreMark::Encode() const {
  std::string body;
  engine::PutBytes(&body, kMagic);
  engine::PutBytes(&body, dump_id);
  engine::PutVarint(&body, table_id);
  engine::PutVarint(&body, cells);
  engine::PutVarint(&body, options.size());
  for (const auto& [name, value] : options) {
    engine::PutBytes(&body, name);
    engine::PutBytes(&body, value);
  }
  return body;
}

std::optional<RestoreMark> RestoreMark::Decode(std::string_view body) {
  engine::Reader reader(body);
  if (reader.Bytes() != kMagic) return std::nullopt;
  RestoreMark mark;
  mark.dump_id = reader.Bytes();
  mark.table_id = reader.Varint();
  mark.cells = reader.Varint();
  for (uint64_t left = reader.Varint(); left > 0 && reader.ok(); --left) {
    std::string name(reader.Bytes());
    mark.options[name] = reader.Bytes();
  }
  return reader.ok() ? std::optional(mark) : std::nullopt;
}

std::string MarkName(const std::string& table) { return "restore/" + table; }

StatusOr<RestoreAction> DecideRestore(const std::string& table,
                                      const std::optional<ExistingTable>& existing,
                                      const std::optional<RestoreMark>& mark,
                                      const std::string& dump_id, IfExists if_exists) {
  if (!existing) return RestoreAction::kCreate;
  bool unfinished = IsUnfinished(*existing, mark);
  if (if_exists == IfExists::kReplace) {
    if (!unfinished) RETURN_IF_ERROR(engine::CheckDrop(existing->schema));
    return RestoreAction::kReplace;
  }
  if (unfinished && mark->dump_id == dump_id) {
    return HasAggregates(existing->schema) ? RestoreAction::kReplace : RestoreAction::kContinue;
  }
  if (unfinished) {
    return FailedPrecondition(fmt::format(
        "table {}: the restore of another dump was interrupted in it; finish that one, or "
        "replace the table with --if-exists replace",
        table));
  }
  if (if_exists == IfExists::kSkip) return RestoreAction::kSkip;
  return AlreadyExists(
      fmt::format("table {}: it already exists; --if-exists skip leaves it as it is, --if-exists "
                  "replace drops it first",
                  table));
}

std::map<std::string, std::string> TakeLateOptions(engine::TableSchema* schema) {
  std::map<std::string, std::string> late;
  for (const char* name : {engine::kProtectedOption, engine::kChangeStreamOption}) {
    auto option = schema->options.find(name);
    if (option == schema->options.end()) continue;
    late.insert(*option);
    schema->options.erase(option);
  }
  return late;
}

}  // namespace sippar::cli
