// Hello: what both ends say of themselves before anything else, and whether they may go on
// together. Its encoding is the same for all versions; fields that a later version appends are
// passed over. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/net/lane.h"
#include "engine/base/status.h"

namespace sippar::net {

// A version understands the one before it, so a cluster is upgraded member by member.
inline constexpr uint32_t kVersionOldest = 1;
inline constexpr uint32_t kVersionNewest = 1;

// The first bytes of every hello, of whatever version.
inline constexpr std::string_view kHelloMagic = "sippar-net";

struct Hello {
  uint32_t oldest = kVersionOldest;  // versions of the protocol that this end understands
  uint32_t newest = kVersionNewest;
  uint64_t features = 0;  // bits; what both have may be used
  Lane lane = Lane::kUsers;
  std::string cluster;   // id of the cluster; empty: a client that was told none
  std::string role;      // "tabletserver", "master", "client" ...
  std::string name;      // of the member: its life, as "ts1.42"
  std::string expected;  // the name that the other end must have; empty: any
};

std::string EncodeHello(const Hello& hello);
// kInvalidArgument: no hello.
StatusOr<Hello> DecodeHello(std::string_view bytes);

// What the two ends use from here on.
struct Agreement {
  uint32_t version = 0;
  uint64_t features = 0;
};
// Both ends come to the same answer. kUnimplemented: no version in common. kInvalidArgument:
// another cluster. kUnavailable: another life at this address. All of them name both ends.
StatusOr<Agreement> Agree(const Hello& mine, const Hello& theirs);

}  // namespace sippar::net
