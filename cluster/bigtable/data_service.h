// Implements google.bigtable.v2.Bigtable through DataApi, AdminApi and QueryApi. It only
// translates. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/query_api.h"
#include "cluster/bigtable/instance_records.h"
#include "cluster/client/client.h"
#include "cluster/grpc/call_watch.h"
#include "cluster/proto/bigtable.grpc.pb.h"

namespace sippar::cluster {

// row_reads.h serves ReadRows, row_writes.h the writes of one row, both asynchronously and with raw
// messages.
using RawBigtable = google::bigtable::v2::Bigtable;
using AsyncDataService = RawBigtable::WithRawMethod_ReadRows<
    RawBigtable::WithRawMethod_MutateRow<RawBigtable::WithRawMethod_CheckAndMutateRow<
        RawBigtable::WithRawMethod_ReadModifyWriteRow<RawBigtable::Service>>>>;

class DataService final : public AsyncDataService {
 public:
  // Both must outlive the service. `queries` may be null: SQL is then not served.
  DataService(const InstanceRecords* records, QueryApi* queries)
      : client_(records->client()), records_(records), queries_(queries) {}

  // Ends the change streams, which would never end, before the server stops.
  void EndStreams() { watch_.CancelEndless(); }

  template <typename T>
  using Writer = grpc::ServerWriter<T>;
  grpc::Status SampleRowKeys(grpc::ServerContext* context,
                             const google::bigtable::v2::SampleRowKeysRequest* request,
                             Writer<google::bigtable::v2::SampleRowKeysResponse>* writer) override;
  grpc::Status MutateRows(grpc::ServerContext* context,
                          const google::bigtable::v2::MutateRowsRequest* request,
                          Writer<google::bigtable::v2::MutateRowsResponse>* writer) override;
  grpc::Status PingAndWarm(grpc::ServerContext* context,
                           const google::bigtable::v2::PingAndWarmRequest* request,
                           google::bigtable::v2::PingAndWarmResponse* response) override;
  grpc::Status GenerateInitialChangeStreamPartitions(
      grpc::ServerContext* context,
      const google::bigtable::v2::GenerateInitialChangeStreamPartitionsRequest* request,
      Writer<google::bigtable::v2::GenerateInitialChangeStreamPartitionsResponse>* writer) override;
  grpc::Status ReadChangeStream(
      grpc::ServerContext* context, const google::bigtable::v2::ReadChangeStreamRequest* request,
      Writer<google::bigtable::v2::ReadChangeStreamResponse>* writer) override;
  grpc::Status PrepareQuery(grpc::ServerContext* context,
                            const google::bigtable::v2::PrepareQueryRequest* request,
                            google::bigtable::v2::PrepareQueryResponse* response) override;
  grpc::Status ExecuteQuery(grpc::ServerContext* context,
                            const google::bigtable::v2::ExecuteQueryRequest* request,
                            Writer<google::bigtable::v2::ExecuteQueryResponse>* writer) override;

 private:
  Client* client_;
  const InstanceRecords* records_;
  QueryApi* queries_;
  CallWatch watch_;
};

}  // namespace sippar::cluster
