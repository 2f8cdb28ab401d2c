// A target with a slash is a directory, so ./name:1 names a directory that looks like host:port.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/target.h"

#include <fmt/format.h>

#include <string_view>

#include "cluster/api/store_paths.h"

namespace sippar::cluster {
namespace {

// The address to connect to if the target is a server; "" if it is a directory.
std::string AddressOf(const std::string& target) {
  constexpr std::string_view kScheme = "sippar://";
  if (target.starts_with(kScheme)) return target.substr(kScheme.size());
  if (target.starts_with("unix:")) return target;
  size_t colon = target.rfind(':');
  if (colon == std::string::npos || colon == 0 || target.find('/') != std::string::npos) return "";
  std::string port = target.substr(colon + 1);
  bool is_port = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
  return is_port ? target : "";
}

}  // namespace

StatusOr<Target> ParseTarget(const std::string& target) {
  if (target.empty()) return InvalidArgument("target is empty; name a directory or host:port");
  if (target.starts_with("zk://")) {
    return Unimplemented(fmt::format(
        "target {}: clusters are not supported; name a directory or host:port", target));
  }
  if (std::string address = AddressOf(target); !address.empty()) return Target{address, ""};
  std::string directory = target;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return Target{"", directory};
}

std::unique_ptr<engine::FileSystem> FileSystemOf(const std::string& /*path*/) {
  return engine::NewPosixFileSystem();
}

StatusOr<std::unique_ptr<EmbeddedLockService>> LockServiceOf(const std::string& directory,
                                                             engine::FileSystem* fs,
                                                             engine::Clock* clock) {
  return EmbeddedLockService::Open(fs, store_paths::Locks(directory), clock);
}

}  // namespace sippar::cluster
