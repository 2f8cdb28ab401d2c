// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/lock/zookeeper/zookeeper_lock_service.h"

namespace sippar::cluster {
namespace {

constexpr uint64_t kSecretSizeMax = 64 << 10;

}  // namespace

StatusOr<std::string> ReadZooKeeperSecret(engine::FileSystem* fs, const std::string& path) {
  auto text = engine::ReadFile(fs, path, kSecretSizeMax);
  if (!text.ok()) return Annotate(text.status(), fmt::format("ZooKeeper secret {}", path));
  std::string secret = text->substr(0, text->find('\n'));
  if (!secret.empty() && secret.back() == '\r') secret.pop_back();
  if (!secret.empty()) return secret;
  return InvalidArgument(
      fmt::format("ZooKeeper secret {}: its first line is empty; write the secret there", path));
}

}  // namespace sippar::cluster
