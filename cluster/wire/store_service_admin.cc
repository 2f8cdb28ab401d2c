// The calls for administrators, and Leave. SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/store_service.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kStreamsUs = 300'000;     // time for streams to end by themselves
constexpr int64_t kCutUs = 200'000;         // further time for them to reach the end of a row
constexpr int64_t kChangesUs = 30'000'000;  // time for running changes, as kCallTimeoutUs
// A client that has just probed this server may now send a change. The wait lets that change arrive
// at the shut gate, which says that nothing was done. If it found the connection closed instead,
// its outcome would be unknown.
constexpr int64_t kLateUs = 20'000;

// gRPC's status is always OK: the outcome is in the reply, so that the client can distinguish an
// error of the store from a missing answer.
grpc::Status Answer(const Status& status, wire::Outcome* outcome) {
  ToProto(status, outcome);
  return grpc::Status::OK;
}

}  // namespace

void StoreService::Leave() {
  // Without any call there is nothing to wait for: no client has connected.
  if (is_cutting_ || calls_begun_ == 0) return;
  changes_.Shut();
  streams_.Shut();
  client_->clock()->SleepMicros(kLateUs);
  bool is_quiet = streams_.WaitUntilQuiet(kStreamsUs);
  is_cutting_ = true;
  if (!is_quiet) streams_.WaitUntilQuiet(kCutUs);
  // Some streams never come to the end of a row in time: a row may be long, a read may find nothing
  // for long, and change streams have no end. These are cancelled where they are.
  watch_.CancelEndless();
  changes_.WaitUntilQuiet(kChangesUs);
}

grpc::Status StoreService::Hello(Context*, const wire::HelloRequest*, wire::HelloReply* reply) {
  ++calls_begun_;
  reply->set_version(kStoreVersion);
  return grpc::Status::OK;
}

grpc::Status StoreService::CreateTable(Context*, const wire::CreateTableRequest* request,
                                       wire::DoneReply* reply) {
  auto schema = TableSchema::Decode(request->schema());
  if (!schema.ok()) return Answer(schema.status(), reply->mutable_outcome());
  std::vector<std::string> keys(request->split_keys().begin(), request->split_keys().end());
  return Once(reply, [&] { return client_->admin()->CreateTable(*schema, keys); });
}

grpc::Status StoreService::AlterTable(Context*, const wire::AlterTableRequest* request,
                                      wire::DoneReply* reply) {
  auto schema = TableSchema::Decode(request->schema());
  if (!schema.ok()) return Answer(schema.status(), reply->mutable_outcome());
  return Once(reply,
              [&] { return client_->admin()->AlterTable(*schema, request->expected_version()); });
}

grpc::Status StoreService::DropTable(Context*, const wire::TableRequest* request,
                                     wire::DoneReply* reply) {
  return Once(reply, [&] { return client_->admin()->DropTable(request->table()); });
}

grpc::Status StoreService::GetTable(Context*, const wire::TableRequest* request,
                                    wire::TablesReply* reply) {
  ++calls_begun_;
  auto table = client_->admin()->GetTable(request->table());
  if (table.ok()) ToProto(*table, reply->add_tables());
  return Answer(table.status(), reply->mutable_outcome());
}

grpc::Status StoreService::ListTables(Context*, const wire::AllRequest*, wire::TablesReply* reply) {
  ++calls_begun_;
  auto tables = client_->admin()->ListTables();
  if (tables.ok()) {
    for (const TableInfo& table : *tables) ToProto(table, reply->add_tables());
  }
  return Answer(tables.status(), reply->mutable_outcome());
}

grpc::Status StoreService::Flush(Context*, const wire::TableRequest* request,
                                 wire::DoneReply* reply) {
  return Answer(client_->admin()->Flush(request->table()), reply->mutable_outcome());
}

grpc::Status StoreService::Compact(Context*, const wire::CompactRequest* request,
                                   wire::DoneReply* reply) {
  return Answer(client_->admin()->Compact(request->table(), request->group()),
                reply->mutable_outcome());
}

grpc::Status StoreService::Split(Context*, const wire::SplitRequest* request,
                                 wire::DoneReply* reply) {
  return Once(reply, [&] { return client_->admin()->Split(request->table(), request->row()); });
}

grpc::Status StoreService::Merge(Context*, const wire::MergeRequest* request,
                                 wire::DoneReply* reply) {
  return Once(
      reply, [&] { return client_->admin()->Merge(request->table(), FromProto(request->rows())); });
}

grpc::Status StoreService::Verify(Context*, const wire::TableRequest* request,
                                  wire::DoneReply* reply) {
  return Answer(client_->admin()->Verify(request->table()), reply->mutable_outcome());
}

grpc::Status StoreService::Stats(Context*, const wire::TableRequest* request,
                                 wire::StatsReply* reply) {
  auto groups = client_->admin()->Stats(request->table());
  if (groups.ok()) {
    for (const GroupStats& group : *groups) ToProto(group, reply->add_groups());
  }
  return Answer(groups.status(), reply->mutable_outcome());
}

grpc::Status StoreService::Metrics(Context*, const wire::AllRequest*, wire::MetricsReply* reply) {
  for (const auto& [name, value] : client_->admin()->Metrics()) {
    wire::MetricsReply::Metric* metric = reply->add_metrics();
    metric->set_name(name);
    metric->set_value(value);
  }
  return grpc::Status::OK;
}

grpc::Status StoreService::Compactions(Context*, const wire::AllRequest*,
                                       wire::CompactionsReply* reply) {
  for (const CompactionInfo& info : client_->admin()->Compactions()) {
    ToProto(info, reply->add_compactions());
  }
  return grpc::Status::OK;
}

grpc::Status StoreService::HotTablets(Context*, const wire::HotTabletsRequest* request,
                                      wire::HotTabletsReply* reply) {
  auto tablets = client_->admin()->HotTablets(request->start_us(), request->end_us());
  if (tablets.ok()) {
    for (const HotTablet& tablet : *tablets) ToProto(tablet, reply->add_tablets());
  }
  return Answer(tablets.status(), reply->mutable_outcome());
}

grpc::Status StoreService::GetRecord(Context*, const wire::RecordRequest* request,
                                     wire::RecordsReply* reply) {
  auto record = client_->admin()->GetRecord(request->name());
  if (record.ok()) reply->add_records(record->Encode());
  return Answer(record.status(), reply->mutable_outcome());
}

grpc::Status StoreService::ListRecords(Context*, const wire::RecordRequest* request,
                                       wire::RecordsReply* reply) {
  auto records = client_->admin()->ListRecords(request->name());
  if (records.ok()) {
    for (const NamedRecord& record : *records) reply->add_records(record.Encode());
  }
  return Answer(records.status(), reply->mutable_outcome());
}

grpc::Status StoreService::PutRecord(Context*, const wire::PutRecordRequest* request,
                                     wire::DoneReply* reply) {
  return Once(reply, [&] {
    return client_->admin()->PutRecord(request->name(), request->body(), request->version());
  });
}

grpc::Status StoreService::DeleteRecord(Context*, const wire::PutRecordRequest* request,
                                        wire::DoneReply* reply) {
  return Once(reply,
              [&] { return client_->admin()->DeleteRecord(request->name(), request->version()); });
}

grpc::Status StoreService::DumpTablets(Context*, const wire::TableRequest* request,
                                       wire::TextReply* reply) {
  auto text = client_->admin()->DumpTablets(request->table());
  if (text.ok()) reply->set_text(*text);
  return Answer(text.status(), reply->mutable_outcome());
}

}  // namespace sippar::cluster
