// Parses names of resources of the Cloud Bigtable API, and maps tables to their names in the store.
// A table of projects/sippar/instances/default has its plain id as its name in the store, which is
// what the shell shows; a table of any other instance has PROJECT/INSTANCE/TABLE. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

struct InstanceName {
  std::string project;
  std::string instance;

  // Parses "projects/P/instances/I". kInvalidArgument names the error.
  [[nodiscard]] static StatusOr<InstanceName> Parse(std::string_view name);
  std::string ToString() const { return "projects/" + project + "/instances/" + instance; }
  bool IsDefault() const { return project == "sippar" && instance == "default"; }
  // The prefix of the names that the instance's tables have in the store.
  std::string table_prefix() const { return IsDefault() ? "" : project + "/" + instance + "/"; }
  bool operator==(const InstanceName&) const = default;
};

struct TableName {
  InstanceName instance;
  std::string table_id;

  // Parses "projects/P/instances/I/tables/T".
  [[nodiscard]] static StatusOr<TableName> Parse(std::string_view name);
  [[nodiscard]] static StatusOr<TableName> Of(const InstanceName& instance, std::string_view id);
  // Parses the name of a table in the store. kInvalidArgument: the API cannot name such a table.
  [[nodiscard]] static StatusOr<TableName> FromStored(std::string_view stored);
  std::string ToString() const { return instance.ToString() + "/tables/" + table_id; }
  std::string stored() const { return instance.table_prefix() + table_id; }
};

// The name of a part of a table, such as an authorized view:
// "projects/P/instances/I/tables/T/KIND/ID".
struct TablePartName {
  TableName table;
  std::string kind;
  std::string id;  // follows the rules of table ids

  [[nodiscard]] static StatusOr<TablePartName> Parse(std::string_view name, std::string_view kind);
  [[nodiscard]] static StatusOr<TablePartName> Of(std::string_view table, std::string_view kind,
                                                  std::string_view id);
  std::string ToString() const { return table.ToString() + "/" + kind + "/" + id; }
};

// The name of a part of an instance, such as a cluster: "projects/P/instances/I/KIND/ID".
struct PartName {
  InstanceName instance;
  std::string id;
  [[nodiscard]] static StatusOr<PartName> Parse(std::string_view name, std::string_view kind);
};

}  // namespace sippar::cluster
