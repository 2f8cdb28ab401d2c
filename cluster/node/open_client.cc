// Client::Open: what a target means. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/client/client.h"
#include "cluster/node/embedded_node.h"

namespace sippar::cluster {
namespace {

bool LooksRemote(const std::string& target) {
  return target.starts_with("zk://") || target.starts_with("sippar://");
}

}  // namespace

StatusOr<std::unique_ptr<Client>> Client::Open(const std::string& target,
                                               const ClientOptions& options) {
  if (target.empty()) return InvalidArgument("target is empty; name a directory");
  if (LooksRemote(target)) {
    return Unimplemented(
        fmt::format("target {}: servers are not there yet; name a directory", target));
  }
  std::string directory = target;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return OpenEmbedded(directory, options);
}

}  // namespace sippar::cluster
