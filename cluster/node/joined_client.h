// A client of a store that another process serves. When that one is gone, the next call reaches the
// store anew: another process may serve it by then, or this one opens it itself. Calls whose answer
// was lost are made again where that is safe: reads, and row writes, which carry request ids, so
// that a write is done once even if the server died behind it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cluster/client/client.h"
#include "cluster/rpc/remote_client.h"

namespace sippar::cluster {

// One of both.
struct ReachedStore {
  std::unique_ptr<Client> opened;  // by this process
  std::unique_ptr<RemoteClient> remote;
};

using ReachStore = std::function<StatusOr<ReachedStore>()>;

// `reach` is called when `store` is lost.
std::unique_ptr<Client> NewJoinedClient(std::unique_ptr<RemoteClient> store, ReachStore reach);

}  // namespace sippar::cluster
