// Serves ReadChangeStream and GenerateInitialChangeStreamPartitions through DataApi: translates,
// and sends heartbeats at the interval that the request names (default: 5 s).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/sync_stream.h>

#include "cluster/bigtable/instance_records.h"
#include "cluster/client/client.h"
#include "cluster/proto/bigtable.pb.h"

namespace sippar::cluster {

// Sends the ranges of the table's tablets as partitions.
[[nodiscard]] Status GiveChangePartitions(
    Client* client,
    const google::bigtable::v2::GenerateInitialChangeStreamPartitionsRequest& request,
    grpc::ServerWriter<google::bigtable::v2::GenerateInitialChangeStreamPartitionsResponse>*
        writer);

// Sends changes until the end time, until the partition's tablet splits or merges, until the caller
// is gone, or until `cancel` is set.
[[nodiscard]] Status GiveChanges(
    const InstanceRecords& records, const google::bigtable::v2::ReadChangeStreamRequest& request,
    const CancelFlag& cancel,
    grpc::ServerWriter<google::bigtable::v2::ReadChangeStreamResponse>* writer);

}  // namespace sippar::cluster
