// Converts Status to gRPC's statuses. The codes have the same numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include "cluster/proto/status.pb.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// The message is shortened and made printable, because it travels in a header, which has limited
// size and must be UTF-8.
grpc::Status ToGrpc(const Status& status);
void ToProto(const Status& status, google::rpc::Status* out);
// Refuses a call because the server has no room for it: UNAVAILABLE with google.rpc.RetryInfo, so
// that the caller retries soon. RESOURCE_EXHAUSTED would mean that a disk is full or another limit
// is reached, so that a retry does not help.
grpc::Status Overloaded(const std::string& what);

}  // namespace sippar::cluster
