// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/server_groups.h"

#include <fmt/format.h>

#include <map>

#include "cluster/net/failure.h"

namespace sippar::cluster {

std::vector<ServerGroup> GroupByServer(const std::vector<ServerId>& servers) {
  std::vector<ServerGroup> groups;
  std::map<ServerId, size_t> group_of;
  for (size_t i = 0; i < servers.size(); ++i) {
    const auto [known, is_new] = group_of.emplace(servers[i], groups.size());
    if (is_new) groups.push_back({servers[i], {}});
    groups[known->second].positions.push_back(i);
  }
  return groups;
}

Status FirstError(const std::vector<std::optional<Status>>& outcomes) {
  const Status* first = nullptr;
  size_t failed = 0;
  size_t untried = 0;
  for (const std::optional<Status>& outcome : outcomes) {
    if (!outcome.has_value()) {
      ++untried;
    } else if (!outcome->ok()) {
      ++failed;
      if (first == nullptr) first = &*outcome;
    }
  }
  if (first == nullptr) return OkStatus();
  if (failed == 1 && untried == 0) return *first;
  return net::Retold(*first, first->code(),
                     fmt::format("{} (other tablets that failed: {}, that were not tried: {})",
                                 MessageOf(*first), failed - 1, untried));
}

Status SilentServer(const ServerId& server, const Status& failure) {
  return net::Retold(failure, StatusCode::kDeadlineExceeded,
                     fmt::format("server {}: it did not answer in time ({}); 'sippar admin doctor' "
                                 "says what is wrong",
                                 server.ToString(), MessageOf(failure)));
}

}  // namespace sippar::cluster
