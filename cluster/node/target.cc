// A target with a slash and without a scheme (zk://, sippar://, unix:) is a directory, so ./name:1
// names a directory that looks like host:port.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/target.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "cluster/api/store_paths.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

constexpr uint32_t kPortMax = 65535;

// Returns the number after the colon of HOST:NUMBER; kPortMax + 1 if it has too many digits for a
// port; nullopt for any other text.
std::optional<uint32_t> PortOf(std::string_view text) {
  constexpr size_t kDigitsMax = 5;
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  if (digits.size() > kDigitsMax) return kPortMax + 1;
  uint32_t port = 0;
  for (char c : digits) port = port * 10 + static_cast<uint32_t>(c - '0');
  return port;
}

// True for "HOST:PORT[,HOST:PORT...]".
bool IsAddressList(std::string_view text) {
  for (;;) {
    const size_t comma = text.find(',');
    if (!PortOf(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// Returns the addresses to connect to if the target is a server; "" if it is a directory.
std::string AddressOf(const std::string& target) {
  constexpr std::string_view kScheme = "sippar://";
  if (target.starts_with(kScheme)) return target.substr(kScheme.size());
  if (target.starts_with("unix:")) return target;
  return target.find('/') == std::string::npos && IsAddressList(target) ? target : "";
}

constexpr std::string_view kClusterScheme = "zk://";
constexpr std::string_view kPosixScheme = "posix:";

bool IsClusterName(std::string_view name) {
  constexpr size_t kNameSizeMax = 100;
  // The name "zookeeper" is excluded, because ZooKeeper keeps its own nodes under it.
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
    const uint32_t port = PortOf(member).value_or(0);
    if (port == 0 || port > kPortMax) {
      return InvalidArgument(
          fmt::format("'{}' is not a valid member of ZooKeeper ({})", member, kForm));
    }
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  place->cluster = std::string(name);
  return OkStatus();
}

std::string WithoutSlash(std::string directory) {
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return directory;
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
  return Target{"", WithoutSlash(target), "", ""};
}

StatusOr<StorePlace> ParseStorePlace(const std::string& text) {
  if (!text.starts_with(kPosixScheme) || text.substr(kPosixScheme.size(), 1) != "/") {
    return InvalidArgument(fmt::format(
        "store '{}': not supported; use posix:DIR with the absolute path of a directory that all "
        "machines of the cluster see",
        engine::PrintableBytes(text)));
  }
  return StorePlace{WithoutSlash(text.substr(kPosixScheme.size())), StoreScheme::kPosix};
}

std::string PrintStorePlace(const StorePlace& place) {
  switch (place.scheme) {
    case StoreScheme::kPosix:
      return std::string(kPosixScheme) + place.directory;
  }
  return place.directory;
}

std::unique_ptr<engine::FileSystem> FileSystemOf(const StorePlace& place) {
  switch (place.scheme) {
    case StoreScheme::kPosix:
      return engine::NewPosixFileSystem();
  }
  return nullptr;
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
                                                     const std::string& secret_file,
                                                     ZooKeeperOptions options) {
  options.hosts = target.members;
  options.cluster = target.cluster;
  if (!secret_file.empty()) {
    std::unique_ptr<engine::FileSystem> fs = FileSystemOf(secret_file);
    ASSIGN_OR_RETURN(options.secret, ReadZooKeeperSecret(fs.get(), secret_file));
  }
  return OpenZooKeeper(options);
}

}  // namespace sippar::cluster
