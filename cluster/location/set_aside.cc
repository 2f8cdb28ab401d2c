// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/set_aside.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

constexpr char kSetAside[] = "sippar/set-aside";

StatusOr<ServerDeath> DecodeDeath(std::string_view word) {
  const size_t at = word.find('@');
  const char* end = word.data() + word.size();
  ServerDeath death;
  if (at != std::string_view::npos) {
    ASSIGN_OR_RETURN(death.server, ServerId::Parse(word.substr(0, at)));
    auto parsed = std::from_chars(word.data() + at + 1, end, death.time_us);
    if (parsed.ec == std::errc() && parsed.ptr == end) return death;
  }
  return InvalidArgument(
      fmt::format("'{}' is not a server and a time (NAME.EPOCH@MICROSECONDS)", word));
}

}  // namespace

std::string EncodeDeaths(const std::vector<ServerDeath>& deaths) {
  std::string text;
  for (const ServerDeath& death : deaths) {
    if (!text.empty()) text.push_back(' ');
    text += fmt::format("{}@{}", death.server.ToString(), death.time_us);
  }
  return text;
}

StatusOr<std::vector<ServerDeath>> DecodeDeaths(std::string_view text) {
  std::vector<ServerDeath> deaths;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    ASSIGN_OR_RETURN(deaths.emplace_back(), DecodeDeath(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return deaths;
}

std::string WhySetAside(const std::vector<ServerDeath>& deaths, const engine::RowRange& range) {
  std::string names;
  for (const ServerDeath& death : deaths) {
    names += (names.empty() ? "" : ", ") + death.server.ToString();
  }
  return fmt::format(
      "servers {} crashed while they loaded or served it; when the reason is gone, 'sippar admin "
      "letback TARGET TABLE ROW' lets servers load it again (ROW: '{}')",
      names, engine::PrintableBytes(range.start));
}

Status SetAsideError(uint64_t tablet_id, const engine::RowRange& range,
                     const std::vector<ServerDeath>& deaths) {
  Status status = Unavailable(
      fmt::format("tablet {} with the rows ['{}', {}) is set aside: {}", tablet_id,
                  engine::PrintableBytes(range.start),
                  range.limit.empty() ? "end" : "'" + engine::PrintableBytes(range.limit) + "'",
                  WhySetAside(deaths, range)));
  status.SetPayload(kSetAside, absl::Cord());
  return status;
}

bool IsSetAside(const Status& status) { return status.GetPayload(kSetAside).has_value(); }

}  // namespace sippar::cluster
