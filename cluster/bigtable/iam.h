// Policies of resources: kept and answered, and nobody is refused for them: whoever reaches the
// loopback port or the socket is the owner. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/bigtable/instance_records.h"
#include "cluster/proto/iam.pb.h"

namespace sippar::cluster {

// Where the policy of a resource that is there is kept. Resources: instances, tables, authorized
// views, schema bundles, backups. kNotFound, kInvalidArgument.
[[nodiscard]] StatusOr<std::string> PolicyRecord(const InstanceRecords& records,
                                                 const std::string& resource);
[[nodiscard]] Status GetPolicy(const InstanceRecords& records,
                               const google::iam::v1::GetIamPolicyRequest& request,
                               google::iam::v1::Policy* response);
// kAborted: the policy's etag is not that of the one there is.
[[nodiscard]] Status SetPolicy(const InstanceRecords& records,
                               const google::iam::v1::SetIamPolicyRequest& request,
                               google::iam::v1::Policy* response);
[[nodiscard]] Status TestPermissions(const InstanceRecords& records,
                                     const google::iam::v1::TestIamPermissionsRequest& request,
                                     google::iam::v1::TestIamPermissionsResponse* response);

}  // namespace sippar::cluster
