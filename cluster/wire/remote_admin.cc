// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_admin.h"

#include "cluster/api/call_codec.h"

namespace sippar::cluster {

void RemoteAdmin::Carry(const AnyCall& call, const CallOptions& options) {
  TakeReply(connection_->Carry(RuleOf(call), EncodeCall(call), options), call);
}

}  // namespace sippar::cluster
