// IAM policies of resources. They are stored and returned, but not enforced: only the owner of the
// store can reach the loopback port or the socket.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/bigtable/instance_records.h"
#include "cluster/proto/iam.pb.h"

namespace sippar::cluster {

// Returns the name of the record that holds the policy of a resource: an instance, table,
// authorized view, schema bundle or backup. kNotFound: no such resource; kInvalidArgument: the
// name is of another kind.
[[nodiscard]] StatusOr<std::string> PolicyRecord(const InstanceRecords& records,
                                                 const std::string& resource);
[[nodiscard]] Status GetPolicy(const InstanceRecords& records,
                               const google::iam::v1::GetIamPolicyRequest& request,
                               google::iam::v1::Policy* response);
// kAborted: the etag in the request is not that of the stored policy.
[[nodiscard]] Status SetPolicy(const InstanceRecords& records,
                               const google::iam::v1::SetIamPolicyRequest& request,
                               google::iam::v1::Policy* response);
[[nodiscard]] Status TestPermissions(const InstanceRecords& records,
                                     const google::iam::v1::TestIamPermissionsRequest& request,
                                     google::iam::v1::TestIamPermissionsResponse* response);

}  // namespace sippar::cluster
