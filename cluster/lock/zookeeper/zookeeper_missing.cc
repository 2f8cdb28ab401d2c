// Built in place of the files that need ZooKeeper's C client, if the build does not find the
// client.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/lock/zookeeper/zookeeper_lock_service.h"

namespace sippar::cluster {

StatusOr<std::unique_ptr<LockService>> OpenZooKeeper(const ZooKeeperOptions& options) {
  return Unimplemented(fmt::format(
      "ZooKeeper {}: it is not supported by this program, which was built without its C client; "
      "install libzookeeper-mt-dev and build again",
      options.hosts));
}

}  // namespace sippar::cluster
