// Hello: the first frame of each end. It describes the end, and both ends decide from it whether
// they can work together. Its encoding is the same in all versions; fields that a later version
// appends are ignored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/net/lane.h"
#include "engine/base/status.h"

namespace sippar::net {

// Each version understands the previous one, so the members of a cluster can be upgraded one after
// the other.
inline constexpr uint32_t kVersionOldest = 1;
inline constexpr uint32_t kVersionNewest = 1;

// Features; a connection uses those that both of its ends have.
inline constexpr uint64_t kTraces = 1;  // requests may have a trace id (frame.h)

// The first bytes of every hello, of whatever version.
inline constexpr std::string_view kHelloMagic = "sippar-net";

struct Hello {
  uint32_t oldest = kVersionOldest;  // versions of the protocol that this end understands
  uint32_t newest = kVersionNewest;
  uint64_t features = kTraces;  // bits; those that both ends have may be used
  Lane lane = Lane::kUsers;
  std::string cluster;   // id of the cluster; empty: a client that does not know it
  std::string role;      // "tabletserver", "master", "client" ...
  std::string name;      // of a registered server its life, "ts1.42" (api/server_id.h)
  std::string expected;  // the name that the other end must have; empty: any
  // The lease of this member (lock/lock_service.h), at most an hour; 0: it has none, or is of a
  // version that does not tell it.
  int64_t lease_us = 0;
};

std::string EncodeHello(const Hello& hello);
// kInvalidArgument: the bytes are not a valid hello.
StatusOr<Hello> DecodeHello(std::string_view bytes);

// What both ends use after their hellos.
struct Agreement {
  uint32_t version = 0;
  uint64_t features = 0;
};
// Decides whether the ends can work together; both ends reach the same result. kUnimplemented: they
// have no version in common. kInvalidArgument: they belong to different clusters. kUnavailable: the
// member at this address is not the expected one. All errors name both ends.
StatusOr<Agreement> Agree(const Hello& mine, const Hello& theirs);

}  // namespace sippar::net
