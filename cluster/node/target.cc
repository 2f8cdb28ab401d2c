// A target with a slash is a directory, so ./name:1 names a directory that looks like host:port.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/target.h"

#include <fmt/format.h>

#include <string_view>

#include "cluster/api/store_paths.h"
#include "cluster/lock/zookeeper/zookeeper_lock_service.h"

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

constexpr std::string_view kClusterScheme = "zk://";

bool IsPort(std::string_view text) {
  constexpr size_t kDigitsMax = 5;
  if (text.empty() || text.size() > kDigitsMax) return false;
  int port = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port > 0 && port < 65536;
}

bool IsClusterName(std::string_view name) {
  constexpr size_t kNameSizeMax = 100;
  // ZooKeeper keeps its own nodes under its name.
  if (name.empty() || name.size() > kNameSizeMax || name.front() == '.' || name == "zookeeper") {
    return false;
  }
  for (char c : name) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '.' && c != '_' && c != '-') return false;
  }
  return true;
}

// Parses "HOST:PORT[,HOST:PORT...]/NAME".
Status ParseCluster(std::string_view text, Target* place) {
  constexpr std::string_view kForm = "expected zk://HOST:PORT[,HOST:PORT...]/NAME";
  size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return InvalidArgument(fmt::format("the cluster's name is missing ({})", kForm));
  }
  std::string_view name = text.substr(slash + 1);
  if (!IsClusterName(name)) {
    return InvalidArgument(
        fmt::format("'{}' is not a valid cluster name (at most 100 letters, digits, '.', '_' and "
                    "'-', without a dot "
                    "in front; not 'zookeeper')",
                    name));
  }
  place->members = std::string(text.substr(0, slash));
  std::string_view rest = place->members;
  for (bool more = true; more;) {
    size_t comma = rest.find(',');
    std::string_view member = rest.substr(0, comma);
    size_t colon = member.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || !IsPort(member.substr(colon + 1))) {
      return InvalidArgument(
          fmt::format("'{}' is not a valid member of ZooKeeper ({})", member, kForm));
    }
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  place->cluster = std::string(name);
  return OkStatus();
}

}  // namespace

StatusOr<Target> ParseTarget(const std::string& target) {
  if (target.empty()) return InvalidArgument("target is empty; name a directory or host:port");
  if (target.starts_with(kClusterScheme)) {
    Target place;
    if (Status parsed = ParseCluster(target.substr(kClusterScheme.size()), &place); !parsed.ok()) {
      return Annotate(parsed, fmt::format("target {}", target));
    }
    return place;
  }
  if (std::string address = AddressOf(target); !address.empty()) return Target{address, "", "", ""};
  std::string directory = target;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return Target{"", directory, "", ""};
}

std::unique_ptr<engine::FileSystem> FileSystemOf(const std::string& /*path*/) {
  return engine::NewPosixFileSystem();
}

StatusOr<std::unique_ptr<EmbeddedLockService>> LockServiceOf(const std::string& directory,
                                                             engine::FileSystem* fs,
                                                             engine::Clock* clock) {
  return EmbeddedLockService::Open(fs, store_paths::Locks(directory), clock);
}

StatusOr<std::unique_ptr<LockService>> LockServiceOf(const Target& target,
                                                     const std::string& secret_file) {
  ZooKeeperOptions options;
  options.hosts = target.members;
  options.cluster = target.cluster;
  if (!secret_file.empty()) {
    std::unique_ptr<engine::FileSystem> fs = FileSystemOf(secret_file);
    ASSIGN_OR_RETURN(options.secret, ReadZooKeeperSecret(fs.get(), secret_file));
  }
  return OpenZooKeeper(options);
}

}  // namespace sippar::cluster
