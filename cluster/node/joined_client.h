// A client of a store that is reached anew now and then. One that another process serves: when that
// one is gone, the next call finds who serves it by then, or this process opens it itself. Calls
// whose answer was lost are made again where that is safe: reads, and row writes, which carry
// request ids, so that a write is done once even if the server died behind it. And one that was
// opened for reading on a disk that takes nothing: tried for good now and then, when somebody
// writes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cluster/client/client.h"
#include "cluster/wire/remote_client.h"

namespace sippar::cluster {

// One of both.
struct ReachedStore {
  std::unique_ptr<Client> opened;  // by this process
  std::unique_ptr<RemoteClient> remote;
  // Of one that was opened for reading only: has a change been refused?
  std::function<bool()> has_refused;
};

enum class ReachFor : uint8_t { kCalls, kChangeOfTables };
using ReachStore = std::function<StatusOr<ReachedStore>(ReachFor reach_for)>;

// `reach` is called when `store` is lost, or may be had for writing by now.
// `wait_us` as Patience's.
std::unique_ptr<Client> NewJoinedClient(ReachedStore store, int64_t wait_us, ReachStore reach);

}  // namespace sippar::cluster
