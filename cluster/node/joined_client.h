// A client that may have to reach its store again. There are two cases. First, another process
// served the store and has ended: the next call finds the process that serves the store by then, or
// opens the store in this process. Calls whose answer was lost are repeated where that is safe:
// reads, and row writes, which carry request ids, so that they are done once even if the server
// ended after doing them. Second, the store was opened for reading only, on a disk that accepts no
// writes: after a change was refused, the next call, at most one each second, tries to open it for
// writing; so does each change of tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cluster/client/client.h"
#include "cluster/wire/remote_client.h"

namespace sippar::cluster {

// Exactly one of `opened` and `remote` is set.
struct ReachedStore {
  std::unique_ptr<Client> opened;  // client of a store that this process opened
  std::unique_ptr<RemoteClient> remote;
  // Set if the store was opened for reading only; returns whether a change has been refused.
  std::function<bool()> has_refused;
};

enum class ReachFor : uint8_t { kCalls, kChangeOfTables };
using ReachStore =
    std::function<StatusOr<ReachedStore>(ReachFor reach_for, const CallOptions& options)>;

// `reach` is called when `store` is lost, or when it may have become possible to open it for
// writing. `reach` gets the options of the call that needs the store. `wait_us`: see Patience
// (open_client.h).
std::unique_ptr<Client> NewJoinedClient(ReachedStore store, int64_t wait_us, ReachStore reach);

}  // namespace sippar::cluster
