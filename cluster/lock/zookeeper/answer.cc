// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/answer.h"

#include <fmt/format.h>

namespace sippar::cluster::zookeeper {

bool IsUnknown(int code) {
  // ZooKeeper answers kSessionMoved to a copy of a request that came over an old connection.
  return code == kConnectionLoss || code == kOperationTimeout || code == kNoAnswer ||
         code == kClosing || code == kSessionMoved;
}

Status UnexpectedAnswer(int code, std::string_view what) {
  if (code == kOk) return OkStatus();
  if (code == kSessionExpired) {
    return SessionOver(fmt::format("ZooKeeper, {}: the session is over; open a new one", what));
  }
  if (code == kNoAnswer) {
    return Unavailable(
        fmt::format("ZooKeeper, {}: no answer in time, so the outcome is unknown", what));
  }
  if (IsUnknown(code)) {
    return Unavailable(
        fmt::format("ZooKeeper, {}: the connection was lost, so the outcome is unknown (error {})",
                    what, code));
  }
  if (code == kNoAuth || code == kAuthFailed) {
    return PermissionDenied(fmt::format(
        "ZooKeeper, {}: access was refused (error {}); name the file with the secret that this "
        "cluster was made with (SIPPAR_ZK_SECRET, or sippar serve --zk-secret)",
        what, code));
  }
  // No other code proves that nothing was done. After kUnavailable the caller reads again.
  return Unavailable(fmt::format(
      "ZooKeeper, {}: the request failed (error {} of zookeeper.h), so the outcome is unknown; try "
      "again",
      what, code));
}

PartAnswer FirstFailure(int code, const std::vector<int>& parts) {
  for (size_t i = 0; i < parts.size() && code != kOk; ++i) {
    if (parts[i] != kOk && parts[i] != kRolledBack) return {i, parts[i]};
  }
  // No part has a code of its own, because the transaction got no answer from ZooKeeper.
  return {0, code};
}

}  // namespace sippar::cluster::zookeeper
