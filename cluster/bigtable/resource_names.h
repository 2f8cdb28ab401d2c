// Names of resources in the Cloud Bigtable API and the tables of a store they mean. Any project and
// instance exists. The tables of projects/sippar/instances/default are those with plain names,
// which the shell shows as they are; those of every other instance are named
// PROJECT/INSTANCE/TABLE. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

struct InstanceName {
  std::string project;
  std::string instance;

  // "projects/P/instances/I". kInvalidArgument names what is wrong.
  [[nodiscard]] static StatusOr<InstanceName> Parse(std::string_view name);
  std::string ToString() const { return "projects/" + project + "/instances/" + instance; }
  bool IsDefault() const { return project == "sippar" && instance == "default"; }
  // Of the names of its tables in the store.
  std::string table_prefix() const { return IsDefault() ? "" : project + "/" + instance + "/"; }
  bool operator==(const InstanceName&) const = default;
};

struct TableName {
  InstanceName instance;
  std::string table_id;

  // "projects/P/instances/I/tables/T".
  [[nodiscard]] static StatusOr<TableName> Parse(std::string_view name);
  [[nodiscard]] static StatusOr<TableName> Of(const InstanceName& instance, std::string_view id);
  // Of a table of the store; kInvalidArgument when it is no name of one.
  [[nodiscard]] static StatusOr<TableName> FromStored(std::string_view stored);
  std::string ToString() const { return instance.ToString() + "/tables/" + table_id; }
  std::string stored() const { return instance.table_prefix() + table_id; }
};

// ID of "projects/P/instances/I/tables/T/KIND/ID", e.g. of an authorized view, with its table.
struct TablePartName {
  TableName table;
  std::string kind;
  std::string id;  // as a table's

  [[nodiscard]] static StatusOr<TablePartName> Parse(std::string_view name, std::string_view kind);
  [[nodiscard]] static StatusOr<TablePartName> Of(std::string_view table, std::string_view kind,
                                                  std::string_view id);
  std::string ToString() const { return table.ToString() + "/" + kind + "/" + id; }
};

// ID of "projects/P/instances/I/KIND/ID", e.g. of a cluster, with its instance.
struct PartName {
  InstanceName instance;
  std::string id;
  [[nodiscard]] static StatusOr<PartName> Parse(std::string_view name, std::string_view kind);
};

}  // namespace sippar::cluster
