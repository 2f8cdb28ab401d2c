// What an answer of ZooKeeper means. Pure; does not include ZooKeeper's client, so the tests need
// no library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::cluster::zookeeper {

// Error codes of zookeeper.h, repeated here so that this file need not include it; static_asserts
// in zookeeper_handle.cc keep them equal.
inline constexpr int kOk = 0;
// ZRUNTIMEINCONSISTENCY, the code of a part of a transaction in which another part failed.
inline constexpr int kRolledBack = -2;
inline constexpr int kConnectionLoss = -4;
inline constexpr int kOperationTimeout = -7;
inline constexpr int kInvalidState = -9;
inline constexpr int kNoNode = -101;
inline constexpr int kNoAuth = -102;
inline constexpr int kBadVersion = -103;
inline constexpr int kEphemeralParent = -108;  // an ephemeral node cannot have children
inline constexpr int kNodeExists = -110;
inline constexpr int kNotEmpty = -111;
inline constexpr int kSessionExpired = -112;
inline constexpr int kAuthFailed = -115;
inline constexpr int kClosing = -116;
inline constexpr int kSessionMoved = -118;
inline constexpr int kNoAnswer = 1;  // our own code: the call's deadline came first

// True if the request may have been carried out, or may still be.
bool IsUnknown(int code);

// The status of an answer that the caller does not expect; OK for kOk. kFailedPrecondition only for
// kSessionExpired; kPermissionDenied for kNoAuth and kAuthFailed; kUnavailable for all other codes,
// because the outcome is unknown.
[[nodiscard]] Status UnexpectedAnswer(int code, std::string_view what);

// The part that made a transaction fail, and its code. Parts before it have kOk, parts after it
// kRolledBack. If no part has a code of its own, `part` is 0 and `code` that of the transaction.
struct PartAnswer {
  size_t part = 0;
  int code = kOk;
};
PartAnswer FirstFailure(int code, const std::vector<int>& parts);

}  // namespace sippar::cluster::zookeeper
