// Implements sippar.v1.Store: serves cluster/api to Sippar clients in other processes. It only
// translates; a damaged request is kInvalidArgument. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "cluster/grpc/call_gate.h"
#include "cluster/grpc/call_watch.h"
#include "cluster/proto/store.grpc.pb.h"
#include "cluster/wire/call_failure.h"
#include "cluster/wire/store_convert.h"

namespace sippar::cluster {

class StoreService final : public wire::Store::Service {
 public:
  explicit StoreService(Client* client) : client_(client) {}  // must outlive the service
  // Prepares the stop of the server. No call that must not be repeated begins any more, and its
  // caller learns that nothing was done; those that run are finished. Streams may continue for
  // 0.3 s and are then cut, if possible at the end of a row: their readers continue with the next
  // process that opens the store.
  void Leave();
  // Number of calls so far, without some that only inspect a running store.
  uint64_t calls_begun() const { return calls_begun_; }

  using Context = grpc::ServerContext;

  grpc::Status Hello(Context* context, const wire::HelloRequest* request,
                     wire::HelloReply* reply) override;

  grpc::Status Apply(Context* context, const wire::ApplyRequest* request,
                     wire::ApplyReply* reply) override;
  grpc::Status Update(Context* context, const wire::UpdateRequest* request,
                      wire::UpdateReply* reply) override;
  grpc::Status CommitRow(Context* context, const wire::CommitRowRequest* request,
                         wire::DoneReply* reply) override;
  grpc::Status Read(Context* context, const wire::ReadRequest* request,
                    grpc::ServerWriter<wire::ReadReply>* writer) override;
  grpc::Status Run(Context* context, const wire::RunRequest* request,
                   grpc::ServerWriter<wire::RunReply>* writer) override;
  grpc::Status Tablets(Context* context, const wire::TableRequest* request,
                       wire::TabletsReply* reply) override;
  grpc::Status TabletRanges(Context* context, const wire::TableRequest* request,
                            wire::TabletsReply* reply) override;
  grpc::Status ReadChanges(Context* context, const wire::ChangesRequest* request,
                           grpc::ServerWriter<wire::ChangesReply>* writer) override;

  grpc::Status CreateTable(Context* context, const wire::CreateTableRequest* request,
                           wire::DoneReply* reply) override;
  grpc::Status AlterTable(Context* context, const wire::AlterTableRequest* request,
                          wire::DoneReply* reply) override;
  grpc::Status DropTable(Context* context, const wire::TableRequest* request,
                         wire::DoneReply* reply) override;
  grpc::Status GetTable(Context* context, const wire::TableRequest* request,
                        wire::TablesReply* reply) override;
  grpc::Status ListTables(Context* context, const wire::AllRequest* request,
                          wire::TablesReply* reply) override;
  grpc::Status Flush(Context* context, const wire::TableRequest* request,
                     wire::DoneReply* reply) override;
  grpc::Status Compact(Context* context, const wire::CompactRequest* request,
                       wire::DoneReply* reply) override;
  grpc::Status Split(Context* context, const wire::SplitRequest* request,
                     wire::DoneReply* reply) override;
  grpc::Status Merge(Context* context, const wire::MergeRequest* request,
                     wire::DoneReply* reply) override;
  grpc::Status Verify(Context* context, const wire::TableRequest* request,
                      wire::DoneReply* reply) override;
  grpc::Status Stats(Context* context, const wire::TableRequest* request,
                     wire::StatsReply* reply) override;
  grpc::Status Metrics(Context* context, const wire::AllRequest* request,
                       wire::MetricsReply* reply) override;
  grpc::Status Compactions(Context* context, const wire::AllRequest* request,
                           wire::CompactionsReply* reply) override;
  grpc::Status HotTablets(Context* context, const wire::HotTabletsRequest* request,
                          wire::HotTabletsReply* reply) override;
  grpc::Status GetRecord(Context* context, const wire::RecordRequest* request,
                         wire::RecordsReply* reply) override;
  grpc::Status ListRecords(Context* context, const wire::RecordRequest* request,
                           wire::RecordsReply* reply) override;
  grpc::Status PutRecord(Context* context, const wire::PutRecordRequest* request,
                         wire::DoneReply* reply) override;
  grpc::Status DeleteRecord(Context* context, const wire::PutRecordRequest* request,
                            wire::DoneReply* reply) override;
  grpc::Status DumpTablets(Context* context, const wire::TableRequest* request,
                           wire::TextReply* reply) override;

  // The calls in store_service_backups.cc.
  grpc::Status CreateBackup(Context* context, const wire::BackupRequest* request,
                            wire::BackupsReply* reply) override;
  grpc::Status CopyBackup(Context* context, const wire::BackupRequest* request,
                          wire::BackupsReply* reply) override;
  grpc::Status GetBackup(Context* context, const wire::BackupRequest* request,
                         wire::BackupsReply* reply) override;
  grpc::Status ListBackups(Context* context, const wire::AllRequest* request,
                           wire::BackupsReply* reply) override;
  grpc::Status SetBackupExpiry(Context* context, const wire::BackupRequest* request,
                               wire::BackupsReply* reply) override;
  grpc::Status DeleteBackup(Context* context, const wire::BackupRequest* request,
                            wire::DoneReply* reply) override;
  grpc::Status RestoreTable(Context* context, const wire::BackupRequest* request,
                            wire::DoneReply* reply) override;
  grpc::Status DropKeptTable(Context* context, const wire::BackupRequest* request,
                             wire::DoneReply* reply) override;
  grpc::Status UndeleteTable(Context* context, const wire::BackupRequest* request,
                             wire::DoneReply* reply) override;

 private:
  // True if a stream ended because this server leaves.
  bool IsCut(const Status& ended, Context* context) const;
  // Makes a change that the client cannot repeat. It begins only while Leave would still wait for
  // its end, so it is either finished or not begun.
  template <typename Reply, typename Change>
  grpc::Status Once(Reply* reply, const Change& change) {
    ++calls_begun_;
    CallGate::Pass pass(&changes_);
    if (!pass.is_open()) return {grpc::StatusCode::UNAVAILABLE, "it leaves the store", kNotBegun};
    ToProto(change(), reply->mutable_outcome());
    return grpc::Status::OK;
  }

  Client* const client_;
  CallWatch watch_;
  CallGate changes_;  // changes that the client cannot repeat
  CallGate streams_;  // reads and programs
  std::atomic<bool> is_cutting_{false};
  std::atomic<uint64_t> calls_begun_{0};
};

}  // namespace sippar::cluster
