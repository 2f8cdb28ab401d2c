// Identifies one process of a tablet server, a "life" in cluster/PROTOCOL.md: the server's name and
// an epoch from the lock service, which is never used again. The text form also names the process's
// lock file and its log directory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

struct ServerId {
  std::string name;    // [a-z0-9-]+, chosen by the operator; the same after a restart
  uint64_t epoch = 0;  // 0: no server

  auto operator<=>(const ServerId&) const = default;
  bool IsNone() const { return epoch == 0; }
  std::string ToString() const { return IsNone() ? "" : name + "." + std::to_string(epoch); }

  // Parses what ToString returns; "" is no server.
  [[nodiscard]] static StatusOr<ServerId> Parse(std::string_view text) {
    if (text.empty()) return ServerId();
    size_t dot = text.rfind('.');
    uint64_t epoch = 0;
    const char* end = text.data() + text.size();
    if (dot != std::string_view::npos && dot > 0) {
      auto parsed = std::from_chars(text.data() + dot + 1, end, epoch);
      if (parsed.ec == std::errc() && parsed.ptr == end && epoch > 0) {
        return ServerId{std::string(text.substr(0, dot)), epoch};
      }
    }
    return InvalidArgument("'" + std::string(text) +
                           "' is not a server's name and epoch (NAME.EPOCH)");
  }
};

}  // namespace sippar::cluster
