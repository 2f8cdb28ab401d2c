// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/member_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cluster/net/socket.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

template <class Number>
bool Parse(std::string_view text, Number* number) {
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// Sets the member of `record` that the line names; false if its number is not valid.
bool TakeLine(std::string_view line, MemberRecord* record) {
  const size_t blank = line.find(' ');
  const std::string_view key = line.substr(0, blank);
  const std::string_view value =
      blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
  if (key == "host") record->host = value;
  if (key == "port") return Parse(value, &record->port);
  if (key == "fence") return Parse(value, &record->fence);
  if (key == "leaving") record->leaving = value;
  if (key == "machine") record->machine = value;
  if (key == "pid") return Parse(value, &record->pid);
  if (key == "version") record->version = value;
  if (key == "cluster") record->cluster = value;
  if (key == "identity") record->identity = value;
  return key != "lease" || Parse(value, &record->lease_us);
}

}  // namespace

std::string MemberRecord::Print() const {
  return fmt::format("{}:{}, process {} on {}", engine::PrintableBytes(host), port, pid,
                     engine::PrintableBytes(machine));
}

std::string MemberRecord::Encode() const {
  std::string text =
      fmt::format("host {}\nport {}\nfence {}\nleaving {}\nmachine {}\npid {}\nversion {}\n", host,
                  port, fence, leaving, machine, pid, version);
  if (lease_us != 0) text += fmt::format("lease {}\n", lease_us);
  if (!cluster.empty()) text += fmt::format("cluster {}\n", cluster);
  if (!identity.empty()) text += fmt::format("identity {}\n", identity);
  return text;
}

StatusOr<MemberRecord> MemberRecord::Decode(std::string_view text) {
  MemberRecord record;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (TakeLine(line, &record)) continue;
    return InvalidArgument(
        fmt::format("member's record '{}': its line '{}' has no valid number; start that process "
                    "again, so that it writes a new record",
                    engine::PrintableBytes(text), engine::PrintableBytes(line)));
  }
  const bool is_reached = record.port != 0 || net::IsUnixHost(record.host);
  if (!record.host.empty() && is_reached) return record;
  return InvalidArgument(fmt::format(
      "member's record '{}': it does not say how the member is reached (expected a line 'host ...' "
      "and, unless the host is unix:PATH, a line 'port ...' other than 0)",
      engine::PrintableBytes(text)));
}

}  // namespace sippar::cluster
