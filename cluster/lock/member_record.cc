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
  bool is_valid = true;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    const size_t blank = line.find(' ');
    const std::string_view key = line.substr(0, blank);
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    if (key == "host") record.host = value;
    if (key == "port") is_valid = is_valid && Parse(value, &record.port);
    if (key == "fence") is_valid = is_valid && Parse(value, &record.fence);
    if (key == "leaving") record.leaving = value;
    if (key == "machine") record.machine = value;
    if (key == "pid") is_valid = is_valid && Parse(value, &record.pid);
    if (key == "version") record.version = value;
    if (key == "cluster") record.cluster = value;
    if (key == "identity") record.identity = value;
    if (key == "lease") is_valid = is_valid && Parse(value, &record.lease_us);
  }
  const bool is_reached = record.port != 0 || net::IsUnixHost(record.host);
  if (is_valid && !record.host.empty() && is_reached) return record;
  return InvalidArgument(
      fmt::format("member's record '{}': it does not say how the member is "
                  "reached (expected a line 'host ...' and a line 'port ...')",
                  engine::PrintableBytes(text)));
}

}  // namespace sippar::cluster
