// ReadChangeStream and its partitions over DataApi::ReadChanges: translates, and beats when nothing
// happens. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/sync_stream.h>

#include "cluster/bigtable/instance_records.h"
#include "cluster/client/client.h"
#include "cluster/proto/bigtable.pb.h"

namespace sippar::cluster {

[[nodiscard]] Status GiveChangePartitions(
    Client* client,
    const google::bigtable::v2::GenerateInitialChangeStreamPartitionsRequest& request,
    grpc::ServerWriter<google::bigtable::v2::GenerateInitialChangeStreamPartitionsResponse>*
        writer);

// Until the end time, a change of the partition's tablet, or the caller's leaving.
[[nodiscard]] Status GiveChanges(
    const InstanceRecords& records, const google::bigtable::v2::ReadChangeStreamRequest& request,
    const CancelFlag& cancel,
    grpc::ServerWriter<google::bigtable::v2::ReadChangeStreamResponse>* writer);

}  // namespace sippar::cluster
