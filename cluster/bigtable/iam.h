// IAM policies of resources. They are stored and returned, but not enforced: whoever reaches the
// loopback port or the socket counts as the owner of the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/bigtable/instance_records.h"
#include "cluster/proto/iam.pb.h"

namespace sippar::cluster {

// Returns the name of the record that holds the policy of a resource: an instance, table,
// authorized view, schema bundle or backup. kNotFound: no such resource (for a backup: no such
// instance; whether the backup exists is not looked up); kInvalidArgument: the name is invalid or
// of another kind.
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
