// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/resource_names.h"

#include <fmt/format.h>

#include <vector>

#include "engine/base/printable.h"
#include "engine/model/schema.h"
#include "engine/model/table_name.h"

namespace sippar::cluster {
namespace {

std::vector<std::string_view> Parts(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t slash = name.find('/');
    parts.push_back(name.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    name.remove_prefix(slash + 1);
  }
}

Status BadName(std::string_view name, std::string_view form) {
  return InvalidArgument(fmt::format("name '{}' is not of the form {}",
                                     engine::PrintableBytes(name.substr(0, 300)), form));
}

StatusOr<InstanceName> InstanceOf(const std::vector<std::string_view>& parts) {
  InstanceName instance{std::string(parts[1]), std::string(parts[3])};
  RETURN_IF_ERROR(engine::ValidateProjectName(instance.project));
  RETURN_IF_ERROR(engine::ValidateInstanceName(instance.instance));
  return instance;
}

}  // namespace

StatusOr<InstanceName> InstanceName::Parse(std::string_view name) {
  std::vector<std::string_view> parts = Parts(name);
  if (parts.size() != 4 || parts[0] != "projects" || parts[2] != "instances") {
    return BadName(name, "projects/PROJECT/instances/INSTANCE");
  }
  return InstanceOf(parts);
}

StatusOr<PartName> PartName::Parse(std::string_view name, std::string_view kind) {
  std::vector<std::string_view> parts = Parts(name);
  if (parts.size() != 6 || parts[0] != "projects" || parts[2] != "instances" || parts[4] != kind ||
      parts[5].empty()) {
    return BadName(name, fmt::format("projects/PROJECT/instances/INSTANCE/{}/ID", kind));
  }
  ASSIGN_OR_RETURN(InstanceName instance, InstanceOf(parts));
  return PartName{std::move(instance), std::string(parts[5])};
}

StatusOr<TableName> TableName::Of(const InstanceName& instance, std::string_view id) {
  if (id.find('/') != std::string_view::npos) {
    return InvalidArgument(fmt::format("table id '{}' contains a '/'", engine::PrintableBytes(id)));
  }
  RETURN_IF_ERROR(engine::ValidateTableName(id));
  return TableName{instance, std::string(id)};
}

StatusOr<TableName> TableName::Parse(std::string_view name) {
  ASSIGN_OR_RETURN(PartName part, PartName::Parse(name, "tables"));
  return Of(part.instance, part.id);
}

StatusOr<TablePartName> TablePartName::Of(std::string_view table, std::string_view kind,
                                          std::string_view id) {
  ASSIGN_OR_RETURN(TableName parsed, TableName::Parse(table));
  // Ids of views and bundles follow the rules of table ids.
  auto as_table = TableName::Of(parsed.instance, id);
  if (!as_table.ok()) {
    return Annotate(as_table.status(), fmt::format("id '{}' in {} (the rules of table names apply)",
                                                   id.substr(0, 100), kind));
  }
  return TablePartName{std::move(parsed), std::string(kind), std::string(id)};
}

StatusOr<TablePartName> TablePartName::Parse(std::string_view name, std::string_view kind) {
  std::vector<std::string_view> parts = Parts(name);
  if (parts.size() != 8 || parts[6] != kind) {
    return BadName(name,
                   fmt::format("projects/PROJECT/instances/INSTANCE/tables/TABLE/{}/ID", kind));
  }
  return Of(name.substr(0, name.size() - parts[7].size() - kind.size() - 2), kind, parts[7]);
}

StatusOr<TableName> TableName::FromStored(std::string_view stored) {
  std::vector<std::string_view> parts = Parts(stored);
  // A plain name is a table of the default instance (engine/model/table_name.h).
  if (parts.size() == 1) return Of({"sippar", "default"}, stored);
  if (parts.size() != 3) return BadName(stored, "PROJECT/INSTANCE/TABLE");
  return Of({std::string(parts[0]), std::string(parts[1])}, parts[2]);
}

}  // namespace sippar::cluster
