// A client of one member over cluster/net, in place of one over gRPC (wire/remote_client.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/wire/line.h"
#include "cluster/wire/remote_client.h"

namespace sippar::cluster {

// When OK, the member has answered, and the two ends agree on a version. kUnavailable: no member
// answers, and net::IsWithoutHello tells whether another program may be there; kUnimplemented: no
// version in common; kInvalidArgument: another cluster. `target` names the member in error
// messages. The client has one connection and ends with it.
[[nodiscard]] StatusOr<std::unique_ptr<RemoteClient>> ConnectLine(const MemberAddress& address,
                                                                  const std::string& target,
                                                                  const LineSettings& settings);

}  // namespace sippar::cluster
