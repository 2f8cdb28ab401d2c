// Serves PrepareQuery and ExecuteQuery through QueryApi. If `queries` is null, both calls return
// kUnimplemented.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/sync_stream.h>

#include "cluster/api/query_api.h"
#include "cluster/bigtable/instance_records.h"
#include "cluster/proto/bigtable.pb.h"

namespace sippar::cluster {

[[nodiscard]] Status PrepareQuery(const InstanceRecords& records, QueryApi* queries,
                                  const google::bigtable::v2::PrepareQueryRequest& request,
                                  google::bigtable::v2::PrepareQueryResponse* response);

using QueryWriter = grpc::ServerWriter<google::bigtable::v2::ExecuteQueryResponse>;
grpc::Status ExecuteQuery(const InstanceRecords& records, QueryApi* queries,
                          const google::bigtable::v2::ExecuteQueryRequest& request,
                          const CancelFlag& cancel, QueryWriter* writer);

}  // namespace sippar::cluster
