// Status <-> gRPC. The codes are the same numbers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include "cluster/proto/status.pb.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Messages are cut and made printable: they travel in a header of limited size, as UTF-8.
grpc::Status ToGrpc(const Status& status);
void ToProto(const Status& status, google::rpc::Status* out);
// The server has more calls under way than it has room for: UNAVAILABLE, and that the caller is to
// try again soon (google.rpc.RetryInfo). RESOURCE_EXHAUSTED would say that a disk is full.
grpc::Status Overloaded(const std::string& what);

}  // namespace sippar::cluster
