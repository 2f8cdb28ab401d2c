// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/lock_paths.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/model/named_record.h"

namespace sippar::cluster::lock_paths {
namespace {

// The embedded service uses the whole path as a file name and appends ".tmp"; file systems allow
// names of 255 bytes.
constexpr size_t kPathSizeMax = 200;
constexpr int kPartsMax = 3;

bool IsPart(std::string_view part) {
  if (part.empty() || part.front() == '.' || part.ends_with(".tmp")) return false;
  for (char c : part) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '.' && c != '_' && c != '-') return false;
  }
  return true;
}

}  // namespace

std::string Server(const ServerId& server) { return Servers() + "/" + server.ToString(); }

std::string Table(uint64_t table_id) { return fmt::format("{}/{}", Tables(), table_id); }

std::string Record(std::string_view name) { return Records() + "/" + engine::RecordFileName(name); }

StatusOr<uint64_t> ParseTable(std::string_view name) {
  uint64_t id = 0;
  auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) {
    return InvalidArgument(fmt::format(
        "lock file '{}/{}': its name must be a table's number; sippar made no such file, remove it",
        Tables(), name));
  }
  return id;
}

Status CheckPath(std::string_view path) {
  std::string_view rest = path;
  for (int parts = 1; path.size() <= kPathSizeMax && parts <= kPartsMax; ++parts) {
    size_t slash = rest.find('/');
    if (!IsPart(rest.substr(0, slash))) break;
    if (slash == std::string_view::npos) return OkStatus();
    rest.remove_prefix(slash + 1);
  }
  return InvalidArgument(
      fmt::format("lock path '{}' is not valid; use 1 to {} parts of letters, digits, '.', '_' and "
                  "'-', at most {} bytes in all",
                  path.substr(0, kPathSizeMax), kPartsMax, kPathSizeMax));
}

}  // namespace sippar::cluster::lock_paths
