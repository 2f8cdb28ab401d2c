// A call that may be repeated without harm, such as Flush or Compact, has Effect::kNone: its error
// message need not warn of an unknown outcome. SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_admin.h"

#include <fmt/format.h>

namespace sippar::cluster {
namespace {

using Stub = wire::Store::Stub;

wire::TableRequest Named(const std::string& table) {
  wire::TableRequest request;
  request.set_table(table);
  return request;
}

// Normalizes a schema before it is encoded, as the store would, because only normal schemas can be
// decoded.
TableSchema Normal(TableSchema schema) {
  schema.Normalize();
  return schema;
}

StatusOr<std::vector<TableInfo>> TablesOf(const wire::TablesReply& reply) {
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<TableInfo> tables;
  for (const auto& table : reply.tables()) {
    ASSIGN_OR_RETURN(TableInfo info, FromProto(table));
    tables.push_back(std::move(info));
  }
  return tables;
}

StatusOr<std::vector<NamedRecord>> RecordsOf(const wire::RecordsReply& reply) {
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<NamedRecord> records;
  for (const std::string& bytes : reply.records()) {
    ASSIGN_OR_RETURN(NamedRecord record, NamedRecord::Decode(bytes));
    records.push_back(std::move(record));
  }
  return records;
}

wire::PutRecordRequest Record(const std::string& name, const std::string& body, uint64_t version) {
  wire::PutRecordRequest request;
  request.set_name(name);
  request.set_body(body);
  request.set_version(version);
  return request;
}

}  // namespace

Status RemoteAdmin::CreateTable(const TableSchema& schema,
                                const std::vector<std::string>& split_keys) {
  wire::CreateTableRequest request;
  request.set_schema(Normal(schema).Encode());
  for (const std::string& key : split_keys) request.add_split_keys(key);
  return connection_->Do(&Stub::CreateTable, request, Effect::kUnknown);
}

Status RemoteAdmin::AlterTable(const TableSchema& schema, uint64_t expected_version) {
  wire::AlterTableRequest request;
  request.set_schema(Normal(schema).Encode());
  request.set_expected_version(expected_version);
  return connection_->Do(&Stub::AlterTable, request, Effect::kUnknown);
}

Status RemoteAdmin::DropTable(const std::string& table) {
  return connection_->Do(&Stub::DropTable, Named(table), Effect::kUnknown);
}

StatusOr<TableInfo> RemoteAdmin::GetTable(const std::string& table) {
  wire::TablesReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::GetTable, Named(table), Effect::kNone, &reply));
  ASSIGN_OR_RETURN(std::vector<TableInfo> tables, TablesOf(reply));
  if (tables.size() != 1) return Internal("the server's answer does not name the table");
  return std::move(tables.front());
}

StatusOr<std::vector<TableInfo>> RemoteAdmin::ListTables() {
  wire::TablesReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::ListTables, wire::AllRequest(), Effect::kNone, &reply));
  return TablesOf(reply);
}

Status RemoteAdmin::Flush(const std::string& table) {
  return connection_->Do(&Stub::Flush, Named(table), Effect::kNone);
}

Status RemoteAdmin::Compact(const std::string& table, const std::string& group) {
  wire::CompactRequest request;
  request.set_table(table);
  request.set_group(group);
  return connection_->Do(&Stub::Compact, request, Effect::kNone);
}

Status RemoteAdmin::Split(const std::string& table, const std::string& row) {
  wire::SplitRequest request;
  request.set_table(table);
  request.set_row(row);
  return connection_->Do(&Stub::Split, request, Effect::kUnknown);
}

Status RemoteAdmin::Merge(const std::string& table, const engine::RowRange& rows) {
  wire::MergeRequest request;
  request.set_table(table);
  ToProto(rows, request.mutable_rows());
  return connection_->Do(&Stub::Merge, request, Effect::kUnknown);
}

Status RemoteAdmin::Verify(const std::string& table) {
  return connection_->Do(&Stub::Verify, Named(table), Effect::kNone);
}

StatusOr<std::vector<GroupStats>> RemoteAdmin::Stats(const std::string& table) {
  wire::StatsReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::Stats, Named(table), Effect::kNone, &reply));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<GroupStats> groups;
  for (const auto& group : reply.groups()) groups.push_back(FromProto(group));
  return groups;
}

std::map<std::string, uint64_t> RemoteAdmin::Metrics() {
  wire::MetricsReply reply;
  (void)connection_->Call(&Stub::Metrics, wire::AllRequest(), Effect::kNone, &reply);
  std::map<std::string, uint64_t> metrics;
  for (const auto& metric : reply.metrics()) metrics[metric.name()] = metric.value();
  return metrics;
}

std::vector<CompactionInfo> RemoteAdmin::Compactions() {
  wire::CompactionsReply reply;
  (void)connection_->Call(&Stub::Compactions, wire::AllRequest(), Effect::kNone, &reply);
  std::vector<CompactionInfo> compactions;
  for (const auto& info : reply.compactions()) compactions.push_back(FromProto(info));
  return compactions;
}

StatusOr<std::vector<HotTablet>> RemoteAdmin::HotTablets(int64_t start_us, int64_t end_us) {
  wire::HotTabletsRequest request;
  request.set_start_us(start_us);
  request.set_end_us(end_us);
  wire::HotTabletsReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::HotTablets, request, Effect::kNone, &reply));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  std::vector<HotTablet> tablets;
  for (const auto& tablet : reply.tablets()) tablets.push_back(FromProto(tablet));
  return tablets;
}

StatusOr<NamedRecord> RemoteAdmin::GetRecord(const std::string& name) {
  wire::RecordRequest request;
  request.set_name(name);
  wire::RecordsReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::GetRecord, request, Effect::kNone, &reply));
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records, RecordsOf(reply));
  if (records.size() != 1) return Internal("the server's answer does not hold the record");
  return std::move(records.front());
}

StatusOr<std::vector<NamedRecord>> RemoteAdmin::ListRecords(const std::string& prefix) {
  wire::RecordRequest request;
  request.set_name(prefix);
  wire::RecordsReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::ListRecords, request, Effect::kNone, &reply));
  return RecordsOf(reply);
}

Status RemoteAdmin::PutRecord(const std::string& name, const std::string& body, uint64_t version) {
  return connection_->Do(&Stub::PutRecord, Record(name, body, version), Effect::kUnknown);
}

Status RemoteAdmin::DeleteRecord(const std::string& name, uint64_t version) {
  return connection_->Do(&Stub::DeleteRecord, Record(name, "", version), Effect::kUnknown);
}

StatusOr<std::string> RemoteAdmin::DumpTablets(const std::string& table) {
  wire::TextReply reply;
  RETURN_IF_ERROR(connection_->Call(&Stub::DumpTablets, Named(table), Effect::kNone, &reply));
  RETURN_IF_ERROR(FromProto(reply.outcome()));
  return std::move(*reply.mutable_text());
}

}  // namespace sippar::cluster
